"""`franq-guard evaluate`: a data set or signals in; table, files and pictures out."""

import json

import pytest

from franq_guard.models import loading
from tests.evaluation.lookers import LookedAtLM
from tests.evaluation.synthetic import make_claims


class AnsweringLM(LookedAtLM):
    """Answers each question with its last word."""

    def generate(self, prompts, *, max_new_tokens=256):
        words = [prompt.user.split("Question: ")[1].split("?")[0].split()[-1] for prompt in prompts]
        return [self._written(prompt, word) for prompt, word in zip(prompts, words, strict=True)]


@pytest.fixture
def model(monkeypatch):
    model = AnsweringLM()
    monkeypatch.setattr(loading, "load_language_model", lambda source, **options: model)
    return model


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "questions.jsonl"
    rows = [
        {
            "id": f"q{n}",
            "question": f"Which town is it, number {n}: Paris{n}?",
            "answers": [f"Paris{n}" if n % 3 else f"Rome{n}"],
            "context": f"The town is Paris{n} or Rome{n}. There are {n + 20} streets.",
        }
        for n in range(12)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.fixture
def signals(tmp_path):
    path = tmp_path / "signals.jsonl"
    path.write_text("".join(json.dumps(row.to_dict()) + "\n" for row in make_claims()))
    return path


def test_from_questions_to_a_table(cli, model, questions, tmp_path):
    out = tmp_path / "out"
    code, printed, _ = cli("evaluate", questions, "--out", out, "--samples", 3, "--resamples", 20)
    assert code == 0 and "AlignScore" in printed and "FRANQ (condition)" in printed
    results = json.loads((out / "results.json").read_text())
    assert results["form"] == "short" and results["samples"] == 3
    assert results["counts"]["claims"] == 12 and 0 < results["false_rate"] < 1
    assert len({row["name"] for row in results["methods"]}) > 17
    assert (out / "results.md").exists()
    rows = [json.loads(line) for line in (out / "signals.jsonl").read_text().splitlines()]
    assert [row["true"] for row in rows] == [bool(n % 3) for n in range(12)]


def test_the_second_run_asks_only_what_is_open(cli, model, questions, tmp_path):
    arguments = ("evaluate", questions, "--out", tmp_path / "out", "--resamples", 5, "--samples", 2)
    cli(*arguments)
    first, asked = (tmp_path / "out" / "results.json").read_bytes(), len(model.requests)
    cli(*arguments)
    assert (tmp_path / "out" / "results.json").read_bytes() == first
    # Only the last question is asked again: it might not have been complete.
    assert len(model.requests) - asked <= asked / 11


def test_corruption(cli, model, questions, tmp_path):
    for kind in ("irrelevant:0.5", "factual:1"):
        out = tmp_path / kind.replace(":", "-")
        code, _, error = cli(
            "evaluate", questions, "--out", out, "--samples", 2, "--resamples", 5, "--corrupt", kind
        )
        assert code == 0, error
        rows = [json.loads(line) for line in (out / "signals.jsonl").read_text().splitlines()]
        assert sum("changed" in row for row in rows) == (6 if kind.startswith("irr") else 12)
        assert json.loads((out / "results.json").read_text())["signals"]["corruption"] == kind
    code, _, error = cli("evaluate", questions, "--out", out, "--samples", 2)
    assert code == 2 and "other settings" in error


def test_limit_and_filling_up(cli, model, questions, tmp_path):
    out = tmp_path / "out"
    cli("evaluate", questions, "--out", out, "--limit", 4, "--passages", 3, "--samples", 2, "--resamples", 5)
    rows = [json.loads(line) for line in (out / "signals.jsonl").read_text().splitlines()]
    assert len(rows) == 4 and all(len(row["passages"]) == 3 for row in rows)


def test_signals_need_no_model(cli, monkeypatch, signals, tmp_path):
    def fail(source, **options):
        raise AssertionError("a model was loaded")

    monkeypatch.setattr(loading, "load_language_model", fail)
    monkeypatch.setattr(loading, "load_alignment_model", fail)
    out = tmp_path / "out"
    code, printed, _ = cli(
        "evaluate", "--signals", signals, "--out", out, "--resamples", 20,
        "--ablation", "grid", "--ablation", "threshold", "--ablation", "training-size",
    )  # fmt: skip
    assert code == 0 and "XGBoost" in printed
    results = json.loads((out / "results.json").read_text())
    assert set(results["ablations"]) == {"grid", "threshold"} | {"training-size"}
    assert (out / "reliability.png").stat().st_size > 500


def test_chosen_methods(cli, signals, tmp_path):
    cli(
        "evaluate",
        "--signals",
        signals,
        "--out",
        tmp_path,
        "-m",
        "franq_none",
        "-m",
        "alignment",
        "--resamples",
        5,
    )
    results = json.loads((tmp_path / "results.json").read_text())
    assert [row["name"] for row in results["methods"]] == ["alignment", "franq_none"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give a data set, or --signals"),
        (("{questions}", "--signals", "{signals}"), "give a data set, or --signals"),
        (("--signals", "{signals}", "--corrupt", "factual:1"), "leave out --signals"),
        (("{questions}", "--corrupt", "noise:1"), "is no corruption"),
        (("--signals", "{signals}", "-m", "magic"), "no method 'magic'"),
        (("missing.jsonl",), "cannot read missing.jsonl"),
        (("--signals", "{questions}"), "row 1: column"),
        (("{questions}", "--out", "{questions}"), "cannot make the folder"),
    ],
)
def test_errors_say_what_to_do(cli, model, questions, signals, tmp_path, arguments, message):
    filled = [part.format(questions=questions, signals=signals) for part in arguments]
    if "--out" not in filled:
        filled += ["--out", str(tmp_path / "out")]
    code, _, error = cli("evaluate", *filled)
    assert code == 2 and message in error and "Traceback" not in error
