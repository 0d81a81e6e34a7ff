import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.evaluation.labels import FOR_CALIBRATION, LabelledClaim, parse_row, read_labels

ROW = {
    "id": "q1-0",
    "question_id": "q1",
    "question": "How tall is it?",
    "claim": "It is 330 m tall.",
    "sentence": "It is 330 m tall.",
    "form": "long",
    "true": True,
    "faithful": False,
    "annotator": "ada",
    "alignment": 0.9,
    "signals": {"max_claim_probability": -1.5, "parametric_knowledge": -4.0},
    "language_model": "lm",
    "alignment_model": "am",
}


@pytest.fixture
def write(tmp_path):
    def write(*rows, name="labels.jsonl", end="\n"):
        path = tmp_path / name
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        path.write_bytes(end.join([*lines, ""]).encode())
        return path

    return write


def test_a_row_is_read(write):
    [row] = read_labels([write(ROW)])
    assert row == LabelledClaim(**ROW)
    assert row.place.endswith("labels.jsonl, row 1")


def test_further_columns_are_kept(write):
    [row] = read_labels([write({**ROW, "note": "checked", "passages": ["a"]})])
    assert row.extra == {"note": "checked", "passages": ["a"]}
    assert parse_row(row.to_dict(), "again") == row


def test_windows_line_ends_byte_order_mark_and_blank_lines(write):
    path = write("\ufeff" + json.dumps(ROW), "", {**ROW, "id": "q1-1"}, end="\r\n")
    rows = read_labels([path])
    assert [row.id for row in rows] == ["q1-0", "q1-1"]
    assert rows[1].place.endswith("row 3")


def test_a_line_separator_inside_a_text_does_not_end_the_row(write):
    [row] = read_labels([write(json.dumps({**ROW, "claim": "a\u2028b\x85c"}, ensure_ascii=False))])
    assert row.claim == "a\u2028b\x85c"


@pytest.mark.parametrize(
    ("written", "label"),
    [
        *((value, True) for value in (True, 1, 1.0, "true", "TRUE", "yes", " Yes ", "1")),
        *((value, False) for value in (False, 0, "false", "no", "0")),
        *((value, None) for value in (None, "unverifiable", "Unverifiable", "")),
    ],
)
def test_labels_may_be_written_in_several_ways(write, written, label):
    [row] = read_labels([write({**ROW, "true": written, "faithful": written})])
    assert row.true is label
    assert row.faithful is label


@pytest.mark.parametrize("written", ["maybe", 2, -1, 0.5, [], {}, math.nan])
def test_other_labels_are_refused(write, written):
    with pytest.raises(InputError, match=r"labels\.jsonl, row 2, column true: .*null"):
        read_labels([write(ROW, {**ROW, "id": "q1-1", "true": written})])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("column", ["alignment", "signals.max_nli"])
def test_numbers_that_are_not_finite_are_refused(write, number, column):
    row = {**ROW, "alignment": "X"} if column == "alignment" else {**ROW, "signals": {"max_nli": "X"}}
    with pytest.raises(InputError, match=rf"row 1, column {column}: .*finite"):
        read_labels([write(json.dumps(row).replace('"X"', number))])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alignment": 1.1}, r"column alignment: .*\[0, 1\]"),
        ({"alignment": "high"}, "column alignment: .*number"),
        ({"alignment": True}, "column alignment: .*number"),
        ({"signals": [1]}, "column signals: .*object"),
        ({"signals": {"parametric_knowledge": 0.3}}, r"column signals\.parametric_knowledge: .*at most 0"),
        ({"signals": {"max_nli": 1.3}}, r"column signals\.max_nli: .*\[0, 1\]"),
        ({"signals": {"own": None, "max_nli": "x"}}, r"column signals\.max_nli: .*number"),
        ({"form": "medium"}, "column form: .*long"),
        ({"samples": 0}, "column samples: .*at least 1"),
        ({"id": ""}, "column id: .*empty"),
        ({"id": True}, "column id: "),
        ({"question_id": None}, "column question_id: "),
        ({"claim": 7}, "column claim: .*text"),
        ({"note": [math.nan]}, "column note: .*no JSON"),
    ],
)
def test_values_of_another_kind_are_refused(write, change, message):
    with pytest.raises(InputError, match=rf"row 2, {message}"):
        read_labels([write({**ROW, "id": "first"}, json.dumps({**ROW, **change}))])


