"""`franq-guard check`: stored answers in, reports and exit codes out."""

import io
import json
import sys

import pytest

from franq_guard import GuardReport

TRUE = {"question": "How tall?", "passages": ["The tower is tall."], "answer": "The tower is tall."}
FALSE = TRUE | {"answer": "The castle burned down yesterday."}
LENIENT = ("--annotate-below", 0, "--hedge-below", 0, "--block-below", 0)


@pytest.fixture
def file(tmp_path):
    def write(content, name="answers.jsonl"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def lines(*items):
    return "".join(json.dumps(item) + "\n" for item in items)


def answers(out):
    return [GuardReport.from_json(line).answer for line in out.splitlines()]


def one_line(err):
    return err.count("\n") == 1 and err.startswith("franq-guard: ") and "Traceback" not in err


# Forms of input.


@pytest.mark.parametrize(
    "content",
    [
        lines(TRUE, FALSE),
        lines(TRUE, FALSE).rstrip("\n"),
        lines(TRUE, FALSE).replace("\n", "\r\n"),
        "\n\n" + lines(TRUE) + "  \n" + lines(FALSE) + "\n",
        json.dumps([TRUE, FALSE]),
        json.dumps([TRUE, FALSE], indent=2).replace("\n", "\r\n"),
        b"\xef\xbb\xbf" + lines(TRUE, FALSE).encode(),
        b"\xef\xbb\xbf" + json.dumps([TRUE, FALSE], indent=1).encode(),
    ],
    ids=["jsonl", "no-last-newline", "crlf", "blank-lines", "array", "crlf-array", "bom", "bom-array"],
)
def test_two_answers_in_any_form(cli, file, content):
    code, out, err = cli("check", file(content), "--format", "json", *LENIENT)
    assert answers(out) == [TRUE["answer"], FALSE["answer"]]
    assert (code, err) == (0, "")


@pytest.mark.parametrize("content", [json.dumps(TRUE), json.dumps(TRUE, indent=2), lines(TRUE)])
def test_one_object(cli, file, content):
    code, out, _ = cli("check", file(content), "-f", "json", *LENIENT)
    assert answers(out) == [TRUE["answer"]]
    assert code == 0


@pytest.mark.parametrize("arguments", [["-"], []])
def test_standard_input(cli, arguments):
    code, out, _ = cli("check", *arguments, "-f", "json", *LENIENT, stdin=lines(TRUE, FALSE).encode())
    assert len(answers(out)) == 2
    assert code == 0


def test_an_answer_on_the_command_line(cli):
    code, out, _ = cli(
        "check", "-q", "How tall?", "-p", "It is tall.", "-p", "It is old.", "-a", "It is tall.", "-f", "json"
    )
    report = GuardReport.from_json(out)
    assert [passage.text for passage in report.passages] == ["It is tall.", "It is old."]
    assert (report.question, report.answer) == ("How tall?", "It is tall.")
    assert code in (0, 1)


def test_text_of_any_kind_gets_through(cli, file):
    odd = TRUE | {"answer": "Ünïcödé 🎉 \u2028 line, \x00 and \ud83d."}
    path = file(lines(odd))
    for format in ("json", "text", "markdown", "table"):
        code, out, _ = cli("check", path, "-f", format)
        assert code in (0, 1)
        assert out
    assert answers(cli("check", path, "-f", "json")[1]) == [odd["answer"]]


def test_token_log_probs_are_taken_over(cli, file):
    item = TRUE | {"token_log_probs": [{"token": TRUE["answer"], "logprob": -0.5}]}
    _, out, _ = cli("check", file(lines(item)), "-f", "json")
    assert any("came with the answer" in note for note in GuardReport.from_json(out).notes)


# Forms of output.


def test_json_is_one_report_a_line(cli, file):
    _, out, _ = cli("check", file(lines(TRUE, FALSE)), "-f", "json")
    reports = [GuardReport.from_json(line) for line in out.splitlines()]
    assert [report.claims[0].p_true is not None for report in reports] == [True, True]


@pytest.mark.parametrize("format", ["table", "text", "markdown"])
def test_reports_for_people_name_the_claims(cli, file, format):
    _, out, _ = cli("check", file(lines(TRUE, FALSE)), "-f", format)
    assert "The tower is tall" in out
    assert "castle" in out
    assert ("|" in out) or format != "markdown"


@pytest.mark.parametrize("format", ["table", "json", "text", "markdown"])
def test_out_writes_a_file_and_prints_nothing(cli, file, tmp_path, format):
    target = tmp_path / "report.out"
    _, out, err = cli("check", file(lines(TRUE)), "-f", format, "--out", target)
    assert (out, err) == ("", "")
    assert "tower" in target.read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written_is_named(cli, file, tmp_path):
    code, _, err = cli("check", file(lines(TRUE)), "--out", tmp_path / "nowhere" / "report.md")
    assert code == 2
    assert one_line(err)
    assert "cannot write" in err
    assert "No such file" in err


def test_a_terminal_that_lacks_a_character_shows_a_question_mark(cli, file, monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    code, _, err = cli("check", file(lines(TRUE | {"answer": "The tower is tall 🎉."})), "-f", "text")
    assert code in (0, 1)
    assert err == ""
    sys.stdout.flush()
    assert b"tall ?" in raw.getvalue()


# Exit codes.


def test_exit_codes_follow_what_was_done(cli, file):
    kept, acted = file(lines(TRUE), "kept"), file(lines(TRUE, FALSE), "acted")
    assert cli("check", kept, *LENIENT)[0] == 0
    assert cli("check", acted, "--annotate-below", 1, "--hedge-below", 0, "--block-below", 0)[0] == 1


def test_fail_below_looks_at_probabilities_alone(cli, file):
    path = file(lines(TRUE, FALSE))
    _, out, _ = cli("check", path, "-f", "json")
    lowest = min(GuardReport.from_json(line).p_true for line in out.splitlines())
    assert cli("check", path, "--fail-below", lowest)[0] == 0
    assert cli("check", path, "--fail-below", min(1.0, lowest * 1.01 + 1e-12))[0] == 1


def test_fail_below_also_fails_on_what_was_not_checked(cli, file):
    path = file(lines(TRUE | {"answer": "Der Turm ist sehr hoch und wurde vor langer Zeit gebaut."}))
    assert cli("check", path, "--fail-below", 0)[0] == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--fail-below", "1.5"],
        ["--fail-below", "nan"],
        ["--hedge-below", "-1"],
        ["--annotate-below", "0.1", "--hedge-below", "0.5"],
        ["--annotate-below", "nan"],
        ["--format", "xml"],
        ["--preset", "huge"],
        ["--no-such-option"],
    ],
)
def test_a_bad_option_is_an_error(cli, file, arguments):
    code, out, err = cli("check", file(lines(TRUE)), *arguments)
    assert code == 2
    assert out == ""
    assert err
    assert "Traceback" not in err


