"""How far the sampled answers lie from their centre in the graph's spectral embedding."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from franq_guard.uncertainty.similarity_graph import laplacian_spectrum


def eccentricity(weights: ArrayLike, *, cutoff: float = 0.9) -> float:
    """Eccentricity: an uncertainty, higher is likelier false.

    The Frobenius norm of V with every column centred, where V holds the eigenvectors of the normalised
    Laplacian with eigenvalue < `cutoff` (Lin et al. 2024).

    Args:
        weights: likeness of n sampled answers, shape (n, n), in [0, 1]; see `similarity_graph`.
        cutoff: eigenvectors from here on are noise.

    Returns:
        In [0, sqrt(n)]; NaN if a weight is NaN.

    Raises:
        InputError: if the matrix is not square or empty, a weight lies outside [0, 1], or a row sums to 0.
    """
    values, vectors = laplacian_spectrum(weights)
    if np.isnan(values).any():
        return float("nan")
    kept = vectors[:, values < cutoff]
    return float(np.linalg.norm(kept - kept.mean(axis=0)))
