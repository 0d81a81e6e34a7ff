from dataclasses import replace

from franq_guard.evaluation.labels import parse_row
from franq_guard.evaluation.report_rows import rows_from_report
from franq_guard.schema import Passage, Signals


def test_every_scored_claim_becomes_a_row_without_labels(report):
    first, second = rows_from_report(report)
    assert (first.true, first.faithful, first.annotator) == (None, None, "")
    assert (first.claim, first.question, first.form) == (report.claims[0].text, report.question, "long")
    assert first.alignment == 0.8
    assert first.signals == {"max_claim_probability": -1.0, "parametric_knowledge": -2.0}
    assert second.signals == {"max_claim_probability": -3.0, "max_nli": 0.4}
    assert (first.language_model, first.alignment_model, first.samples) == ("lm", "am", None)
    assert first.question_id == second.question_id
    assert first.id != second.id


def test_what_a_person_needs_is_in_further_columns(report):
    first, second = rows_from_report(report)
    [[start, end]] = second.extra["spans"]
    assert second.sentence[start:end] == report.claims[1].text
    assert first.extra["evidence"] == [{"passage": 1, "start": 3, "end": 9}]
    assert first.extra["passages"][1] == {"title": "Height", "text": "At 330 m."}
    assert first.extra["answer"] == report.answer
    assert first.extra["p_true"] == 0.9
    assert parse_row(first.to_dict(), "again") == first


def test_ids_depend_on_the_texts_alone(report):
    rows = rows_from_report(report)
    again = rows_from_report(replace(report, models={}, notes=("slow",)))
    assert [row.id for row in again] == [row.id for row in rows]
    other = rows_from_report(replace(report, passages=(Passage("Else."), Passage("At 330 m."))))
    assert {row.id for row in other}.isdisjoint(row.id for row in rows)
    assert {row.question_id for row in other} == {row.question_id for row in rows}


def test_blank_questions_are_not_taken_for_the_same(report):
    one, *_ = rows_from_report(replace(report, question=" "))
    other, *_ = rows_from_report(replace(report, question=" ", passages=report.passages[::-1]))
    assert one.question_id != other.question_id


def test_short_form(report):
    signals = Signals(alignment=0.5, semantic_entropy=1.5, sum_eigenvalues=2.0, samples=10)
    claim = replace(report.claims[0], signals=signals)
    [row] = rows_from_report(replace(report, form="short", claims=(claim,)))
    assert row.form == "short"
    assert row.signals == {"semantic_entropy": 1.5, "sum_eigenvalues": 2.0}
    assert row.samples == 10
