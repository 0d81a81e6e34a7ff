"""Surprise per token, weighted by how much each token matters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import as_log_probs, as_probabilities
from franq_guard.errors import InputError


def token_sar(log_probs: ArrayLike, similarity: ArrayLike) -> float:
    """TokenSAR: an uncertainty, higher is likelier false.

    -sum over t of (R_t / sum of R) log p_t, with relevance R_t = 1 - similarity of the text with and
    without token t (Duan et al. 2024). Where no token is relevant, all weigh the same.

    Args:
        log_probs: natural log-probabilities of the answer's tokens, shape (T,), at most 0.
        similarity: of question and answer with and without each token, shape (T,), in [0, 1].

    Returns:
        At least 0; NaN if an input is NaN.

    Raises:
        InputError: if shapes differ or values are out of range.
    """
    values = as_log_probs(log_probs)
    relevance = 1.0 - as_probabilities(similarity, "similarity")
    if relevance.shape != values.shape:
        raise InputError(f"needs one similarity per token, got shapes {values.shape} and {relevance.shape}")
    total = relevance.sum()
    weights = relevance / total if total != 0 else np.full_like(values, 1 / values.size)
    terms = np.multiply(weights, values, out=np.zeros_like(values), where=weights != 0)
    return 0.0 - float(terms.sum())
