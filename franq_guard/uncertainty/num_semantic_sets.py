"""How many groups of mutually entailing answers there are."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import as_probabilities
from franq_guard.errors import InputError


def num_semantic_sets(entailed: ArrayLike, contradicted: ArrayLike) -> float:
    """Number of semantic sets: an uncertainty, higher is likelier false.

    The number of connected components of the graph with an edge i-j where P_e > P_c in both directions
    (Lin et al. 2024). Chains merge: i and j may share a set without being linked themselves.

    Args:
        entailed: P(sample j is entailed by sample i), shape (n, n), in [0, 1].
        contradicted: P(sample j is contradicted by sample i), likewise.

    Returns:
        A whole number in [1, n]; NaN if an input is NaN.

    Raises:
        InputError: if the matrices are not square, empty or differ in shape, or a value is not a probability.
    """
    p_e = as_probabilities(entailed, "entailed")
    p_c = as_probabilities(contradicted, "contradicted")
    size = p_e.shape[0] if p_e.ndim == 2 else 0
    if size == 0 or p_e.shape != (size, size) or p_c.shape != p_e.shape:
        raise InputError(f"needs two square matrices of one size, got shapes {p_e.shape} and {p_c.shape}")
    if np.isnan(p_e).any() or np.isnan(p_c).any():
        return float("nan")
    linked = (p_e > p_c) & (p_e > p_c).T | np.eye(size, dtype=np.bool_)
    labels = np.arange(size)
    while True:
        spread = np.where(linked, labels, size).min(axis=1)
        if np.array_equal(spread, labels):
            return float(np.unique(labels).size)
        labels = spread
