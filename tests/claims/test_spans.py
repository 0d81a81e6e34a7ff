from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.claims import locate_claim, match_words, spans_to_tokens, split_sentences
from tests.claims.texts import patient, texts

SENTENCE = "Paris, the capital of France, has parks."
TOKENS = ["Par", "is", ",", " the", " capital", " of", " France", ",", " has", " parks", "."]
"""Worked example 3 of the reference rule."""


def offsets(tokens: list[str]) -> np.ndarray:
    ends = np.cumsum([len(token) for token in tokens])
    return np.stack([ends - [len(token) for token in tokens], ends], axis=1)


def located(answer: str, claim: str, **options: int) -> list[str] | None:
    spans = locate_claim(split_sentences(answer), claim, **options)
    if spans is None:
        return None
    assert all(answer[span.start : span.end] == span.text for span in spans)
    return [span.text for span in spans]


def test_words_in_order_give_tokens() -> None:
    ranges = match_words(SENTENCE, ["Paris", "capital", "France"])
    assert ranges == [(0, 5), (11, 18), (22, 28)]
    assert spans_to_tokens(offsets(TOKENS), ranges) == [0, 1, 4, 6]


@pytest.mark.parametrize("words", [["France", "Paris"], ["Par"], ["aris"], ["paris"], ["Paris", "Paris"]])
def test_words_that_do_not_match(words: list[str]) -> None:
    assert match_words(SENTENCE, words) is None


def test_digits_guard_a_match_only_if_strict() -> None:
    assert match_words("in 1849 x", ["18"]) == [(3, 5)]
    assert match_words("in 1849 x", ["18"], strict=True) is None
    assert match_words("in 1849 x", ["1849"], strict=True) == [(3, 7)]


def test_a_match_at_the_edges() -> None:
    assert match_words("Paris", ["Paris"]) == [(0, 5)]
    assert match_words("", ["Paris"]) is None
    assert match_words("Paris", ["", "Paris"]) == [(0, 5)]
    assert match_words("xParis Paris", ["Paris"]) == [(7, 12)]


def test_a_later_occurrence_is_found_after_an_earlier_word() -> None:
    assert match_words("No. Yes. No.", ["Yes", "No"]) == [(4, 7), (9, 11)]


def test_tokens_without_characters_are_passed_over() -> None:
    table = np.array([[0, 0], [0, 2], [2, 2], [2, 4], [4, 4]])
    assert spans_to_tokens(table, [(2, 3)]) == [3]
    assert spans_to_tokens(table, [(0, 4)]) == [1, 3]
    assert spans_to_tokens(table, []) == []
    assert spans_to_tokens(np.empty((0, 2), dtype=np.int64), [(0, 1)]) == []


def test_pieces_of_one_character_are_all_taken() -> None:
    assert spans_to_tokens(np.array([[0, 1], [1, 2], [1, 2], [1, 2], [2, 3]]), [(1, 2)]) == [1, 2, 3]


@patient
@given(
    st.lists(st.integers(0, 4), max_size=20),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=4),
)
def test_tokens_are_those_that_overlap(lengths: list[int], ranges: list[tuple[int, int]]) -> None:
    table = offsets(["x" * length for length in lengths]).astype(np.int64).reshape(-1, 2)
    expected = [
        at
        for at, (start, end) in enumerate(table)
        if any(max(start, left) < min(end, right) for left, right in ranges)
    ]
    assert spans_to_tokens(table, ranges) == expected


ANSWER = (
    "The Eiffel Tower is in Paris. It was built in 1889, and it is 330 metres tall. "
    "France has 67 million people. Paris has 2 million people. Paris is not in Germany."
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The Eiffel Tower is in Paris.", ["The Eiffel Tower is in Paris"]),
        ("The Eiffel Tower was built in 1889.", ["was built in 1889"]),
        ("The Eiffel Tower is 330 metres tall.", ["is 330 metres tall"]),
        ("Paris has 2 million people", ["Paris has 2 million people"]),
        ("Paris is not in Germany.", ["Paris is not in Germany"]),
        ("Paris has 67 million people.", None),
        ("The Eiffel Tower was built in 1890.", None),
        ("Paris is in Germany.", None),
        ("The Eiffel Tower is not in Paris.", None),
        ("Bananas grow in tropical countries.", None),
        ("It is.", None),
        ("", None),
        ("word " * 500, None),
    ],
)
def test_claims_are_located(claim: str, expected: list[str] | None) -> None:
    assert located(ANSWER, claim) == expected


def test_gaps_give_several_spans() -> None:
    answer = "Paris is the capital of France and has 2 million people."
    assert located(answer, "Paris has 2 million people.") == ["Paris", "has 2 million people"]


def test_of_equal_sentences_the_one_after_start_is_taken() -> None:
    answer = "It rains. It snows. It rains."
    sentences = split_sentences(answer)
    assert locate_claim(sentences, "It rains.")[0].start == 0
    assert locate_claim(sentences, "It rains.", start=9)[0].start == 20


def test_half_of_the_content_words_must_match() -> None:
    answer = "Red apples grow here."
    assert located(answer, "Red apples taste sweet.") == ["Red apples"]
    assert located(answer, "Red pears taste sweet.") is None


def test_chinese_is_located_by_characters() -> None:
    assert located("巴黎是法国的首都。它很大。", "巴黎是法国首都") == ["巴黎是法国", "首都"]


@patient
@given(texts, texts)
def test_any_claim_gives_exact_spans_or_none(answer: str, claim: str) -> None:
    spans = locate_claim(split_sentences(answer), claim) or ()
    edges = [edge for span in spans for edge in (span.start, span.end)]
    assert edges == sorted(edges)
    assert all(answer[span.start : span.end] == span.text != "" for span in spans)
