"""How much the sampled answers disagree in meaning: P(true | faithful) in short form."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import FloatArray, IntArray, as_log_probs, log_sum_exp
from franq_guard.errors import InputError

Estimator = Literal["mean", "kuhn", "rao", "discrete", "direct"]


def semantic_entropy(log_probs: ArrayLike, classes: ArrayLike, *, estimator: Estimator = "mean") -> float:
    """Semantic entropy: an uncertainty, higher is likelier false.

    With l_i the log-probability of sample i, n samples in M classes, and log P(C) = logsumexp of l_i over i
    in C:

    - "mean": -(1/n) sum over samples of log P(C of the sample). What FRANQ (arXiv 2505.21072) most likely
      used.
    - "kuhn": -(1/M) sum over classes of log P(C) (Kuhn et al. 2023).
    - "rao": -sum over classes of p log p, with p(C) = P(C) / sum of P (Farquhar et al. 2024); there, l_i is
      the mean log-probability of the sample's tokens.
    - "discrete": -sum over classes of p log p, with p(C) = size of C / n (Farquhar et al. 2024); in [0, log
      n].
    - "direct": -sum over samples of P(C) log P(C).

    Repeated samples are counted each time, so P(C) can exceed 1 and "mean", "kuhn" and "direct" can be
    negative.

    Args:
        log_probs: log-probability of each sampled answer, its end token included, shape (n,), at most 0.
        classes: semantic class of each sample, whole numbers, shape (n,).
        estimator: which formula.

    Returns:
        In nats; inf ("mean", "kuhn") if a class is impossible. NaN if a needed input is NaN, or if all
        samples are impossible under "rao".

    Raises:
        InputError: if there is no sample, the shapes differ, or the estimator is unknown.
    """
    samples = as_log_probs(log_probs)
    labels = np.asarray(classes)
    if labels.shape != samples.shape:
        raise InputError(f"needs one class per sample, got shapes {samples.shape} and {labels.shape}")
    _, inverse = np.unique(labels, return_inverse=True)
    sizes = np.bincount(inverse)
    if estimator == "discrete":
        return _entropy(sizes / samples.size)
    if np.isnan(samples).any():
        return float("nan")
    class_log_probs = _class_log_probs(samples, inverse, sizes.size)
    if estimator == "mean":
        return 0.0 - float(class_log_probs[inverse].mean())
    if estimator == "kuhn":
        return 0.0 - float(class_log_probs.mean())
    if estimator == "rao":
        total = log_sum_exp(samples)
        return float("nan") if total == -np.inf else _entropy(np.exp(class_log_probs - total))
    if estimator == "direct":
        return float(sizes @ _terms(np.exp(class_log_probs)))
    raise InputError(f"unknown estimator {estimator!r}: choose mean, kuhn, rao, discrete or direct")


def entropy_to_probability(entropy: ArrayLike) -> FloatArray:
    """P(true | faithful) without calibration: exp(-SE), clipped to [0, 1]; NaN stays NaN. Any shape."""
    return np.exp(np.minimum(-np.asarray(entropy, dtype=np.float64), 0.0))


def _class_log_probs(samples: FloatArray, inverse: IntArray, count: int) -> FloatArray:
    totals = np.full(count, -np.inf)
    np.logaddexp.at(totals, inverse, samples)
    return totals


def _terms(probabilities: FloatArray) -> FloatArray:
    logs = np.log(probabilities, out=np.zeros_like(probabilities), where=probabilities > 0)
    return -probabilities * logs


def _entropy(probabilities: FloatArray) -> float:
    return max(0.0, float(_terms(probabilities).sum()))
