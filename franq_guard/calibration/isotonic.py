"""A monotone map from a signal to a probability: isotonic regression, kept as its knots."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

FLOOR = -1e4
"""Signals below this, -inf included, count as this: log-probabilities too small to tell apart."""

_Y_DIGITS = 10
_TOLERANCE = 2e-10


@dataclass(frozen=True, slots=True)
class MonotoneMap:
    """A piecewise linear, non-decreasing function with values in [0, 1]; constant outside its knots.

    Attributes:
        x: where the knots are, strictly increasing, at least one.
        y: the values there, non-decreasing, in [0, 1].

    Raises:
        ValueError: on construction, if the knots are not as described; the text names the first bad one.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid", "allow_inf_nan": False, "strict": True}

    x: tuple[float, ...]
    y: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y) or not self.x:
            raise ValueError(f"needs as many x as y and at least one, got {len(self.x)} and {len(self.y)}")
        x, y = np.asarray(self.x, dtype=np.float64), np.asarray(self.y, dtype=np.float64)
        for name, bad in (
            ("x must be finite", ~np.isfinite(x)),
            ("y must lie in [0, 1]", ~((y >= 0) & (y <= 1))),
            ("x must increase", np.append(False, np.diff(x) <= 0)),
            ("y must not decrease", np.append(False, np.diff(y) < 0)),
        ):
            if bad.any():
                knot = int(np.argmax(bad))
                raise ValueError(f"{name}, but knot {knot} is ({self.x[knot]}, {self.y[knot]})")

    @classmethod
    def fit(cls, signal: FloatArray, labels: FloatArray, *, min_rows: int = 1) -> MonotoneMap:
        """Least squares under the constraint that the values do not decrease; equal signals are averaged.

        Knots are rounded to the fewest digits that keep every prediction within 1e-9.

        Args:
            signal: higher is likelier 1, shape (N,), N >= 1, no NaN and no +inf.
            labels: 0 or 1, shape (N,).
            min_rows: steps that rest on fewer rows are merged with their neighbour: a handful of rows at an
                end would else claim certainty. 1 is plain isotonic regression.
        """
        from sklearn.isotonic import IsotonicRegression

        model = IsotonicRegression(y_min=0.0, y_max=1.0, increasing=True, out_of_bounds="clip")
        model.fit(np.maximum(signal, FLOOR), labels)
        x = np.asarray(model.X_thresholds_, dtype=np.float64)
        y = np.asarray(model.y_thresholds_, dtype=np.float64)
        if min_rows > 1:
            x, y = _merge_small_steps(np.maximum(signal, FLOOR), labels, model, min_rows)
        if y[0] == y[-1]:
            x, y = x[:1], y[:1]
        y = y.round(_Y_DIGITS)
        return cls(_shorten(x, y), tuple(y.tolist()))

    def __call__(self, signal: ArrayLike) -> FloatArray:
        """The value at each signal, any shape; NaN where the signal is NaN."""
        values = np.maximum(np.asarray(signal, dtype=np.float64), FLOOR)
        # Interpolation may overshoot a knot by one unit in the last place, and a single knot swallows NaN.
        mapped = np.clip(np.interp(values, self.x, self.y), self.y[0], self.y[-1])
        return np.where(np.isnan(values), np.nan, mapped)


def _merge_small_steps(
    signal: FloatArray, labels: FloatArray, model: Any, min_rows: int
) -> tuple[FloatArray, FloatArray]:
    """Knots at both ends of each step, after every step has at least `min_rows` rows (or all of them)."""
    order = np.argsort(signal, kind="stable")
    fitted = model.predict(signal)[order]
    edges = [0, *(np.flatnonzero(np.diff(fitted) > 0) + 1).tolist(), fitted.size]
    sizes = np.diff(edges)
    while len(sizes) > 1 and sizes.min() < min_rows:
        small = int(sizes.argmin())
        means = [labels[order][a:b].mean() for a, b in pairwise(edges)]
        # The neighbour whose rate is nearer; the result stays monotone, since it lies between the two.
        below = means[small] - means[small - 1] if small > 0 else np.inf
        above = means[small + 1] - means[small] if small + 1 < len(means) else np.inf
        del edges[small if below <= above else small + 1]
        sizes = np.diff(edges)
    x: list[float] = []
    y: list[float] = []
    for a, b in pairwise(edges):
        rate = float(labels[order][a:b].mean())
        ends = dict.fromkeys((float(signal[order][a]), float(signal[order][b - 1])))
        x.extend(ends)
        y.extend([rate] * len(ends))
    return np.asarray(x), np.asarray(y)


def _shorten(x: FloatArray, y: FloatArray) -> tuple[float, ...]:
    """Drops digits of each x as long as neither the values nor the order of the knots notice."""
    if x.size == 1:
        return (float(x[0]),)
    gaps = np.diff(x)
    slopes = np.append(0.0, np.append(np.diff(y) / gaps, 0.0))
    room = np.append(gaps[0], np.append(np.minimum(gaps[:-1], gaps[1:]), gaps[-1])) / 1000
    steepest = np.maximum(slopes[:-1], slopes[1:])
    allowed = np.minimum(room, _TOLERANCE / np.maximum(steepest, _TOLERANCE))
    return tuple(
        _fewest_digits(value, slack) for value, slack in zip(x.tolist(), allowed.tolist(), strict=True)
    )


def _fewest_digits(value: float, slack: float) -> float:
    return next(
        (short for digits in range(16) if abs((short := round(value, digits)) - value) <= slack), value
    )
