"""The commands through the real models."""

import json
import os
import subprocess
import sys
from importlib import resources

import pytest
from reports import assert_sound

from franq_guard import GuardReport
from franq_guard.cli import main
from franq_guard.demo.rag import PLANTED, QUESTION, TfidfRetriever, answer, load_corpus
from franq_guard.schema import Action, Verdict

CALIBRATED = (resources.files("franq_guard") / "models" / "calibrators" / "mini-long.json").is_file()
TRUE = {
    "question": "How tall is the Eiffel Tower?",
    "passages": ["With its antennas the Eiffel Tower is 330 metres tall."],
    "answer": "With its antennas the Eiffel Tower is 330 metres tall.",
}
FALSE = TRUE | {"answer": "The Eiffel Tower is a wooden boat that sank near Sydney in 1204."}


@pytest.fixture
def cli(lm, monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["franq-guard", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "120")
        if not CALIBRATED:
            monkeypatch.setenv("FRANQ_GUARD_CALIBRATION", "none")
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return run


def words(text):
    """The words of a terminal's output, without frames and line ends."""
    return " ".join(text.replace("│", " ").split())


def test_check_prints_reports_and_fails_below_a_probability(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("FRANQ_GUARD_FORM", "long")
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(item) + "\r\n" for item in (TRUE, FALSE)), encoding="utf-8-sig")
    code, out, _ = cli("check", path, "--format", "json", "--calibration", "none", "--fail-below", 0)
    true, false = (GuardReport.from_json(line) for line in out.splitlines())
    assert code == 0
    for report in (true, false):
        assert_sound(report)
    assert true.claims[0].verdict is Verdict.SUPPORTED
    assert true.claims[0].p_faithful > false.claims[0].p_faithful
    code, out, _ = cli("check", path, "--calibration", "none", "--fail-below", 1)
    assert code == 1
    assert "wooden boat" in words(out)


def test_a_missing_model_is_one_line_of_error(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "franq_guard.cli", "check", "-q", "How tall?", "-a", "It is tall."],
        capture_output=True,
        text=True,
        env=os.environ | {"FRANQ_GUARD_LANGUAGE_MODEL": str(tmp_path / "nowhere.gguf")},
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("franq-guard: there is no file or folder")
    assert done.stderr.count("\n") == 1


def test_the_models_of_the_preset_are_here(cli):
    code, out, _ = cli("models", "path", "mini")
    assert code == 0
    assert out.splitlines()[0].endswith(".gguf")
    code, again, _ = cli("models", "pull", "mini")
    assert code == 0
    assert "converted" in again


def test_the_demo_shows_and_corrects(cli):
    code, out, _ = cli("demo")
    assert code == 0
    shown = words(out)
    assert QUESTION in shown
    assert "passage 1: " in shown
    assert "wrought-iron lattice tower on the Champ de Mars" in shown
    assert shown.count("answer as generated") == 2
    assert "designed by Leonardo da Vinci" in shown
    assert "1. An answer by the model itself" in shown
    assert "2. An answer with planted errors" in shown
    assert shown.count("Models: ") == 2


def test_the_demo_takes_a_question(cli):
    code, out, _ = cli("demo", "--question", "Xyzzy plugh frotz?", "--k", 1)
    assert code == 0
    shown = words(out)
    assert "Xyzzy plugh frotz?" in shown
    assert "no passage shares a word with the question" in shown
    assert "planted errors" not in shown


@pytest.mark.parametrize("question", ["", "  "])
def test_the_demo_needs_a_question_with_words(cli, question):
    code, out, err = cli("demo", "--question", question)
    assert (code, out) == (2, "")
    assert err.startswith("franq-guard: the question is empty; ask something")
    assert err.count("\n") == 1


def test_an_unknown_preset_is_one_line_of_error(cli):
    code, out, err = cli("demo", "--preset", "huge")
    assert (code, out) == (2, "")
    assert "no preset 'huge'; use one of mini" in err


# What the demo is made of.


@pytest.fixture(scope="module")
def retriever():
    return TfidfRetriever(load_corpus())


def test_retrieval_finds_what_is_asked_for(retriever):
    found = retriever.retrieve(QUESTION, 3)
    assert 1 <= len(found) <= 3
    assert "Eiffel" in found[0].title + found[0].text
    assert retriever.retrieve("xyzzy plugh", 3) == []
    assert retriever.retrieve("", 3) == []


def test_an_answer_is_written_from_the_passages(retriever, lm):
    rag = answer(QUESTION, retriever, lm, k=1, max_new_tokens=16)
    assert rag.answer.strip()
    assert len(rag.passages) == 1


def test_planted_errors_are_acted_on_and_facts_are_likelier(retriever, request):
    guard = request.getfixturevalue("guard" if CALIBRATED else "uncalibrated")
    question, text = PLANTED
    report = guard.check(question, retriever.retrieve(question, 3), text)
    assert_sound(report)

    def claims_with(*parts):
        return [claim for claim in report.claims if any(part in claim.text for part in parts)]

    planted, facts = claims_with("Leonardo", "green", "900"), claims_with("330", "Champ de Mars")
    assert len(planted) == 3
    assert len(facts) == 2
    for claim in planted:
        assert claim.action is not Action.KEEP
    assert max(claim.p_faithful for claim in planted) < min(claim.p_faithful for claim in facts)
    assert report.text != text