def test_options_win_over_the_config_file(cli, file):
    config = file(
        'preset = "mini"\n[policy]\nannotate_below = 0\nhedge_below = 0\nblock_below = 0\n', "c.toml"
    )
    path = file(lines(FALSE))
    assert cli("check", path, "--config", config)[0] == 0
    assert cli("check", path, "--config", config, "--annotate-below", 1)[0] == 1


def test_a_bad_config_file_is_an_error(cli, file, tmp_path):
    for config in (file("tiemout = 3\n", "c.toml"), tmp_path / "nowhere.toml"):
        code, _, err = cli("check", file(lines(TRUE)), "--config", config)
        assert code == 2
        assert one_line(err)


def test_a_check_that_fails_is_an_error_and_still_reported(cli, file, monkeypatch):
    from fakes import WordLM

    from franq_guard.errors import ModelError

    def fail(self, requests):
        raise ModelError("out of order")

    monkeypatch.setattr(WordLM, "score", fail)
    code, out, err = cli("check", file(lines(TRUE)), "-f", "json")
    assert code == 2
    assert GuardReport.from_json(out).error == "ModelError: out of order"
    assert "Traceback" not in err


# Input that cannot be read.


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("[]", "is empty"),
        (lines(TRUE) + "{nonsense\n" + lines(TRUE), "answers.jsonl, line 2: not JSON"),
        ("\r\n" + json.dumps(TRUE) + "\r\n{]\r\n", "answers.jsonl, line 3: not JSON"),
        (lines(TRUE) + "[1]\n", "line 2: expected a mapping"),
        (lines(TRUE, {"question": "Q?", "passages": []}), "line 2: answer missing"),
        (lines({"answer": "A."}), "question and passages missing"),
        (lines(TRUE, TRUE | {"answer": 3}), "line 2: answer: expected a str, not int"),
        (lines(TRUE, TRUE | {"passages": [{"body": ""}]}), r"line 2: passages[0]: no text under"),
        (json.dumps([TRUE, {}]), "item 2: question and passages and answer missing"),
        (json.dumps([TRUE, FALSE], indent=1).replace("]", "", 1), "not JSON"),
        (json.dumps(TRUE, indent=1)[:-3], "not JSON"),
        ("null", "expected a mapping with question, passages and answer, not None"),
        ("3", "not int"),
        (b"\xff\xfe{\x00}\x00", "answers.jsonl is not UTF-8 text"),
        ("[" * 100_000, "not JSON"),
        ('{"question": ' + "1" * 5000 + "}", "not JSON"),
    ],
)
def test_what_is_wrong_with_the_input_is_said_in_one_line(cli, file, content, message):
    code, out, err = cli("check", file(content))
    assert code == 2
    assert out == ""
    assert one_line(err)
    assert message in err


def test_a_missing_file_is_named(cli, tmp_path):
    for path in (tmp_path / "nowhere.json", tmp_path):
        code, _, err = cli("check", path)
        assert code == 2
        assert one_line(err)
        assert f"cannot read {path}" in err


def test_standard_input_is_called_so(cli):
    code, _, err = cli("check", "-", stdin=b"{nonsense")
    assert code == 2
    assert "standard input, line 1: not JSON" in err


def test_nothing_to_check_says_what_to_give(cli, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    code, _, err = cli("check")
    assert code == 2
    assert one_line(err)
    assert "give a file, pipe JSON in, or use --question and --answer" in err


def test_what_would_be_ignored_is_refused(cli, file):
    code, _, err = cli("check", file(lines(TRUE)), "--answer", "It is tall.")
    assert code == 2
    assert "not both" in err
    code, _, err = cli("check", "--question", "How tall?", stdin=lines(TRUE).encode())
    assert code == 2
    assert "go with --answer" in err
