import json
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.labelling.tasks import load_tasks, most_uncertain_first, pieces, view
from franq_guard.schema import Evidence, GuardReport, Passage, ScoredClaim, Signals, Span


@pytest.fixture
def write(tmp_path):
    def write(*lines):
        path = tmp_path / "tasks.jsonl"
        path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
        return path

    return write


@pytest.fixture
def report():
    answer = "It is tall. It is old."
    spans = Span.of(answer, 0, 11), Span.of(answer, 12, 22)
    quote = Evidence(passage=0, start=0, end=4, text="Tall", aligned=0.9, neutral=0.1, contradicted=0.0)
    first, second = (
        ScoredClaim(index=index, text=span.text, spans=(span,), sentence=span, p_true=p_true)
        for index, (span, p_true) in enumerate(zip(spans, (0.8, None), strict=True))
    )
    first = replace(first, evidence=(quote,), signals=Signals(alignment=0.8))
    return GuardReport(
        question="?", passages=(Passage("Tall!"),), answer=answer, text=answer, claims=(first, second)
    )


def test_reports_and_rows_may_be_mixed(write, report, rows):
    tasks = load_tasks(write(report.to_json(), *(row.to_dict() for row in rows)))
    assert [row.claim for row in tasks.rows] == ["It is tall.", *(row.claim for row in rows)]
    assert tasks.unscored == 1
    assert view(tasks.rows[0])["passages"][0]["pieces"] == [("Tall", True), ("!", False)]


def test_labels_in_the_file_are_not_taken_over(write, rows):
    [row] = load_tasks(write(replace(rows[0], true=True, faithful=False, annotator="ben").to_dict())).rows
    assert (row.true, row.faithful, row.annotator) == (None, None, "")


def test_a_claim_that_comes_twice_is_shown_once(write, rows, report):
    tasks = load_tasks(write(rows[0].to_dict(), rows[0].to_dict(), report.to_json(), report.to_json()))
    assert len(tasks.rows) == 2
    assert tasks.repeated == 2
    with pytest.raises(InputError, match=r"row 2, column id: '0' is another claim in .*row 1"):
        load_tasks(write(rows[0].to_dict(), replace(rows[1], id="0").to_dict()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"spans": [[0, 999]]}, r"row 1, column spans: \[0, 999\) does not fit"),
        ({"spans": "all"}, "row 1, column spans: write character ranges"),
        ({"spans": 7}, "row 1, column spans: write character ranges"),
        ({"evidence": [{"passage": 5, "start": 0, "end": 1}]}, "row 1, column evidence: .*no passage 5"),
        ({"evidence": [{"passage": 0, "start": 9, "end": 1}]}, "row 1, column evidence: .*does not fit"),
        ({"evidence": [{"passage": 0}]}, "row 1, column evidence: write objects"),
        ({"passages": 7}, "row 1, column passages: "),
        ({"passages": [{"no": "text"}]}, "row 1, column passages: "),
        ({"question_id": None}, "row 1, column question_id"),
    ],
)
def test_rows_that_do_not_fit_together_are_refused(write, rows, change, message):
    with pytest.raises(InputError, match=message):
        load_tasks(write(rows[0].to_dict() | change))


def test_damaged_and_useless_files(write, report):
    with pytest.raises(InputError, match=r"row 1: .*schema"):
        load_tasks(write({**report.to_dict(), "schema": 99}))
    with pytest.raises(InputError, match="nothing to label"):
        load_tasks(write(replace(report, claims=report.claims[1:]).to_json()))
    with pytest.raises(InputError, match="column claim missing"):
        load_tasks(write({"id": 1, "question_id": 1}))


def test_most_uncertain_first(rows):
    assert [row.id for row in most_uncertain_first(rows)] == ["2", "1", "0"]


def test_what_is_shown(rows):
    shown = view(rows[0])
    assert shown["sentence"] == [("It is 🗼 tall", True), (" <b>and</b> old.", False)]
    assert [passage["best"] for passage in shown["passages"]] == [True, False]
    assert shown["passages"][0]["pieces"] == [("It is ", False), ("330 m", True), (" tall.", False)]
    assert "p_true" not in json.dumps(shown)


def test_plain_texts_are_passages_too(rows):
    shown = view(replace(rows[0], extra={"context": ["One.", "Two."]}))
    assert [passage["pieces"] for passage in shown["passages"]] == [[("One.", False)], [("Two.", False)]]
    assert view(replace(rows[0], extra={}))["passages"] == []


@given(st.text(max_size=20), st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=5))
def test_pieces_are_the_text_again(text, ranges):
    ranges = [(min(a, b, len(text)), min(max(a, b), len(text))) for a, b in ranges]
    found = pieces(text, ranges)
    assert "".join(piece for piece, _ in found) == text
    assert all(piece for piece, _ in found)
    marked = [mark for piece, mark in found for _ in piece]
    assert marked == [any(start <= i < end for start, end in ranges) for i in range(len(text))]
    assert all(a != b for (_, a), (_, b) in pairwise(found))
