"""What a calibrator remembers of the distribution of a signal: a handful of bins."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import FloatArray, IntArray

BINS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalSketch:
    """Shares of a signal's values between a few edges, about a hundred bytes of JSON.

    Attributes:
        name: of the signal; "alignment" and "p_true" are those of the score itself.
        edges: increasing, between the bins, at most `BINS` - 1; a value at an edge lies below it.
        shares: of the values in each bin, one more than there are edges; they add up to 1.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid", "allow_inf_nan": False, "strict": True}

    name: str
    edges: tuple[float, ...]
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.shares) != len(self.edges) + 1:
            raise ValueError(f"{len(self.shares)} shares do not go with {len(self.edges)} edges")
        if any(low >= high for low, high in pairwise(self.edges)):
            raise ValueError("edges must increase")
        if min(self.shares) < 0 or abs(sum(self.shares) - 1) > 0.01:
            raise ValueError("shares must not be negative, and add up to 1")

    @classmethod
    def of(cls, name: str, values: ArrayLike) -> SignalSketch:
        """Bins of about equal share, of values without NaN, shape (N,), N at least 1.

        Edges lie half-way between values, so that rounding does not move a value that occurs often into
        another bin.
        """
        found = np.asarray(values, dtype=np.float64)
        distinct, counts = np.unique(found, return_counts=True)
        below = np.cumsum(counts) / found.size
        edges: list[float] = []
        covered = 0.0
        for wanted in np.arange(1, BINS) / BINS:
            gap = int(np.abs(below - wanted).argmin())
            # A sliver of a bin would make a test of shares unreliable.
            if min(below[gap] - covered, 1 - below[gap]) < 0.5 / BINS:
                continue
            edge = float(f"{(distinct[gap] + distinct[gap + 1]) / 2:.6g}")
            # Values that differ by float noise only may round to one edge.
            if edges and edge <= edges[-1]:
                continue
            edges.append(edge)
            covered = float(below[gap])
        placed = np.searchsorted(edges, found, side="left")
        shares = np.bincount(placed, minlength=len(edges) + 1) / found.size
        return cls(name=name, edges=tuple(edges), shares=tuple(round(float(share), 4) for share in shares))

    def bins(self, values: FloatArray) -> IntArray:
        """The bin of each value, from 0; shape (N,)."""
        return np.searchsorted(self.edges, values, side="left").astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The distributions that a calibrator was fitted on.

    Attributes:
        answers: how many answers their claims are worth: claims of one answer are not independent.
        signals: one sketch each.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid", "allow_inf_nan": False, "strict": True}

    answers: float
    signals: tuple[SignalSketch, ...]

    def __post_init__(self) -> None:
        if self.answers <= 0:
            raise ValueError("a reference needs answers")


def worth(claims_per_answer: ArrayLike) -> float:
    """How many independent answers claims are worth, at least: as if claims of one answer were all alike.

    Args:
        claims_per_answer: counts, shape (A,).
    """
    counts = np.asarray(claims_per_answer, dtype=np.float64)
    return float(counts.sum() ** 2 / np.square(counts).sum()) if counts.any() else 0.0
