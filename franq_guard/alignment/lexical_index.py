"""For many windows at once: how much of a claim's words and numbers each one mentions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from franq_guard.alignment.lexical import Terms, tokenize
from franq_guard.alignment.windows import Window
from franq_guard.models.base import FloatArray, IntArray

SURROUNDINGS = 1500
"""How many characters before and after a window's start still count as its surroundings."""

FEATURES = ("words", "all_words", "numbers_missing")
"""The columns of `LexicalIndex.features`."""


class LexicalIndex:
    """Where the terms of a set of claims occur in a list of windows.

    Args:
        windows: in the order of the text.
        claims: the terms to look for; others are not indexed.
    """

    def __init__(self, windows: Sequence[Window], claims: Iterable[Terms]) -> None:
        self._size = len(windows)
        vocabulary = {word for claim in claims for word in claim.words | claim.numbers}
        postings: dict[str, list[int]] = {word: [] for word in vocabulary}
        for index, window in enumerate(windows):
            for word in vocabulary.intersection(tokenize(window.text)):
                postings[word].append(index)
        self._postings: dict[str, IntArray] = {
            word: np.asarray(rows, dtype=np.int64) for word, rows in postings.items()
        }
        self._first, self._after = surroundings(windows)

    def relevance(self, claim: Terms) -> FloatArray:
        """Sum of the inverse document frequencies of the claim's words in each window.

        Returns:
            Shape (W,), at least 0.
        """
        scores = np.zeros(self._size)
        for word in sorted(claim.words):
            rows = self._postings[word]
            scores[rows] += np.log1p(self._size / max(len(rows), 1))
        return scores

    def coverage(self, claim: Terms) -> FloatArray:
        """Share of the claim's words in each window: shape (W,), in [0, 1]; 0 for a claim without words."""
        return _share(self._occurrences(claim.words))

    def features(self, claim: Terms, rows: IntArray) -> FloatArray:
        """What the combiner looks at.

        Args:
            claim: the claim's terms.
            rows: indices of the windows asked for, shape (R,).

        Returns:
            Shape (R, 3), in [0, 1]; columns as in `FEATURES`, all for the window with its surroundings in
            the same passage: the share of the claim's words found there; 1 if that is all of them; the share
            of the claim's numbers that is lacking, 0 for a claim without any.
        """
        words = _share(self._nearby(self._occurrences(claim.words)))[rows]
        numbers = self._nearby(self._occurrences(claim.numbers))[rows]
        lacking = 1.0 - _share(numbers) if claim.numbers else np.zeros(len(rows))
        return np.stack([words, words == 1.0, lacking], axis=1)

    def _occurrences(self, words: frozenset[str]) -> NDArray[np.bool_]:
        """Shape (W, number of words)."""
        found = np.zeros((self._size, len(words)), dtype=np.bool_)
        for column, word in enumerate(sorted(words)):
            found[self._postings[word], column] = True
        return found

    def _nearby(self, found: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The same for each window together with its surroundings."""
        counts = np.zeros((self._size + 1, found.shape[1]), dtype=np.int64)
        np.cumsum(found, axis=0, out=counts[1:])
        return counts[self._after] > counts[self._first]


def _share(found: NDArray[np.bool_]) -> FloatArray:
    return found.mean(axis=1, dtype=np.float64) if found.shape[1] else np.zeros(len(found))


def surroundings(windows: Sequence[Window]) -> tuple[IntArray, IntArray]:
    """For each window the range of windows of its passage that start near it."""
    places = np.asarray([window.pieces[0][:2] if window.pieces else (0, 0) for window in windows])
    passage, start = places[:, 0].astype(np.int64), places[:, 1].astype(np.int64)
    stretch = int(start.max(initial=0)) + 2 * SURROUNDINGS + 1  # keeps passages apart on one axis
    position = passage * stretch + start
    first = np.searchsorted(position, position - SURROUNDINGS, side="left")
    after = np.searchsorted(position, position + SURROUNDINGS, side="right")
    return first.astype(np.int64), after.astype(np.int64)
