"""Points of the charts of a page of many answers, in the units of their drawings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 320.0, 180.0
"""Size of the plotting area of a histogram, in units of its drawing; a reliability diagram is square."""
SIDE = 240.0
BINS = 10


@dataclass(frozen=True, slots=True)
class Bar:
    """One bin of the histogram.

    Attributes:
        low: its lower edge, in [0, 1].
        high: its upper edge.
        count: claims in it.
        x, y, width, height: the bar, y downwards.
        band: the look of claims in its middle.
    """

    low: float
    high: float
    count: int
    x: float
    y: float
    width: float
    height: float
    band: str


@dataclass(frozen=True, slots=True)
class Point:
    """One bin of the reliability diagram; x, y, y_low, y_high are places in the drawing, y downwards.

    Attributes:
        count: claims in it.
        predicted: mean P(true).
        observed: share of true claims.
        low: lower end of the 95% interval of `observed`.
        high: its upper end.
    """

    count: int
    predicted: float
    observed: float
    low: float
    high: float

    @property
    def x(self) -> float:
        """From the left."""
        return SIDE * self.predicted

    @property
    def y(self) -> float:
        """From the top."""
        return SIDE * (1 - self.observed)

    @property
    def y_low(self) -> float:
        """Lower end of the whisker."""
        return SIDE * (1 - self.low)

    @property
    def y_high(self) -> float:
        """Upper end of the whisker."""
        return SIDE * (1 - self.high)


@dataclass(frozen=True, slots=True)
class Tally:
    """How many claims have something in common, and that as a share of all, in [0, 1]."""

    name: str
    count: int
    share: float


@dataclass(frozen=True, slots=True)
class ReliabilityView:
    """A reliability diagram and what it says in one number."""

    points: tuple[Point, ...]
    claims: int
    error: float


def histogram(probabilities: Sequence[float]) -> tuple[Bar, ...]:
    """Counts in ten bins of equal width; the upper edge of a bin belongs to the next, but 1 to the last."""
    counts = [0] * BINS
    for value in probabilities:
        counts[min(int(value * BINS), BINS - 1)] += 1
    top, step = max([1, *counts]), WIDTH / BINS
    return tuple(
        Bar(
            low=number / BINS,
            high=(number + 1) / BINS,
            count=count,
            x=number * step + 1,
            y=HEIGHT * (1 - count / top),
            width=step - 2,
            height=HEIGHT * count / top,
            band=_band(number),
        )
        for number, count in enumerate(counts)
    )


def _band(number: int) -> str:
    return "high" if number >= 9 else "fair" if number >= 6 else "low" if number >= 3 else "verylow"


def tallies(counts: Mapping[str, int], total: int) -> tuple[Tally, ...]:
    """Those that occur, in the order given, named in plain words."""
    return tuple(
        Tally(name.replace("_", " "), count, count / total) for name, count in counts.items() if count
    )


def reliability_view(probabilities: Sequence[float], true: Sequence[bool]) -> ReliabilityView | None:
    """Predicted against observed frequencies of labelled claims; None without any."""
    if not probabilities:
        return None
    from franq_guard.evaluation.curves import reliability
    from franq_guard.evaluation.metrics import expected_calibration_error

    labels = [int(value) for value in true]
    found = reliability(probabilities, labels, bins=BINS)
    columns = (found.counts, found.predicted, found.observed, found.low, found.high)
    return ReliabilityView(
        points=tuple(
            Point(int(count), float(predicted), float(observed), float(low), float(high))
            for count, predicted, observed, low, high in zip(*columns, strict=True)
            if count
        ),
        claims=len(labels),
        error=float(expected_calibration_error(probabilities, labels, bins=BINS)),
    )