@pytest.mark.parametrize("column", FOR_CALIBRATION)
def test_missing_columns_are_named(write, column):
    row = {name: value for name, value in ROW.items() if name != column}
    with pytest.raises(InputError, match=f"row 1: column {column} missing; the columns are "):
        read_labels([write(row)])


def test_answers_without_numbers_are_told_how_to_get_them(write):
    row = {"id": "1", "question_id": "1", "question": "?", "passages": [], "answer": "a", "true": 1}
    with pytest.raises(InputError, match="franq-guard check FILE --format json"):
        read_labels([write(row)])


def test_reports_are_sent_to_the_labelling_page(write, report):
    with pytest.raises(InputError, match="franq-guard label"):
        read_labels([write(report.to_json())])


def test_duplicates_of_one_annotator_are_refused_but_two_annotators_may_label_a_claim(write):
    other = {**ROW, "annotator": "ben"}
    assert len(read_labels([write(ROW, other)])) == 2
    with pytest.raises(InputError, match=r"row 3, column id: 'q1-0' by 'ada' is also in .*row 1"):
        read_labels([write(ROW, other, ROW)])
    first, second = write(ROW), write(ROW, name="more.jsonl")
    with pytest.raises(InputError, match=r"more\.jsonl, row 1, .*labels\.jsonl, row 1"):
        read_labels([first, second])


def test_whole_numbers_are_ids_too(write):
    [row] = read_labels([write({**ROW, "id": 7, "question_id": 1})])
    assert (row.id, row.question_id) == ("7", "1")


def test_missing_numbers_are_no_error(write):
    [row] = read_labels([write({**ROW, "alignment": None, "signals": {"max_nli": None}})])
    assert row.alignment is None
    assert row.signals == {}


@pytest.mark.parametrize("text", ["", "\n \r\n"])
def test_empty_files(write, text):
    path = write()
    path.write_text(text)
    with pytest.raises(InputError, match="is empty"):
        read_labels([path])


def test_what_is_not_json_lines(write, tmp_path):
    with pytest.raises(InputError, match="row 2: not JSON"):
        read_labels([write(ROW, "{")])
    with pytest.raises(InputError, match="row 1: expected a JSON object"):
        read_labels([write(json.dumps([ROW]))])
    with pytest.raises(InputError, match="row 1: not JSON"):
        read_labels([write("[" * 100_000)])
    with pytest.raises(InputError, match=r"cannot read .*No such file"):
        read_labels([tmp_path / "none.jsonl"])
    path = write(ROW)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_labels([path])


texts = st.text(st.characters(codec="utf-8"), max_size=8)
labels = st.sampled_from([True, False, None])


@given(
    st.builds(
        LabelledClaim,
        id=texts.filter(str.strip),
        question_id=texts.filter(str.strip),
        question=texts,
        claim=texts,
        form=st.sampled_from(["long", "short"]),
        true=labels,
        faithful=labels,
        annotator=texts,
        alignment=st.none() | st.floats(0, 1),
        signals=st.dictionaries(
            st.sampled_from(["max_claim_probability", "own"]), st.floats(-1e6, 0), max_size=2
        ),
        samples=st.none() | st.integers(1, 50),
        extra=st.dictionaries(st.sampled_from(["note", "spans"]), texts, max_size=2),
    )
)
def test_rows_survive_being_written(row):
    assert parse_row(json.loads(json.dumps(row.to_dict())), "here", require=FOR_CALIBRATION) == row
