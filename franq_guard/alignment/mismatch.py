"""Where a claim's numbers, dates and negations differ from a window's: what alignment models overlook."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from franq_guard.alignment.lexical_index import surroundings
from franq_guard.alignment.splitters import SplitFunction
from franq_guard.alignment.windows import Window
from franq_guard.models.base import FloatArray, IntArray
from franq_guard.quantities import (
    Difference,
    Quantity,
    Relation,
    differences,
    negation_differs,
    quantities,
)

FEATURES = ("different", "finer", "negated")
"""The columns of `MismatchIndex.features`."""

_SMALLEST = 1e-6


@dataclass(frozen=True, slots=True)
class MismatchPenalty:
    """Lowers the score of windows that differ from the claim in what can be compared exactly.

        logit P(faithful) = logit score + sum_i w_i f_i

    with f the features of `MismatchIndex` and all weights at most 0: a log-likelihood ratio, fitted with the
    score as an offset, so that it goes with any alignment model.

    Attributes:
        weights: one for each of `FEATURES`.
        name: what the aligner's id shows.
    """

    weights: tuple[float, ...]
    name: str = "mismatch"

    @classmethod
    def embedded(cls) -> MismatchPenalty:
        """The weights of mismatch_penalty.json, which says what they were fitted on."""
        text = files("franq_guard.alignment").joinpath("mismatch_penalty.json").read_text(encoding="utf-8")
        weights = json.loads(text)["weights"]
        return cls(tuple(weights[name] for name in FEATURES))

    def apply(self, scores: FloatArray, features: FloatArray) -> FloatArray:
        """Lowered scores.

        Args:
            scores: of each window, in [0, 1]; shape (R,).
            features: see `MismatchIndex.features`; shape (R, 3).

        Returns:
            Shape (R,), in [0, 1]; what has no mismatch stays exactly as it is.
        """
        shift = features @ np.asarray(self.weights)
        clipped = np.clip(scores, _SMALLEST, 1 - _SMALLEST)
        lowered = 1.0 / (1.0 + np.exp(-(np.log(clipped) - np.log1p(-clipped) + shift)))
        return np.where(shift == 0, scores, lowered)


class MismatchIndex:
    """What a list of windows says in numbers, with what stands around each.

    Args:
        windows: in the order of the text.
        split: the sentence splitter.
    """

    def __init__(self, windows: Sequence[Window], split: SplitFunction) -> None:
        self._windows = windows
        self._split = split
        self._first, self._after = surroundings(windows)
        self._sentences: dict[int, list[str]] = {}

    def features(self, claim: str, rows: IntArray) -> FloatArray:
        """Which windows speak of a claim's numbers or negations, but say something else.

        A number counts as borne out if the window's surroundings in the same passage have it.

        Args:
            claim: one sentence of a claim.
            rows: indices of the windows asked for, shape (R,).

        Returns:
            Shape (R, 3), columns as in `FEATURES`: 1 if a number, date or unit differs from the window's; 1
            if
            one is more precise than the window's; 1 if the window says the opposite in nearly the same words.
        """
        found = np.zeros((len(rows), len(FEATURES)))
        wanted = quantities(claim)
        for at, row in enumerate(rows):
            relations = [difference.relation for difference in self.differences(wanted, int(row))]
            found[at] = (
                Relation.DIFFERENT in relations,
                Relation.FINER in relations,
                negation_differs(claim, self._sentences_of(int(row))) is not None,
            )
        return found

    def differences(self, wanted: Sequence[Quantity], row: int) -> tuple[Difference, ...]:
        """Where a window differs from a claim's quantities, those aside that its surroundings bear out."""
        window = self._windows[row]
        left = differences(wanted, quantities(window.text)) if wanted else ()
        if not left or window.table_row:
            return left
        nearby = [
            quantity
            for other in self._windows[self._first[row] : self._after[row]]
            if not other.table_row
            for quantity in quantities(other.text)
        ]
        still = {difference.claim for difference in differences([d.claim for d in left], nearby)}
        return tuple(difference for difference in left if difference.claim in still)

    def _sentences_of(self, row: int) -> list[str]:
        if row not in self._sentences:
            self._sentences[row] = [span.text for span in self._split(self._windows[row].text)]
        return self._sentences[row]
