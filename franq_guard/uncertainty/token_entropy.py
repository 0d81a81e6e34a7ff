"""How spread out the model's next-token distributions are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import FloatArray, IntArray, select
from franq_guard.errors import InputError


def entropy(log_probs: ArrayLike) -> FloatArray:
    """The entropy of each distribution, H = -sum over v of p_v log p_v, in nats.

    Args:
        log_probs: natural log-probabilities over the whole vocabulary, shape (..., V); -inf for impossible
            tokens.

    Returns:
        Shape (...), in [0, log V]; NaN where an input is NaN.

    Raises:
        InputError: if a distribution does not sum to 1 within 1e-3.
    """
    values = np.asarray(log_probs, dtype=np.float64)
    probabilities = np.exp(values)
    if values.ndim == 0 or np.any(np.abs(probabilities.sum(axis=-1) - 1) > 1e-3):
        raise InputError(
            "entropy needs log-probabilities of the whole vocabulary, which sum to 1 when exponentiated"
        )
    terms = np.multiply(probabilities, values, out=np.zeros_like(values), where=probabilities != 0)
    return np.asarray(np.maximum(-terms.sum(axis=-1), 0.0), dtype=np.float64)


def mean_token_entropy(entropies: ArrayLike, tokens: Sequence[int] | IntArray | None = None) -> float:
    """Mean token entropy, (1/T') sum over t of H_t: an uncertainty, higher is likelier false.

    A long-form baseline of arXiv 2505.21072 (table 2).

    Args:
        entropies: the entropy at each answer token, shape (T,), nats, at least 0; see `entropy`.
        tokens: positions in [0, T) of the claim's tokens; None for the whole answer.

    Returns:
        At least 0; NaN if an input is NaN.

    Raises:
        InputError: if `tokens` is empty or out of range, or an entropy is negative.
    """
    return float(select(_as_entropies(entropies), tokens).mean())


def max_token_entropy(entropies: ArrayLike, tokens: Sequence[int] | IntArray | None = None) -> float:
    """Max token entropy, the largest H_t: an uncertainty, higher is likelier false.

    A short-form baseline of arXiv 2505.21072 (table 3). Arguments, range and errors as `mean_token_entropy`.
    """
    return float(select(_as_entropies(entropies), tokens).max())


def _as_entropies(values: ArrayLike) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0 or np.any(array < 0):
        raise InputError(
            f"entropies must be a non-empty vector of values of at least 0, got shape {array.shape}"
        )
    return array
