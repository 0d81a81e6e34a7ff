"""Average surprise per token."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from franq_guard._arrays import IntArray, as_log_probs, select


def log_perplexity(log_probs: ArrayLike, tokens: Sequence[int] | IntArray | None = None) -> float:
    """The logarithm of the perplexity: an uncertainty, higher is likelier false.

    -(1/T') sum over t of log p_t, over the T' tokens of the claim (baseline of arXiv 2505.21072, table 1;
    Fomicheva et al. 2020).

    Args:
        log_probs: natural log-probabilities of the answer's tokens, shape (T,), at most 0.
        tokens: positions in [0, T) of the claim's tokens; None for the whole answer.

    Returns:
        At least 0, in nats per token; inf if a token is impossible, NaN if an input is NaN.

    Raises:
        InputError: if `tokens` is empty or out of range, or `log_probs` are not log-probabilities.
    """
    return 0.0 - float(select(as_log_probs(log_probs), tokens).mean())
