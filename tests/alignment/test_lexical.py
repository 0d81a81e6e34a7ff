from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.alignment.lexical import terms, tokenize
from franq_guard.alignment.lexical_index import FEATURES, SURROUNDINGS, LexicalIndex
from franq_guard.alignment.windows import EMPTY, Piece, Window


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,789 people", "1789 people"),
        ("3.50", "3.5"),
        ("3,5 m", "3.5 m"),
        ("two million", "2,000,000"),
        ("1.5 billion", "1500000000"),
        ("the 14th century", "the 14 century"),
        ("seven", "7"),
        ("٣٣٠", "330"),
        ("３３０", "330"),
        ("CAFÉ", "cafe"),
        ("completed", "complete"),
        ("cities", "city"),
        ("running", "run"),
        ("towers", "tower"),
        ("Straße", "strasse"),
    ],
)
def test_spellings_that_mean_the_same_meet(one: str, other: str) -> None:
    assert tokenize(one) == tokenize(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("330", "3300"), ("1.789", "1,789"), ("0.5", "5"), ("12.05.1987", "12.5"), ("1970s", "1970")],
)
def test_other_numbers_do_not_meet(one: str, other: str) -> None:
    assert tokenize(one) != tokenize(other)


def test_claim_terms() -> None:
    found = terms("The tower is 330 metres tall and was completed in 1889.")
    assert found.numbers == {"330", "1889"}
    assert found.words == {"tower", "330", "metr", "tall", "complet", "1889"}


def test_stop_words_count_only_if_there_is_nothing_else() -> None:
    assert terms("It is that.").words == {"it", "is", "that"}
    assert terms("…").words == frozenset()


def test_scripts_without_spaces_are_compared_by_pairs_of_characters() -> None:
    assert tokenize("灯塔很高") == ["灯塔", "塔很", "很高"]
    assert terms("灯塔").words <= set(tokenize("那座灯塔很高。"))


def test_vowel_signs_do_not_tear_words_apart() -> None:
    assert len(tokenize("दिल्ली भारत की राजधानी है")) == 5
    assert tokenize("مُحَمَّد") == tokenize("محمد")


@given(st.text(max_size=300))
def test_any_text_is_tokenised(text: str) -> None:
    assert all(tokenize(text))
    found = terms(text)
    assert found.numbers <= found.words | frozenset(tokenize(text))


def window(text: str, passage: int = 0, start: int = 0) -> Window:
    return Window(text, (Piece(passage, start, start + len(text)),))


def test_features_of_a_window_and_its_surroundings() -> None:
    claim = terms("The tower is 330 metres tall.")  # tower, 330, metr, tall
    windows = [
        window("The tower is tall."),
        window("It measures 330 metres.", start=100),
        window("The tower again.", start=100 + 2 * SURROUNDINGS),
        window("330 metres.", passage=1),
    ]
    index = LexicalIndex(windows, [claim])
    assert FEATURES == ("words", "all_words", "numbers_missing")
    np.testing.assert_allclose(
        index.features(claim, np.array([0, 1, 2, 3])),
        [[1.0, 1, 0], [1.0, 1, 0], [0.25, 0, 1], [0.5, 0, 0]],
    )
    np.testing.assert_allclose(index.coverage(claim), [0.5, 0.5, 0.25, 0.5])


def test_other_passages_do_not_change_a_windows_features() -> None:
    claim = terms("The tower is 330 metres tall.")
    own = [window("The tower is tall."), window("It is old.", start=50)]
    other = [window("330 metres tall.", passage=1), window("330 metres.", passage=2)]
    rows = np.array([0, 1])
    alone = LexicalIndex(own, [claim]).features(claim, rows)
    np.testing.assert_array_equal(LexicalIndex(own + other, [claim]).features(claim, rows), alone)


def test_rare_words_make_a_window_relevant() -> None:
    claim = terms("the tower of Hollow")
    windows = [window(f"A tower numbered {i}.", passage=i) for i in range(20)] + [
        window("At Hollow.", passage=20)
    ]
    assert LexicalIndex(windows, [claim]).relevance(claim).argmax() == 20


def test_nothing_to_look_for_and_nothing_to_look_in() -> None:
    nothing = terms("?!")
    index = LexicalIndex([EMPTY], [nothing])
    np.testing.assert_array_equal(index.features(nothing, np.array([0])), [[0, 0, 0]])
    np.testing.assert_array_equal(index.relevance(nothing), [0])
