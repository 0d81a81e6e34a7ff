"""Confidence intervals of metrics, by resampling whole questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import FloatArray, as_vector
from franq_guard.errors import InputError
from franq_guard.evaluation.metrics import (
    Metric,
    Ranked,
    weighted_average_precision,
    weighted_brier,
    weighted_ece,
    weighted_false_rate,
    weighted_prr,
    weighted_roc_auc,
)

_CHUNK = 64
"""Resamples at once: bounds the memory to a few arrays of 64 N numbers."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A metric with its confidence interval.

    Attributes:
        value: on the data as they are.
        low: lower end.
        high: upper end.
        undefined: share of the resamples on which the metric is undefined (one class only); left out of the
            interval.
    """

    value: float
    low: float
    high: float
    undefined: float = 0.0


def bootstrap(
    metrics: Mapping[str, Metric],
    confidence: ArrayLike,
    true_labels: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Interval]:
    """Percentile intervals of metrics, all on the same resamples; arguments as `evaluate`.

    Args:
        metrics: by name; see `franq_guard.evaluation.metrics`.
        confidence: shape (N,).
        true_labels: shape (N,).
        groups: which question each row belongs to, shape (N,).
        resamples: how many.
        level: in (0, 1).
        seed: of the resampling.

    Returns:
        One interval per metric, NaN where the metric is undefined.

    Raises:
        InputError: as `evaluate`.
    """
    drawn = _draw(metrics, confidence, true_labels, groups, resamples, level, seed)
    return {name: _interval(value, draws, level) for name, (value, draws) in drawn.items()}


def bootstrap_difference(
    metrics: Mapping[str, Metric],
    confidence: ArrayLike,
    other: ArrayLike,
    true_labels: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Interval]:
    """How much more a metric is of one method than of another, on the same resamples of the same claims.

    Two intervals that overlap say little about the difference: what is hard for one method is often hard for
    the other. An interval of the difference that holds no 0 says that one is better.

    Args:
        metrics: as for `bootstrap`.
        confidence: of the one, shape (N,).
        other: of the other, shape (N,).
        true_labels: shape (N,).
        groups: as for `bootstrap`.
        resamples: how many.
        level: in (0, 1).
        seed: of the resampling.

    Raises:
        InputError: as `bootstrap`.
    """
    one = _draw(metrics, confidence, true_labels, groups, resamples, level, seed)
    two = _draw(metrics, other, true_labels, groups, resamples, level, seed)
    return {
        name: _interval(one[name][0] - two[name][0], one[name][1] - two[name][1], level) for name in metrics
    }


def _draw(
    metrics: Mapping[str, Metric],
    confidence: ArrayLike,
    true_labels: ArrayLike,
    groups: ArrayLike | None,
    resamples: int,
    level: float,
    seed: int,
) -> dict[str, tuple[float, FloatArray]]:
    """Each metric on the data as they are, and on each resample."""
    if resamples < 1 or not 0 < level < 1:
        raise InputError(f"needs resamples >= 1 and level in (0, 1), got {resamples} and {level}")
    ranked = Ranked.of(confidence, true_labels)
    size = ranked.scores.size
    members = _members(groups, np.shape(confidence)[0])[ranked.rows]
    if size == 0:
        return dict.fromkeys(metrics, (np.nan, np.full(1, np.nan)))
    # Clusters are numbered by name, not by rank: the same seed draws the same ones for every method.
    names, places = np.unique(members, return_inverse=True)
    rng = np.random.default_rng(seed)
    drawn: dict[str, list[FloatArray]] = {name: [] for name in metrics}
    for start in range(0, resamples, _CHUNK):
        count = min(_CHUNK, resamples - start)
        times = rng.multinomial(names.size, np.full(names.size, 1 / names.size), count)
        weights = times[:, places].astype(np.float64)
        for name, metric in metrics.items():
            drawn[name].append(metric(ranked, weights))
    ones = np.ones((1, size))
    return {
        name: (float(metric(ranked, ones)[0]), np.concatenate(drawn[name]))
        for name, metric in metrics.items()
    }


def evaluate(
    confidence: ArrayLike,
    true_labels: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Interval]:
    """All metrics of one method, each with a bootstrap confidence interval.

    Args:
        confidence: shape (N,), higher is likelier true. ECE and Brier score are left out unless all lie in
            [0, 1].
        true_labels: as for `roc_auc`.
        groups: which question each claim belongs to, shape (N,). Claims of one answer are not independent,
            so whole questions are drawn. None if every claim stands alone.
        resamples: how many bootstrap resamples.
        level: of the percentile interval, in (0, 1).
        seed: of the resampling; the same seed gives the same resamples for every method.

    Returns:
        "roc_auc", "average_precision", "prr", "false_rate", and for probabilities "ece" and "brier".

    Raises:
        InputError: as `roc_auc`, and if `groups` has another length, or `resamples` or `level` is out of
            range.
    """
    metrics: dict[str, Metric] = {
        "roc_auc": weighted_roc_auc,
        "average_precision": weighted_average_precision,
        "prr": weighted_prr(0.5),
        "false_rate": weighted_false_rate,
    }
    scores = as_vector(confidence, "confidence")
    if np.all((scores >= 0) & (scores <= 1)):
        metrics |= {"ece": weighted_ece(10), "brier": weighted_brier}
    return bootstrap(metrics, scores, true_labels, groups=groups, resamples=resamples, level=level, seed=seed)


def _members(groups: ArrayLike | None, size: int) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    members = np.arange(size) if groups is None else np.asarray(groups)
    if members.shape != (size,):
        raise InputError(
            f"groups must name a question for each of the {size} rows, got shape {members.shape}"
        )
    return members


def _interval(value: float, draws: FloatArray, level: float) -> Interval:
    defined = draws[~np.isnan(draws)]
    undefined = 1 - defined.size / draws.size
    if defined.size == 0:
        return Interval(value, float("nan"), float("nan"), undefined)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Interval(value, float(low), float(high), undefined)
