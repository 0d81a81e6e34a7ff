"""Whether any passage entails the claim rather than contradicts it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import as_probabilities
from franq_guard.errors import InputError


def max_nli(entailed: ArrayLike, contradicted: ArrayLike) -> float:
    """MaxNLI: a confidence, higher is likelier true.

    The best passage's P_e / (P_e + P_c), arXiv 2505.21072v2 eq. 4. Neutral mass is left out, so an almost
    purely neutral passage can give 1/2; where P_e + P_c = 0 the ratio is defined as 1/2.

    Args:
        entailed: P_e of each passage (premise) and the claim (hypothesis), shape (k,), in [0, 1].
        contradicted: P_c, likewise.

    Returns:
        In [0, 1]; NaN if an input is NaN.

    Raises:
        InputError: if there is no passage, the shapes differ, or a value is not a probability.
    """
    p_e = as_probabilities(entailed, "entailed")
    p_c = as_probabilities(contradicted, "contradicted")
    if p_e.ndim != 1 or p_e.size == 0 or p_e.shape != p_c.shape:
        raise InputError(f"MaxNLI needs one pair per passage, got shapes {p_e.shape} and {p_c.shape}")
    total = p_e + p_c
    ratios = np.divide(p_e, total, out=np.full_like(total, 0.5), where=total != 0)
    return float(ratios.max())
