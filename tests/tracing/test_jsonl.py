"""Lines in a file, and what reads them."""

import json
import pickle
import subprocess
import sys

import pytest
from fakes import make_guard
from places import ANSWER, PASSAGES, QUESTION, SPAN, TRACE, FailingLM, check

from franq_guard.cli.app import app
from franq_guard.errors import ConfigError
from franq_guard.evaluation.labels import read_labels
from franq_guard.evaluation.report_rows import rows_from_report
from franq_guard.labelling.tasks import load_tasks, view
from franq_guard.tracing import Correlation, JsonlSink

PLACE = Correlation(trace_id=TRACE, span_id=SPAN, run_id="run-1")
QUICKLY = ["--resamples", "2", "--promise-resamples", "2", "--method", "alignment"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "logs" / "claims.jsonl"


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_row_for_each_scored_claim_without_texts(path):
    report = check(JsonlSink(path), correlation=PLACE)
    rows = lines(path)
    expected = rows_from_report(report)
    assert len(rows) == len(expected) == 2
    for found, row, claim in zip(rows, expected, report.claims[1:], strict=True):
        assert (found["id"], found["question_id"]) == (row.id, row.question_id)
        assert (found["alignment"], found["signals"]) == (row.alignment, row.signals)
        assert (found["p_true"], found["verdict"], found["action"]) == (
            claim.p_true,
            claim.verdict,
            claim.action,
        )
        assert (found["trace_id"], found["span_id"], found["run_id"]) == (TRACE, SPAN, "run-1")
        assert found["answer_spans"] == [[span.start, span.end] for span in claim.spans]
        assert found["true"] is None
        assert not {"question", "claim", "sentence", "answer", "passages"} & set(found)


def test_rows_with_content_can_be_labelled(path):
    report = check(JsonlSink(path, capture_content=True), correlation=PLACE)
    tasks = load_tasks(path)
    assert [row.claim for row in tasks.rows] == [claim.text for claim in report.claims[1:]]
    shown = view(tasks.rows[0])
    assert shown["question"] == QUESTION
    assert shown["answer"] == ANSWER
    assert [passage["title"] for passage in shown["passages"]] == ["Hovercraft", ""]
    assert ["".join(text for text, _ in passage["pieces"]) for passage in shown["passages"]] == [
        passage["text"] for passage in PASSAGES
    ]


@pytest.mark.parametrize("mask", [lambda text: "*" * len(text), lambda text: text[::2], lambda text: "<ALL>"])
def test_masked_rows_still_fit_together(path, mask):
    check(JsonlSink(path, capture_content=True, mask=mask))
    assert [row["id"] for row in lines(path)] == [row.id for row in load_tasks(path).rows]


@pytest.mark.parametrize("capture_content", [True, False])
def test_labelled_rows_calibrate_and_evaluate(tmp_path, path, capture_content):
    from typer.testing import CliRunner

    guard = make_guard(tracing=[JsonlSink(path, capture_content=capture_content)])
    for number in range(40):
        guard.check(
            f"How tall is tower {number}?",
            [f"Tower {number} is {number} metres tall."],
            f"Tower {number} is {number} metres tall. The castle burned down in the year {number}.",
        )
    assert guard.tracing.flush()
    labelled = tmp_path / "labelled.jsonl"
    # Stands in for the people who label, or for a join by id.
    rows = [
        row | {"true": row["verdict"] == "supported", "faithful": row["verdict"] == "supported"}
        for row in lines(path)
    ]
    labelled.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert len(read_labels([labelled])) == 80
    run = CliRunner().invoke(app, ["calibrate", str(labelled), "--out", str(tmp_path / "calibration.json")])
    assert run.exit_code == 0, run.output
    assert (tmp_path / "calibration.json").exists()
    run = CliRunner().invoke(
        app, ["evaluate", "--signals", str(labelled), "--out", str(tmp_path / "results"), *QUICKLY]
    )
    assert run.exit_code == 0, run.output


def test_one_line_an_answer(path):
    sink = JsonlSink(path, lines="answers")
    report = check(sink, correlation=PLACE)
    check(sink, language_model=FailingLM())
    good, failed = lines(path)
    assert (good["p_true"], good["decision"], len(good["claims"])) == (report.p_true, "block", 3)
    assert good["correlation"]["trace_id"] == TRACE
    assert good["content"] is None
    assert (failed["error_type"], failed["claims"][1]["verdict"]) == ("RuntimeError", "unchecked")


def test_an_answer_without_scored_claims_is_no_row(path):
    check(JsonlSink(path), language_model=FailingLM())
    assert not path.exists()


def test_files_are_put_aside(path):
    sink = JsonlSink(path, max_bytes=1000, backups=2)
    for _ in range(4):
        check(sink)
    names = sorted(found.name for found in path.parent.iterdir() if not found.name.endswith(".lock"))
    assert names == ["claims.jsonl", "claims.jsonl.1", "claims.jsonl.2"]
    for name in names:
        assert len(lines(path.with_name(name))) == 2


def test_a_file_without_a_limit_grows(path):
    sink = JsonlSink(path, max_bytes=None)
    for _ in range(4):
        check(sink)
    assert len(lines(path)) == 8


def test_a_deleted_file_is_begun_again(path):
    sink = JsonlSink(path)
    check(sink)
    path.unlink()
    check(sink)
    assert len(lines(path)) == 2


def test_processes_share_a_file(path, record, tmp_path):
    (tmp_path / "record").write_bytes(pickle.dumps(record))
    code = (
        "import pickle, sys; from franq_guard.tracing import JsonlSink\n"
        "sink = JsonlSink(sys.argv[1], max_bytes=5000, backups=50)\n"
        "record = pickle.load(open(sys.argv[2], 'rb'))\n"
        "for _ in range(20): sink.emit(record)"
    )
    command = [sys.executable, "-W", "ignore", "-c", code, str(path), str(tmp_path / "record")]
    for process in [subprocess.Popen(command) for _ in range(3)]:
        assert process.wait(60) == 0
    found = [found for found in path.parent.iterdir() if not found.name.endswith(".lock")]
    assert len(found) > 3
    assert sum(len(lines(one)) for one in found) == 3 * 20 * 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_bytes": 0}, "at least 1"),
        ({"backups": 0}, "at least 1"),
        ({"lines": "words"}, '"claims" or "answers"'),
    ],
)
def test_bad_options(path, options, message):
    with pytest.raises(ConfigError, match=message):
        JsonlSink(path, **options)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot make the folder"):
        JsonlSink(tmp_path / "file" / "claims.jsonl")
