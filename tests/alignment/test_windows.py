from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from franq_guard.alignment.windows import (
    EMPTY,
    SEPARATOR,
    Piece,
    cut,
    nli_sp_windows,
    reading_cost,
    sentence_windows,
    whole_window,
)
from franq_guard.claims import split_sentences
from franq_guard.schema import Span


def on_periods(text: str) -> list[Span]:
    found = re.finditer(r"[^.\s][^.]*\.?", text)
    return [Span.of(text, m.start(), m.start() + len(m[0].rstrip())) for m in found]


def passage_of(sentences: int, words: int) -> str:
    """So many sentences, so many words in all."""
    sizes = [words // sentences] * sentences
    sizes[-1] += words - sum(sizes)
    return " ".join(" ".join(["w"] * size) + "." for size in sizes)


@pytest.mark.parametrize(
    ("sentences", "words", "chunks"),
    [(10, 349, [10]), (10, 350, [5, 5]), (11, 400, [5, 5, 1]), (7, 1100, [1] * 7), (1, 800, [1])],
)
def test_we_5_chunk_sizes(sentences: int, words: int, chunks: list[int]) -> None:
    windows = nli_sp_windows([passage_of(sentences, words)], on_periods)
    assert [window.text.count(".") for window in windows] == chunks


def test_chunks_join_sentences_with_one_space_and_may_span_passages() -> None:
    passages = ["First one.\n\n  Second one.", "", " Third one. "]
    (window,) = nli_sp_windows(passages, on_periods)
    assert window.text == "First one. Second one. Third one."
    assert window.pieces == (Piece(0, 0, 25), Piece(2, 1, 11))


def test_no_text_is_scored_as_the_empty_string() -> None:
    for passages in ([], [""], ["  ", "\n"]):
        assert nli_sp_windows(passages, split_sentences) == [EMPTY]
        assert sentence_windows(passages, split_sentences) == [EMPTY]
        (whole,) = whole_window(passages)
        assert (whole.text.strip(), whole.pieces) == ("", ())


def test_sentences_are_grouped_with_overlap() -> None:
    windows = sentence_windows(["A a. B b. C c. D d. E e.", "F f."], on_periods, size=3, stride=2)
    assert [window.text for window in windows] == ["A a. B b. C c.", "C c. D d. E e.", "F f."]


def test_no_window_holds_only_what_the_one_before_held() -> None:
    windows = sentence_windows(["A a. B b. C c. D d."], on_periods, size=3, stride=1)
    assert [window.text for window in windows] == ["A a. B b. C c.", "B b. C c. D d."]


def test_windows_never_span_passages() -> None:
    windows = sentence_windows(["One.", "Two.", "Three."], on_periods)
    assert [window.pieces[0].passage for window in windows] == [0, 1, 2]


def test_over_long_sentences_and_words_are_cut() -> None:
    passage = "word " * 1000 + "x" * 5000
    windows = sentence_windows([passage], split_sentences, limit=100)
    assert max(reading_cost(window.text) for window in windows) <= 100
    assert "".join(passage.split()) == "".join("".join(w.text.split()) for w in windows)


texts = st.text(alphabet=st.sampled_from("abZ. \n!?—é灯ع\ud800\0-*|#"), max_size=200)


@example(passages=["???????????????????Z?Z?"], size=2, stride=1, limit=22)
@given(
    passages=st.lists(texts, max_size=4),
    size=st.integers(1, 4),
    stride=st.integers(1, 4),
    limit=st.integers(13, 40),
)
def test_every_character_is_in_a_window(passages: list[str], size: int, stride: int, limit: int) -> None:
    windows = sentence_windows(passages, split_sentences, size=size, stride=min(stride, size), limit=limit)
    seen: set[tuple[int, int]] = set()
    for window in windows:
        assert window.text == "".join(passages[p][start:end] for p, start, end in window.pieces)
        assert reading_cost(window.text) <= limit
        seen.update((p, i) for p, start, end in window.pieces for i in range(start, end))
    wanted = {(p, i) for p, text in enumerate(passages) for i, char in enumerate(text) if not char.isspace()}
    assert wanted <= seen


@given(passages=st.lists(texts, max_size=4))
def test_every_sentence_is_in_a_chunk_with_its_place(passages: list[str]) -> None:
    context = SEPARATOR.join(passages)
    windows = nli_sp_windows(passages, split_sentences)
    sentences = split_sentences(context)
    assert " ".join(window.text for window in windows) == " ".join(span.text for span in sentences)
    for window in windows:
        inside = "".join(passages[p][start:end] for p, start, end in window.pieces)
        assert "".join(inside.split()) == "".join(window.text.split())


@given(text=texts, limit=st.integers(1, 10))
def test_cut_keeps_everything_in_order(text: str, limit: int) -> None:
    ranges = list(cut(text, 0, len(text), limit))
    assert "".join("".join(text[a:b].split()) for a, b in ranges) == "".join(text.split())
    assert all(b <= c for (_, b), (c, _) in itertools.pairwise(ranges))
    assert all(0 < reading_cost(text[a:b]) <= limit for a, b in ranges)


def test_cut_respects_its_bounds() -> None:
    assert list(cut("one two three", 4, 7, 10)) == [(4, 7)]
