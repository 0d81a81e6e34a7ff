"""The FRANQ score: the law of total probability over "is the claim faithful to the passages?".

P(true) = P(faithful) P(true | faithful) + (1 - P(faithful)) P(true | unfaithful), arXiv 2505.21072 eq. 2
and 5. Everything here is elementwise over N claims.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from franq_guard.errors import InputError
from franq_guard.uncertainty import get_signal

if TYPE_CHECKING:
    from franq_guard.calibration import Calibrator

FloatArray = NDArray[np.float64]

LONG_FORM = ("max_claim_probability", "parametric_knowledge")
SHORT_FORM = ("semantic_entropy", "sum_eigenvalues")


@dataclass(frozen=True, slots=True, eq=False)
class FranqScores:
    """The score of N claims and its three parts, each of shape (N,) and in [0, 1] or NaN.

    Attributes:
        p_true: P(the claim is true).
        p_faithful: P(the passages entail it), as it was used: 0 or 1 if a threshold was set.
        p_true_if_faithful: P(true | faithful).
        p_true_if_unfaithful: P(true | unfaithful).
    """

    p_true: FloatArray
    p_faithful: FloatArray
    p_true_if_faithful: FloatArray
    p_true_if_unfaithful: FloatArray


def mix(p_faithful: ArrayLike, p_true_if_faithful: ArrayLike, p_true_if_unfaithful: ArrayLike) -> FloatArray:
    """P(true), arXiv 2505.21072 eq. 2.

    Args:
        p_faithful: P(faithful), shape (N,); clipped to [0, 1].
        p_true_if_faithful: P(true | faithful), shape (N,), in [0, 1].
        p_true_if_unfaithful: P(true | unfaithful), shape (N,), in [0, 1].

    Returns:
        Shape (N,); always between the two conditional probabilities. NaN where any input is NaN.

    Raises:
        InputError: if the shapes differ or a conditional probability lies outside [0, 1].
    """
    weight = np.clip(np.asarray(p_faithful, dtype=np.float64), 0.0, 1.0)
    faithful = np.asarray(p_true_if_faithful, dtype=np.float64)
    unfaithful = np.asarray(p_true_if_unfaithful, dtype=np.float64)
    if not weight.shape == faithful.shape == unfaithful.shape:
        raise InputError(f"shapes differ: {weight.shape}, {faithful.shape}, {unfaithful.shape}")
    for name, values in (("p_true_if_faithful", faithful), ("p_true_if_unfaithful", unfaithful)):
        if np.any((values < 0) | (values > 1)):
            raise InputError(f"{name} must lie in [0, 1]; exponentiate log-probabilities or calibrate first")
    mixed = weight * faithful + (1 - weight) * unfaithful
    return np.clip(mixed, np.minimum(faithful, unfaithful), np.maximum(faithful, unfaithful))


def threshold_faithfulness(p_faithful: ArrayLike, at: float = 0.5) -> FloatArray:
    """Hard faithfulness, 1 where `p_faithful` > `at`, else 0 (arXiv 2505.21072, table 12).

    The inequality is strict: exactly `at` counts as unfaithful. NaN stays NaN. Shape and order are kept.
    """
    values = np.asarray(p_faithful, dtype=np.float64)
    return np.where(np.isnan(values), np.nan, (values > at).astype(np.float64))


def long_form(
    alignment: ArrayLike,
    faith_signal: ArrayLike,
    unfaith_signal: ArrayLike,
    *,
    calibrator: Calibrator | None = None,
    threshold: float | None = None,
    signals: tuple[str, str] = LONG_FORM,
) -> FranqScores:
    """Scores the claims of long answers.

    Args:
        alignment: AlignScore-style P(faithful), shape (N,), in [0, 1].
        faith_signal: a confidence given the passages, shape (N,): log p(claim | question, passages), or
            MaxNLI.
        unfaith_signal: a confidence without them, shape (N,): log p(claim | question).
        calibrator: turns the two signals into probabilities. Without one, log-probabilities are exponentiated
            and probabilities are taken as they are.
        threshold: if given, faithfulness is hard: 1 above it, else 0.
        signals: names of the two signals, read only without a calibrator, which knows its own.

    Returns:
        The scores; NaN for a claim with a NaN input.

    Raises:
        InputError: if shapes differ, a signal is +inf, or an uncalibrated signal has no probability scale.
    """
    return _score(alignment, (faith_signal, unfaith_signal), calibrator, threshold, signals, None)


def short_form(
    alignment: ArrayLike,
    faith_signal: ArrayLike,
    unfaith_signal: ArrayLike,
    *,
    samples: int,
    calibrator: Calibrator | None = None,
    threshold: float | None = None,
    signals: tuple[str, str] = SHORT_FORM,
) -> FranqScores:
    """Scores short answers, each one claim.

    Args:
        alignment: the best passage's AlignScore of question and answer, shape (N,), in [0, 1].
        faith_signal: a confidence, shape (N,): the negated semantic entropy.
        unfaith_signal: a confidence, shape (N,): the negated sum of eigenvalues.
        samples: how many answers were sampled for each question.
        calibrator: turns the two signals into probabilities. Without one, entropies become exp(-SE) and
            sums of eigenvalues (n - U) / (n - 1), clipped to [0, 1].
        threshold: if given, faithfulness is hard: 1 above it, else 0.
        signals: names of the two signals, read only without a calibrator, which knows its own.

    Returns:
        The scores; NaN for an answer with a NaN input.

    Raises:
        InputError: if shapes differ, a signal is +inf, or an uncalibrated signal has no probability scale.
    """
    return _score(alignment, (faith_signal, unfaith_signal), calibrator, threshold, signals, samples)


def _score(
    alignment: ArrayLike,
    confidences: tuple[ArrayLike, ArrayLike],
    calibrator: Calibrator | None,
    at: float | None,
    signals: tuple[str, str],
    samples: int | None,
) -> FranqScores:
    if calibrator is not None:
        p_faithful, if_faithful, if_unfaithful = calibrator.apply(alignment, *confidences)
    else:
        p_faithful = np.asarray(alignment, dtype=np.float64)
        if_faithful, if_unfaithful = (
            get_signal(name).probability(values, samples=samples)
            for name, values in zip(signals, confidences, strict=True)
        )
    weight = np.clip(p_faithful, 0.0, 1.0) if at is None else threshold_faithfulness(p_faithful, at)
    return FranqScores(mix(weight, if_faithful, if_unfaithful), weight, if_faithful, if_unfaithful)
