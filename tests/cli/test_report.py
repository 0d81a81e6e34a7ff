"""`franq-guard report` and `franq-guard check --html`: pages for the browser."""

import dataclasses
import json

import pytest

from franq_guard import GuardReport, InputError
from franq_guard.cli.report import read_reports
from franq_guard.evaluation.report_rows import rows_from_report

TRUE = {"question": "How tall?", "passages": ["The tower is tall."], "answer": "The tower is tall."}
FALSE = TRUE | {"answer": "The castle burned down yesterday."}


@pytest.fixture
def answers(tmp_path):
    def write(*items):
        path = tmp_path / "answers.jsonl"
        path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
        return path

    return write


@pytest.fixture
def stored(cli, answers, tmp_path):
    path = tmp_path / "reports.jsonl"
    cli("check", answers(TRUE, FALSE), "--format", "json", "--out", path)
    return path


def test_one_answer_becomes_a_page_beside_what_is_printed(cli, answers, tmp_path):
    page = tmp_path / "page.html"
    code, out, err = cli("check", answers(TRUE), "-f", "json", "--html", page)
    assert code in (0, 1)
    assert err == ""
    assert page.read_text(encoding="utf-8") == GuardReport.from_json(out).to_html()


def test_several_answers_become_a_table(cli, answers, tmp_path):
    page = tmp_path / "page.html"
    cli("check", answers(TRUE, FALSE), "--html", page)
    assert "Checked answers" in page.read_text(encoding="utf-8")
    assert "The castle burned down" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("place", ["nowhere/page.html", "."])
def test_a_page_that_cannot_be_written_is_said_before_any_work(cli, answers, stored, tmp_path, place):
    for arguments in (("check", answers(TRUE), "--html"), ("report", stored, "--out")):
        code, out, err = cli(*arguments, tmp_path / place)
        assert (code, out) == (2, "")
        assert err == f"franq-guard: cannot write {tmp_path / place}: name a file in a folder that exists\n"


def test_stored_reports_become_a_page(cli, stored, tmp_path):
    page = tmp_path / "page.html"
    code, out, err = cli("report", stored, "--out", page, "--title", "Nightly <run>")
    assert (code, out, err) == (0, f"Wrote {page}.\n", "")
    text = page.read_text(encoding="utf-8")
    assert "<h1>Nightly &lt;run&gt;</h1>" in text
    assert "Reliability" not in text


def test_one_stored_report_becomes_the_page_of_an_answer(cli, stored, tmp_path):
    first = stored.read_text(encoding="utf-8").splitlines()[0]
    stored.write_text(first, encoding="utf-8")
    cli("report", stored, "-o", tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == GuardReport.from_json(first).to_html()


def test_labels_bring_the_reliability_diagram(cli, stored, tmp_path):
    rows = [row for report in read_reports(stored) for row in rows_from_report(report)]
    labels = tmp_path / "labels.jsonl"
    labelled = [json.dumps(dataclasses.replace(row, true=True).to_dict()) for row in rows]
    labels.write_text("\n".join(labelled), encoding="utf-8")
    code, _, err = cli("report", stored, "--labels", labels, "-o", tmp_path / "page.html")
    assert (code, err) == (0, "")
    assert f"{len(rows)} labelled claims" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"schema": 1}', "row 2: not a report"),
        ("{}", 'row 2: "schema" is None'),
        ("[]", "row 2: expected a JSON"),
    ],
)
def test_a_line_that_is_no_report_is_named(cli, stored, tmp_path, line, words):
    first = stored.read_text(encoding="utf-8").splitlines()[0]
    stored.write_text(f"{first}\n{line}\n", encoding="utf-8")
    code, out, err = cli("report", stored, "-o", tmp_path / "page.html")
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
    with pytest.raises(InputError, match="row 2"):
        read_reports(stored)


def test_a_missing_file_is_named(cli, tmp_path):
    code, _, err = cli("report", tmp_path / "nowhere.jsonl")
    assert code == 2
    assert "cannot read" in err
