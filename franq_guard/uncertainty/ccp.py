"""Claim conditioned probability: how sure the model is of what it says, not of how it puts it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import ROUNDING, IntArray, log_sum_exp, select
from franq_guard.errors import InputError
from franq_guard.uncertainty.semantic_classes import Relation


def combine_relations(forward: ArrayLike, backward: ArrayLike) -> IntArray:
    """One relation from the two directions of a pair (Fadeeva et al. 2024).

    Equal relations stay; entailment one way and contradiction the other is neutral; else the one that is
    not neutral.

    Args:
        forward: values of `Relation`, any shape.
        backward: values of `Relation`, the same shape.

    Returns:
        Values of `Relation`, the same shape.

    Raises:
        InputError: if the shapes differ.
    """
    first, second = np.asarray(forward, dtype=np.int64), np.asarray(backward, dtype=np.int64)
    if first.shape != second.shape:
        raise InputError(f"shapes differ: {first.shape} and {second.shape}")
    combined: IntArray = np.clip(
        first + second - Relation.NEUTRAL, Relation.CONTRADICTION, Relation.ENTAILMENT
    )
    return combined


def ccp_log_prob(
    log_probs: ArrayLike,
    alternatives: ArrayLike,
    *,
    tokens: Sequence[int] | IntArray | None = None,
    stop_words: ArrayLike | None = None,
) -> float:
    """Claim conditioned probability, as a logarithm: a confidence, higher is likelier true.

    sum over t in S(c) of log CCP_t, with CCP_t = P(greedy token and alternatives that entail it) / P(those
    and alternatives that contradict it); neutral alternatives are left out (Fadeeva et al. 2024).

    Args:
        log_probs: log-probabilities of the likeliest tokens at each position, the greedy one first, shape
            (T, K).
        alternatives: `Relation` of the greedy token and each alternative, shape (T, K); the first column is
            not read: a token entails itself.
        tokens: positions in [0, T) of the claim's tokens; None for the whole answer.
        stop_words: True where the greedy token is a function word, which says nothing: CCP_t = 1 there;
            shape (T,).

    Returns:
        A natural logarithm, at most 0; NaN if an input is NaN, or if neither entailing nor contradicting
        alternatives have any mass.

    Raises:
        InputError: if `tokens` is empty or out of range, shapes differ, or `log_probs` are not
            log-probabilities.
    """
    values = np.asarray(log_probs, dtype=np.float64)
    kinds = np.array(alternatives, dtype=np.int64)
    if values.ndim != 2 or values.size == 0 or kinds.shape != values.shape:
        raise InputError(f"needs two arrays of shape (T, K), got {values.shape} and {kinds.shape}")
    if np.any(values > ROUNDING):
        raise InputError("log-probabilities are at most 0; pass natural logarithms, not probabilities")
    kinds[:, 0] = Relation.ENTAILMENT
    entailed = log_sum_exp(np.where(kinds == Relation.ENTAILMENT, values, -np.inf))
    decided = log_sum_exp(np.where(kinds == Relation.NEUTRAL, -np.inf, values))
    with np.errstate(invalid="ignore"):
        ratios = entailed - decided
    if stop_words is not None:
        ratios = np.where(np.asarray(stop_words, dtype=np.bool_), 0.0, ratios)
    return float(np.minimum(select(ratios, tokens), 0.0).sum())
