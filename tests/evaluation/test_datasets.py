import json

import pytest

from franq_guard.errors import InputError
from franq_guard.evaluation.datasets import read_examples
from franq_guard.evaluation.franq_data import read_label, split_retrieval


def write(tmp_path, *rows, name="data.jsonl"):
    path = tmp_path / name
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


QUESTION = {"id": "q1", "question": "Where?", "answers": ["Paris", "in Paris"], "context": "It is in Paris."}
CLAIM = {
    "id": 1,
    "question_id": "q1",
    "question": "Where?",
    "claim": "It is in Paris.",
    "true": True,
    "faithful": None,
    "answer": "It is in Paris. It is old.",
    "passages": [{"title": "P", "text": "Paris it is."}],
}
FRANQ = {
    "meta_info": {},
    "0": {
        "question": "How?",
        "retrieval": "passage 1: One.\npassage 2: Two\nlines.",
        "output": "It works. It turns.",
        "claims": ["It works.", "It turns."],
        "auto_labels": ['Well ("faithful","False") or rather ("unfaithful-neutral", "True")', "no idea"],
    },
}


def test_questions(tmp_path):
    [one] = read_examples(write(tmp_path, QUESTION | {"title": "Paris"}))
    assert (one.id, one.question, one.answers, one.form) == ("q1", "Where?", ("Paris", "in Paris"), "short")
    assert [(p.text, p.title) for p in one.passages] == [("It is in Paris.", "Paris")]
    assert one.answer == "" and one.claims == ()


def test_passages_in_all_shapes_and_a_missing_id(tmp_path):
    rows = [
        {"question": f"Q{n}?", "answers": "yes", "passages": passages}
        for n, passages in enumerate([[], "a", ["a", "b"], [{"text": "a", "title": "T"}]])
    ]
    found = read_examples(write(tmp_path, *rows))
    assert [len(one.passages) for one in found] == [0, 1, 2, 1]
    assert len({one.id for one in found}) == 4


def test_claims_of_one_answer_belong_together(tmp_path):
    others = [CLAIM | {"id": 2, "claim": "It is old."}, CLAIM | {"id": 3, "answer": "Another answer."}]
    first, second = read_examples(write(tmp_path, CLAIM, *others))
    assert [row.id for row in first.claims] == ["1", "2"] and first.answer == CLAIM["answer"]
    assert [row.id for row in second.claims] == ["3"]
    assert first.form == "long" and first.claims[0].true is True and first.claims[0].faithful is None


def test_windows_line_ends_byte_order_mark_and_extra_columns(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(QUESTION | {"more": [1]}).encode() + b"\r\n\r\n")
    assert read_examples(path)[0].id == "q1"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([QUESTION, {**QUESTION, "id": "q2", "answers": []}], "row 2, column answers"),
        ([{**QUESTION, "answers": [1]}], "row 1, column answers"),
        ([{**QUESTION, "question": " "}], "row 1, column question"),
        ([{**QUESTION, "context": 3}], "row 1, column context"),
        ([{k: v for k, v in QUESTION.items() if k != "context"}], "row 1: column passages missing"),
        ([QUESTION, QUESTION], "row 2, column id: 'q1' is also in"),
        ([{**QUESTION, "id": [1]}], "row 1, column id"),
        ([{**CLAIM, "answer": ""}], "row 1, column answer"),
        ([{**CLAIM, "true": "perhaps"}], "row 1, column true"),
        ([CLAIM, CLAIM], "row 2, column id"),
        ([{k: v for k, v in CLAIM.items() if k != "answer"}], "row 1: column answer missing"),
    ],
)
def test_errors_name_row_and_column(tmp_path, rows, message):
    with pytest.raises(InputError, match=message):
        read_examples(write(tmp_path, *rows))


def test_no_file_and_an_empty_one(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        read_examples(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="is empty"):
        read_examples(write(tmp_path, name="empty.jsonl"))


def test_the_authors_own_format(tmp_path):
    [one] = read_examples(write(tmp_path, FRANQ, name="Llama.json"))
    assert (one.id, one.form, one.answer) == ("0", "long", "It works. It turns.")
    assert [passage.text for passage in one.passages] == ["One.", "Two\nlines."]
    assert [(row.id, row.faithful, row.true) for row in one.claims] == [
        ("0-0", False, True),
        ("0-1", None, None),
    ]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ('("faithful","True")', (True, True)),
        ("('unfaithful-contra', 'False')", (False, False)),
        ('("faithful", "unverifiable")', (True, None)),
        ('("undefined","True")', (None, True)),
        ("", (None, None)),
        ("(" * 50_000 + '"faithful"' * 20_000, (None, None)),
    ],
)
def test_the_authors_labels(text, label):
    assert read_label(text) == label


def test_retrieval_without_marks_is_one_passage():
    assert [passage.text for passage in split_retrieval(" All of it. ")] == ["All of it."]
    assert split_retrieval("") == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"claims": ["one"]}, "question 0: 1 claims, but 2 auto_labels"),
        ({"claims": "one"}, "question 0, claims"),
        ({"retrieval": None}, "question 0, retrieval"),
        ({"output": 3}, "question 0, output"),
    ],
)
def test_errors_in_the_authors_format_name_the_question(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        read_examples(write(tmp_path, {"0": FRANQ["0"] | change}, name="x.json"))


@pytest.mark.parametrize(
    ("text", "message"), [("[", "not JSON"), ("[]", "one JSON object"), ("{}", "no question")]
)
def test_other_json_files(tmp_path, text, message):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InputError, match=message):
        read_examples(tmp_path / "x.json")
