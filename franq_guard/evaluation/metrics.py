"""How well confidences tell true claims from false ones.

The positive class of the ranking metrics is "false claim": a detector is good when it finds those.
Confidences are higher for claims that are likelier true. Rows with a NaN label (unverifiable claims) are
left out; a NaN confidence is an error, because leaving out what could not be scored flatters. Infinite
confidences rank beyond all finite ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import FloatArray, IntArray, as_labels, as_vector, equal_lengths
from franq_guard.errors import InputError

Metric = Callable[["Ranked", FloatArray], FloatArray]
"""Ranked rows and weights (B, N), how often each row counts -> values (B,)."""


def roc_auc(confidence: ArrayLike, true_labels: ArrayLike) -> float:
    """P(a false claim has lower confidence than a true one), ties counting 1/2.

    Args:
        confidence: shape (N,), higher is likelier true.
        true_labels: 1 or True for a true claim, 0 or False for a false one, NaN or None for neither; shape
            (N,).

    Returns:
        In [0, 1]; NaN if there is only one class.

    Raises:
        InputError: if lengths differ, a confidence is NaN, or a label is none of the above.
    """
    return _point(weighted_roc_auc, Ranked.of(confidence, true_labels))


def average_precision(confidence: ArrayLike, true_labels: ArrayLike) -> float:
    """PR-AUC as average precision, sum over n of (R_n - R_{n-1}) P_n, of finding false claims.

    Not the trapezoid rule. A constant confidence gives the share of false claims: report `false_rate`
    beside it. Arguments, range and errors as `roc_auc`.
    """
    return _point(weighted_average_precision, Ranked.of(confidence, true_labels))


def prediction_rejection_ratio(
    confidence: ArrayLike, true_labels: ArrayLike, *, max_rejection: float = 0.5
) -> float:
    """PRR: how close rejecting the least confident claims comes to rejecting the false ones.

    The prediction rejection ratio of Malinin et al. (2017), cut off at a largest rejection rate.

    With K = max(1, floor(max_rejection N)), Area = (1/K) sum over k < K of the share of true claims among
    the N - k most confident; PRR = (Area - Area of a random order) / (Area of the oracle - Area of a random
    order). The random order enters with its exact expectation, the share of true claims; so do ties.

    Args:
        confidence: shape (N,), higher is likelier true.
        true_labels: as for `roc_auc`.
        max_rejection: the largest share that may be rejected, in (0, 1].

    Returns:
        At most 1, the oracle; 0 is random, less is worse than random. NaN if there is only one class, or
        K = 1, where nothing is rejected.

    Raises:
        InputError: as `roc_auc`, and if `max_rejection` is out of range.
    """
    return _point(weighted_prr(max_rejection), Ranked.of(confidence, true_labels))


def expected_calibration_error(probabilities: ArrayLike, true_labels: ArrayLike, *, bins: int = 10) -> float:
    """ECE: sum over bins of (n_b / N) |mean label - mean probability|.

    Bins have equal width; the first is closed at both ends, the others are (low, high].

    Args:
        probabilities: P(true), shape (N,), in [0, 1].
        true_labels: as for `roc_auc`.
        bins: how many.

    Returns:
        In [0, 1]; NaN if no row has a label.

    Raises:
        InputError: as `roc_auc`, if a value is not a probability, or if `bins` is less than 1.
    """
    ranked = Ranked.of(probabilities, true_labels)
    ranked.require_probabilities()
    return _point(weighted_ece(bins), ranked)


def brier_score(probabilities: ArrayLike, true_labels: ArrayLike) -> float:
    """The mean squared difference of probability and label (Brier 1950).

    Args:
        probabilities: P(true), shape (N,), in [0, 1].
        true_labels: as for `roc_auc`.

    Returns:
        In [0, 1], 0 is best; NaN if no row has a label.

    Raises:
        InputError: as `roc_auc`, and if a value is not a probability.
    """
    ranked = Ranked.of(probabilities, true_labels)
    ranked.require_probabilities()
    return _point(weighted_brier, ranked)


def false_rate(true_labels: ArrayLike) -> float:
    """The share of false claims among the labelled: what a random score reaches as average precision."""
    labels = as_labels(true_labels, "true_labels")
    known = labels[~np.isnan(labels)]
    return float(1 - known.mean()) if known.size else float("nan")


def mean_ranks(values: ArrayLike) -> FloatArray:
    """The mean rank of each method over several data sets, 1 is best (arXiv 2505.21072, table 3).

    Args:
        values: a metric of which more is better, shape (methods, data sets), no NaN; ties share their mean
            rank.

    Returns:
        Shape (methods,), in [1, methods].

    Raises:
        InputError: if the table is empty, not two-dimensional, or holds NaN.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.size == 0 or np.isnan(table).any():
        raise InputError(f"needs a table (methods, data sets) without NaN, got shape {table.shape}")
    better = (table[None, :, :] > table[:, None, :]).sum(axis=1)
    equal = (table[None, :, :] == table[:, None, :]).sum(axis=1)
    return np.asarray((better + (equal + 1) / 2).mean(axis=1), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Labelled rows in increasing order of confidence.

    Attributes:
        scores: finite confidences, shape (N,).
        labels: 1 for true claims, 0 for false ones, shape (N,).
        rows: where each came from in the input, shape (N,).
    """

    scores: FloatArray
    labels: FloatArray
    rows: IntArray

    @classmethod
    def of(cls, confidence: ArrayLike, true_labels: ArrayLike) -> Ranked:
        """Checks, drops rows without a label, replaces infinities, sorts."""
        scores = as_vector(confidence, "confidence")
        labels = as_labels(true_labels, "true_labels")
        equal_lengths(confidence=scores, true_labels=labels)
        kept = np.flatnonzero(~np.isnan(labels))
        scores = scores[kept]
        if np.isnan(scores).any():
            row = int(kept[np.argmax(np.isnan(scores))])
            raise InputError(
                f"confidence[{row}] is NaN: leave unscored claims out, and report how many they are"
            )
        finite = scores[np.isfinite(scores)]
        low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
        scores = np.where(np.isposinf(scores), high + 1, np.where(np.isneginf(scores), low - 1, scores))
        order = np.argsort(scores, kind="stable")
        return cls(scores[order], labels[kept][order], kept[order])

    def require_probabilities(self) -> None:
        """Raises InputError unless all scores lie in [0, 1]."""
        if self.scores.size and (self.scores[0] < 0 or self.scores[-1] > 1):
            raise InputError("ECE and Brier score need probabilities in [0, 1]: calibrate first")

    def tied_sums(self, values: FloatArray) -> FloatArray:
        """Sums of values (B, N) over rows of equal score, shape (B, number of distinct scores)."""
        starts = np.flatnonzero(np.append(True, np.diff(self.scores) > 0))
        return np.asarray(np.add.reduceat(values, starts, axis=1), dtype=np.float64)


def weighted_roc_auc(ranked: Ranked, weights: FloatArray) -> FloatArray:
    """`roc_auc` for each row of weights (B, N); shape (B,)."""
    true = ranked.tied_sums(weights * ranked.labels)
    false = ranked.tied_sums(weights * (1 - ranked.labels))
    positives, negatives = false.sum(axis=1), true.sum(axis=1)
    true_above = negatives[:, None] - true.cumsum(axis=1)
    return _ratio((false * (true_above + true / 2)).sum(axis=1), positives * negatives)


def weighted_average_precision(ranked: Ranked, weights: FloatArray) -> FloatArray:
    """`average_precision` for each row of weights (B, N); shape (B,)."""
    false = ranked.tied_sums(weights * (1 - ranked.labels))
    rejected = ranked.tied_sums(weights).cumsum(axis=1)
    precision = false.cumsum(axis=1) / np.maximum(rejected, 1)
    positives = false.sum(axis=1)
    one_class = (positives == 0) | (positives == rejected[:, -1])
    return np.where(one_class, np.nan, _ratio((false * precision).sum(axis=1), positives))


def weighted_prr(max_rejection: float) -> Metric:
    """`prediction_rejection_ratio` for rows of weights (B, N), which are whole numbers."""
    if not 0 < max_rejection <= 1:
        raise InputError(f"max_rejection must lie in (0, 1], got {max_rejection}")

    def metric(ranked: Ranked, weights: FloatArray) -> FloatArray:
        kept = np.cumsum(ranked.tied_sums(weights)[:, ::-1], axis=1)
        true = np.cumsum(ranked.tied_sums(weights * ranked.labels)[:, ::-1], axis=1)
        return np.array([_prr(*row, max_rejection) for row in zip(kept, true, strict=True)])

    return metric


def weighted_ece(bins: int) -> Metric:
    """`expected_calibration_error` for rows of weights (B, N)."""
    if bins < 1:
        raise InputError(f"needs at least one bin, got {bins}")

    def metric(ranked: Ranked, weights: FloatArray) -> FloatArray:
        edges = np.linspace(0.0, 1.0, bins + 1)
        members = np.maximum(np.searchsorted(edges, ranked.scores, side="left") - 1, 0)
        surplus = weights @ (np.eye(bins)[members] * (ranked.labels - ranked.scores)[:, None])
        return _ratio(np.abs(surplus).sum(axis=1), weights.sum(axis=1))

    return metric


def weighted_brier(ranked: Ranked, weights: FloatArray) -> FloatArray:
    """`brier_score` for each row of weights (B, N); shape (B,)."""
    return _ratio(weights @ (ranked.scores - ranked.labels) ** 2, weights.sum(axis=1))


def weighted_false_rate(ranked: Ranked, weights: FloatArray) -> FloatArray:
    """`false_rate` for each row of weights (B, N); shape (B,)."""
    return _ratio(weights @ (1 - ranked.labels), weights.sum(axis=1))


def _point(metric: Metric, ranked: Ranked) -> float:
    return float(metric(ranked, np.ones((1, ranked.scores.size)))[0]) if ranked.scores.size else float("nan")


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    return np.divide(numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator != 0)


def _prr(kept: FloatArray, true: FloatArray, max_rejection: float) -> float:
    """PRR from cumulative counts of all and of true claims, one entry per distinct score, best first.

    Inside a tie, true claims are spread evenly, which is the expectation over all orders of the tie.
    """
    total, positives = kept[-1], true[-1]
    steps = max(1, int(max_rejection * total + 1e-9))
    sizes = np.arange(total - steps + 1, total + 1)
    random = positives / total
    area = (np.interp(sizes, np.append(0, kept), np.append(0, true)) / sizes).mean()
    oracle = (np.minimum(sizes, positives) / sizes).mean()
    return float((area - random) / (oracle - random)) if oracle - random > 1e-12 else float("nan")
