"""How little the sampled answers resemble each other on average."""

from __future__ import annotations

from numpy.typing import ArrayLike

from franq_guard.uncertainty.similarity_graph import symmetric


def degree_matrix(weights: ArrayLike) -> float:
    """Degree matrix: an uncertainty, higher is likelier false.

    trace(n I - D) / n^2 = 1 - (1/n^2) sum over i, j of W_ij (Lin et al. 2024).

    Args:
        weights: likeness of n sampled answers, shape (n, n), in [0, 1]; see `similarity_graph`.

    Returns:
        In [0, 1], and at most 1 - 1/n if the diagonal is 1. NaN if a weight is NaN.

    Raises:
        InputError: if the matrix is not square or empty, or a weight lies outside [0, 1].
    """
    return float(1.0 - symmetric(weights).mean())
