"""The points of the three pictures: reliability, precision and recall, rejection."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import FloatArray, IntArray
from franq_guard.errors import InputError
from franq_guard.evaluation.metrics import Ranked


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """A reliability diagram; all arrays have one entry per bin, NaN in empty ones.

    Attributes:
        edges: of the bins, shape (bins + 1,).
        counts: rows in each.
        predicted: mean P(true) of the rows.
        observed: share of true claims.
        low: lower end of the Wilson interval of `observed`.
        high: upper end.
    """

    edges: FloatArray
    counts: IntArray
    predicted: FloatArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class PrecisionRecall:
    """How well low confidence finds false claims; one entry per distinct confidence, lowest first.

    Attributes:
        recall: share of the false claims that were found, increasing to 1.
        precision: share of false claims among those found.
        false_rate: what a random order reaches.
    """

    recall: FloatArray
    precision: FloatArray
    false_rate: float


@dataclass(frozen=True, slots=True, eq=False)
class Rejection:
    """Share of true claims among those kept, when the least confident are rejected.

    Attributes:
        rejected: share rejected, from 0 to (N - 1) / N, shape (N,).
        quality: by this confidence; ties are spread evenly.
        oracle: if false claims went first.
        random: whatever is rejected.
    """

    rejected: FloatArray
    quality: FloatArray
    oracle: FloatArray
    random: float


def reliability(
    probabilities: ArrayLike, true_labels: ArrayLike, *, bins: int = 10, level: float = 0.95
) -> Reliability:
    """Predicted against observed frequency, in bins of equal width as in `expected_calibration_error`.

    Args:
        probabilities: P(true), shape (N,), in [0, 1].
        true_labels: as for `metrics.roc_auc`.
        bins: how many.
        level: of the Wilson score intervals (Wilson 1927), in (0, 1).

    Raises:
        InputError: as `expected_calibration_error`, and if `level` is out of range.
    """
    if bins < 1 or not 0 < level < 1:
        raise InputError(f"needs bins >= 1 and level in (0, 1), got {bins} and {level}")
    ranked = Ranked.of(probabilities, true_labels)
    ranked.require_probabilities()
    edges = np.linspace(0.0, 1.0, bins + 1)
    members = np.maximum(np.searchsorted(edges, ranked.scores, side="left") - 1, 0)
    counts = np.bincount(members, minlength=bins)
    with np.errstate(invalid="ignore"):
        predicted = np.bincount(members, ranked.scores, bins) / counts
        observed = np.bincount(members, ranked.labels, bins) / counts
    low, high = wilson_interval(observed, counts, level=level)
    return Reliability(edges, counts.astype(np.int64), predicted, observed, low, high)


def wilson_interval(
    share: FloatArray, counts: ArrayLike, *, level: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """The Wilson score interval of a share of `counts` rows; NaN where there are none. Shapes as given."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    n = np.asarray(counts, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def precision_recall(confidence: ArrayLike, true_labels: ArrayLike) -> PrecisionRecall:
    """Precision and recall of finding false claims; the area under the steps is `average_precision`.

    Args:
        confidence: shape (N,), higher is likelier true.
        true_labels: as for `metrics.roc_auc`.

    Raises:
        InputError: as `metrics.roc_auc`, and if there is only one class.
    """
    ranked = _with_both_classes(confidence, true_labels)
    false = ranked.tied_sums((1 - ranked.labels)[None])[0].cumsum()
    found = ranked.tied_sums(np.ones((1, ranked.scores.size)))[0].cumsum()
    return PrecisionRecall(false / false[-1], false / found, float(false[-1] / found[-1]))


def rejection(confidence: ArrayLike, true_labels: ArrayLike) -> Rejection:
    """Quality against share rejected; the area is what the prediction rejection ratio compares.

    Args:
        confidence: shape (N,), higher is likelier true.
        true_labels: as for `metrics.roc_auc`.

    Raises:
        InputError: as `metrics.roc_auc`, and if there is only one class.
    """
    ranked = _with_both_classes(confidence, true_labels)
    total = ranked.scores.size
    kept = ranked.tied_sums(np.ones((1, total)))[0][::-1].cumsum()
    true = ranked.tied_sums(ranked.labels[None])[0][::-1].cumsum()
    sizes = np.arange(total, 0, -1)
    return Rejection(
        rejected=1 - sizes / total,
        quality=np.interp(sizes, np.append(0, kept), np.append(0, true)) / sizes,
        oracle=np.minimum(sizes, true[-1]) / sizes,
        random=float(true[-1] / total),
    )


def _with_both_classes(confidence: ArrayLike, true_labels: ArrayLike) -> Ranked:
    ranked = Ranked.of(confidence, true_labels)
    if ranked.labels.size == 0 or ranked.labels.min() == ranked.labels.max():
        raise InputError("needs true and false claims: with one class there is nothing to tell apart")
    return ranked
