"""What sinks are given."""

import json

from fakes import make_guard
from places import ANSWER, PASSAGES, QUESTION, FailingLM, ListSink, check

from franq_guard import Policy
from franq_guard.evaluation.report_rows import rows_from_report
from franq_guard.tracing import Correlation


def test_a_record_repeats_the_numbers_of_the_report(sink):
    report = check(sink)
    [record] = sink.records
    assert record.p_true == report.p_true
    assert record.decision == "block"
    assert record.coverage == report.coverage
    assert record.timings == report.timings
    assert record.end_time - record.start_time == int(report.timings["total"] * 1e9)
    assert [claim.p_true for claim in record.claims] == [claim.p_true for claim in report.claims]
    assert [claim.verdict for claim in record.claims] == ["not_checkworthy", "supported", "not_mentioned"]
    assert [ANSWER[slice(*claim.spans[0])] for claim in record.claims] == [
        claim.source_text for claim in report.claims
    ]
    piece = record.claims[1].evidence[0]
    assert (piece.passage, piece.start, piece.end) == (0, 0, len(PASSAGES[0]["text"]))
    assert [passage.id for passage in record.passages] == ["doc-7", "doc-8"]
    assert (record.question_length, record.answer_length) == (len(QUESTION), len(ANSWER))
    assert record.correlation == Correlation()
    assert record.content is None


def test_ids_are_those_of_rows_to_label(sink):
    report = check(sink)
    [record] = sink.records
    scored = [claim.id for claim in record.claims if claim.p_true is not None]
    rows = rows_from_report(report)
    assert scored == [row.id for row in rows]
    assert {record.question_id} == {row.question_id for row in rows}
    guard = make_guard(tracing=[sink])
    nameless = guard.check(" ", PASSAGES, ANSWER)
    assert guard.tracing.flush()
    assert sink.records[-1].question_id == rows_from_report(nameless)[0].question_id


def test_the_decision_is_the_hardest_action(sink):
    check(sink, policy=Policy(annotate_below=1, hedge_below=None, block_below=None))
    check(sink, policy=Policy(annotate_below=None, hedge_below=None, block_below=None))
    check(sink, policy=Policy(annotate_below=1, hedge_below=1, block_below=1))
    assert [(record.decision, record.blocked) for record in sink.records] == [
        ("annotate", False),
        ("keep", False),
        ("block", True),
    ]


def test_a_failed_check_names_its_error_without_the_message(sink):
    check(sink, language_model=FailingLM())
    [record] = sink.records
    assert record.error_type == "RuntimeError"
    assert record.p_true is None
    assert [claim.unchecked for claim in record.claims] == [False, True, True]
    assert record.explanation == "the check failed with RuntimeError: nothing was checked"


def test_content_comes_on_request():
    sink = ListSink(capture_content=True)
    report = check(sink)
    assert sink.records[0].content == report


def test_plain_data():
    sink = ListSink(capture_content=True)
    report = check(sink, correlation=Correlation(session_id="s"))
    data = json.loads(json.dumps(sink.records[0].to_dict(), allow_nan=False))
    assert data["correlation"]["session_id"] == "s"
    assert data["claims"][1]["verdict"] == "supported"
    assert data["content"] == json.loads(report.to_json())
