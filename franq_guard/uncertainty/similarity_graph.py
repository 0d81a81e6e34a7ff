"""Graphs whose nodes are sampled answers and whose weights say how alike two of them are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import FloatArray, as_probabilities
from franq_guard.errors import InputError


def entailment_graph(entailed: ArrayLike) -> FloatArray:
    """Weights W_ij = (P_e(i, j) + P_e(j, i)) / 2, with W_ii = 1 (Lin et al. 2024).

    The diagonal is set to 1, so that identical answers count as exactly one meaning and no degree is 0.

    Args:
        entailed: P(sample j is entailed by sample i), shape (n, n), in [0, 1].

    Returns:
        Symmetric, shape (n, n), in [0, 1]; NaN where an input is NaN.

    Raises:
        InputError: if the matrix is not square, or a value is not a probability.
    """
    weights = symmetric(entailed)
    np.fill_diagonal(weights, 1.0)
    return weights


def contradiction_graph(contradicted: ArrayLike) -> FloatArray:
    """Weights W_ij = 1 - (P_c(i, j) + P_c(j, i)) / 2, with W_ii = 1 (Lin et al. 2024).

    Arguments, range and errors as `entailment_graph`, with probabilities of contradiction.
    """
    weights = 1.0 - symmetric(contradicted)
    np.fill_diagonal(weights, 1.0)
    return weights


def jaccard_graph(texts: Sequence[str]) -> FloatArray:
    """Weights W_ij = |A and B| / |A or B| over lower-cased words, with W_ii = 1 (Lin et al. 2024).

    Words are what white space separates. Two texts without a word are alike. Needs no model.

    Returns:
        Symmetric, shape (n, n), in [0, 1].

    Raises:
        InputError: if there is no text.
    """
    if not texts:
        raise InputError("needs at least one sampled answer")
    words = [frozenset(text.lower().split()) for text in texts]
    return np.array([[_jaccard(a, b) for b in words] for a in words], dtype=np.float64)


def symmetric(weights: ArrayLike) -> FloatArray:
    """(W + W^T) / 2 as a new array.

    Raises:
        InputError: if the matrix is not square or empty, or a weight lies outside [0, 1].
    """
    matrix = as_probabilities(weights, "weights")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        raise InputError(f"needs a square matrix of weights, got shape {matrix.shape}")
    return np.asarray((matrix + matrix.T) / 2, dtype=np.float64)


def laplacian_spectrum(weights: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues and eigenvectors of L = I - D^{-1/2} W D^{-1/2}, where D holds the row sums of W.

    Args:
        weights: shape (n, n), in [0, 1]; made symmetric first.

    Returns:
        Eigenvalues in [0, 2] in increasing order, shape (n,), and eigenvectors in columns, shape (n, n).
        All NaN if a weight is NaN.

    Raises:
        InputError: as `symmetric`, and if a sample is unlike every sample, itself included.
    """
    matrix = symmetric(weights)
    size = len(matrix)
    if np.isnan(matrix).any():
        return np.full(size, np.nan), np.full((size, size), np.nan)
    degrees = matrix.sum(axis=1)
    if np.any(degrees == 0):
        raise InputError("a row of weights sums to 0: set the diagonal to 1, as entailment_graph does")
    scale = 1 / np.sqrt(degrees)
    values, vectors = np.linalg.eigh(np.eye(size) - scale[:, None] * matrix * scale[None, :])
    return values, vectors


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a or b else 1.0
