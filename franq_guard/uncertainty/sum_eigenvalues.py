"""How many meanings the sampled answers have, as a real number: P(true | unfaithful) in short form."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import FloatArray
from franq_guard.errors import InputError
from franq_guard.uncertainty.similarity_graph import laplacian_spectrum


def sum_eigenvalues(weights: ArrayLike) -> float:
    """Sum of eigenvalues: an uncertainty, higher is likelier false.

    U = sum over k of max(0, 1 - lambda_k), lambda_k the eigenvalues of the graph's normalised Laplacian
    (Lin et al. 2024).

    Args:
        weights: likeness of n sampled answers, shape (n, n), in [0, 1]; see `similarity_graph`.

    Returns:
        In [1, n]: 1 if all mean the same, n if all differ. NaN if a weight is NaN.

    Raises:
        InputError: if the matrix is not square or empty, a weight lies outside [0, 1], or a row sums to 0.
    """
    values, _ = laplacian_spectrum(weights)
    return float(np.clip(np.maximum(0.0, 1.0 - values).sum(), 1.0, values.size))


def sum_eigenvalues_to_probability(sums: ArrayLike, samples: int) -> FloatArray:
    """P(true | unfaithful) without calibration: (n - U) / (n - 1), clipped to [0, 1].

    Args:
        sums: U, any shape.
        samples: n; with a single sample the result is 1.

    Returns:
        The shape of `sums`; NaN where it is NaN.

    Raises:
        InputError: if `samples` is less than 1.
    """
    values = np.asarray(sums, dtype=np.float64)
    if samples < 1:
        raise InputError(f"needs at least one sample, got {samples}")
    if samples == 1:
        return np.where(np.isnan(values), np.nan, 1.0)
    return np.clip((samples - values) / (samples - 1), 0.0, 1.0)
