"""Surprise per sampled answer, shared among answers that resemble each other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import as_log_probs, as_probabilities, log_sum_exp
from franq_guard.errors import InputError


def sentence_sar(log_probs: ArrayLike, similarity: ArrayLike, *, temperature: float = 0.001) -> float:
    """SentenceSAR: an uncertainty, higher is likelier false.

    (1/n) sum over i of -log(p_i + (1/tau) sum over j != i of p_j sim_ij) (Duan et al. 2024).

    Args:
        log_probs: log-probability of each sampled answer, its end token included, shape (n,), at most 0.
        similarity: of each two samples, shape (n, n), in [0, 1]; the diagonal is not read.
        temperature: tau, above 0; the smaller, the more similar samples count.

    Returns:
        In nats; negative when similar samples add up. NaN if an input is NaN.

    Raises:
        InputError: if shapes differ or values are out of range.
    """
    values = as_log_probs(log_probs)
    alike = as_probabilities(similarity, "similarity")
    if alike.shape != (values.size, values.size) or not temperature > 0:
        raise InputError(
            f"needs a similarity per pair and a temperature above 0, got shapes {values.shape} and"
            f" {alike.shape}, temperature {temperature}"
        )
    shared = np.log(alike, out=np.full_like(alike, -np.inf), where=alike != 0) - math.log(temperature)
    np.fill_diagonal(shared, 0.0)
    return 0.0 - float(log_sum_exp(shared + values[None, :]).mean())
