"""What comes in at the door."""

import pytest

from franq_guard.errors import InputError
from franq_guard.inputs import CheckInput, as_input, as_inputs, as_mapping_input, as_passages
from franq_guard.pipeline.handed_over import TokenLogProb
from franq_guard.schema import Passage

ITEM = {"question": "Q?", "passages": ["p"], "answer": "A."}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, ()),
        ([], ()),
        ((), ()),
        ("one text", (Passage("one text"),)),
        ("", (Passage(""),)),
        (Passage("p", id="7"), (Passage("p", id="7"),)),
        ({"text": "t"}, (Passage("t"),)),
        (["a", Passage("b")], (Passage("a"), Passage("b"))),
        ((text for text in ("a", "b")), (Passage("a"), Passage("b"))),
        ([{"page_content": "t", "metadata": {"page": 3}}], (Passage("t", metadata={"page": 3}),)),
        ([{"content": "t", "metadata": None, "id": 5}], (Passage("t", id="5"),)),
        ([{"text": "t", "title": "T", "source": "s"}], (Passage("t", title="T", source="s"),)),
    ],
)
def test_passages_come_in_many_forms(given, expected):
    assert as_passages(given) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "passages: expected a text or a sequence of passages, not int"),
        (b"bytes", "passages: .* not bytes"),
        (["a", 3], r"passages\[1\]: .* not int"),
        (["a", None], r"passages\[1\]: .* not None"),
        ([{"body": "t"}], r"passages\[0\]: no text under any of text, page_content, content"),
        ([{"text": 3}], r"passages\[0\]\.text: expected a str, not int"),
        ([{"page_content": None}], r"passages\[0\]\.page_content: expected a str, not None"),
        ([{"text": "t", "metadata": [1]}], r"passages\[0\]\.metadata: expected a mapping, not list"),
        ([Passage(3)], r"passages\[0\]\.text: expected a str, not int"),
    ],
)
def test_what_holds_no_text_is_named(given, message):
    with pytest.raises(InputError, match=message):
        as_passages(given)


@pytest.mark.parametrize("name", ["question", "answer"])
@pytest.mark.parametrize("value", [None, 3, b"bytes", ["list"]])
def test_a_wrong_type_names_its_argument(name, value):
    arguments = {"question": "Q?", "passages": [], "answer": "A."} | {name: value}
    with pytest.raises(InputError, match=f"^{name}: expected a str"):
        as_input(**arguments)


def test_log_probs_of_the_wrong_type_are_named():
    with pytest.raises(InputError, match=r"^token_log_probs"):
        as_input("Q?", [], "A.", 3)


def test_a_mapping_becomes_an_input():
    expected = CheckInput(question="Q?", passages=(Passage("p"),), answer="A.")
    assert as_mapping_input(ITEM) == expected
    assert as_mapping_input({"question": "Q?", "context": ["p"], "answer": "A."}) == expected
    assert as_mapping_input(expected) is expected
    assert as_mapping_input(ITEM | {"extra": 1}) == expected


def test_a_mapping_may_bring_log_probs():
    item = as_mapping_input(ITEM | {"token_log_probs": [("A.", -1)]})
    assert item.token_log_probs == (TokenLogProb(b"A.", -1.0),)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({}, "^here: question and passages and answer missing"),
        ({"question": "Q?", "passages": []}, "^here: answer missing; the keys are .*'passages', 'question'"),
        # A misspelt key must not pass for an answer without evidence.
        ({"question": "Q?", "passage": ["p"], "answer": "A."}, "^here: passages missing"),
        ([1], "^here: expected a mapping with question, passages and answer, not list"),
        (None, "^here: .* not None"),
        (ITEM | {"answer": 3}, "^here: answer: expected a str"),
        (ITEM | {"passages": [3]}, r"^here: passages\[0\]"),
        (ITEM | {"token_log_probs": [("A.", 1.0)]}, r"^here: token_log_probs\[0\]"),
    ],
)
def test_a_bad_mapping_says_where_and_what(item, message):
    with pytest.raises(InputError, match=message):
        as_mapping_input(item, where="here")


def test_many_items_are_numbered():
    assert len(as_inputs(iter([ITEM, ITEM]))) == 2
    with pytest.raises(InputError, match=r"^items\[1\]: "):
        as_inputs([ITEM, {}])


@pytest.mark.parametrize("items", [None, 3, "text", b"bytes", ITEM])
def test_what_is_no_sequence_of_items_is_refused(items):
    with pytest.raises(InputError, match=r"^items: expected a sequence of mappings"):
        as_inputs(items)


def test_a_character_in_two_halves_is_put_together_and_a_lone_half_stays():
    halves, whole = "It is \ud83d\ude00 tall.", "It is \U0001f600 tall."
    item = as_input(halves, [halves, Passage(halves), {"text": halves}], halves)
    assert (item.question, item.answer) == (whole, whole)
    assert [passage.text for passage in item.passages] == [whole] * 3
    for lone in ("a \ud83d b", "a \ude00\ud83d b", "\ud83d"):
        assert as_input(lone, [], lone).answer == lone
