"""What the model answers when asked whether the claim is true."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import FloatArray, as_log_probs


def p_true_log_prob(true_log_probs: ArrayLike) -> FloatArray:
    """P(True), as a logarithm: a confidence, higher is likelier true (Kadavath et al. 2022).

    The model is shown question and claim, asked whether the claim is true, and the signal is the
    log-probability of the token `True` as the next one. The uncertainty is its negation.

    Args:
        true_log_probs: log p("True" | the question about each claim), shape (N,), at most 0.

    Returns:
        Shape (N,), at most 0; NaN where the input is.

    Raises:
        InputError: if the values are not log-probabilities.
    """
    return as_log_probs(np.atleast_1d(np.asarray(true_log_probs, dtype=np.float64)), "true_log_probs")
