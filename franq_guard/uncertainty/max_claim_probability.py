"""How probable the claim's own words are, given question and passages: P(true | faithful) in long form."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from franq_guard._arrays import IntArray, as_log_probs, select


def max_claim_log_prob(log_probs: ArrayLike, tokens: Sequence[int] | IntArray | None = None) -> float:
    """Max claim probability, as a logarithm: a confidence, higher is likelier true.

    log p(c | x, r) = sum over t in S(c) of log p(y_t | x, r, y_<t), FRANQ (arXiv 2505.21072) eq. 1. It is not
    normalised by length: a claim of more tokens is never more probable.

    Args:
        log_probs: natural log-probabilities of the answer's tokens under the prompt with the passages,
            shape (T,), at most 0.
        tokens: positions in [0, T) of the tokens that express the claim; None for the whole answer
            (max sequence probability).

    Returns:
        A natural logarithm, at most 0; -inf if a token is impossible, NaN if one of its log-probabilities
        is NaN.

    Raises:
        InputError: if `tokens` is empty or out of range, or `log_probs` are not log-probabilities.
    """
    return float(select(as_log_probs(log_probs), tokens).sum())


def max_claim_uncertainty(log_probs: ArrayLike, tokens: Sequence[int] | IntArray | None = None) -> float:
    """The negated `max_claim_log_prob`, at least 0: an uncertainty, higher is likelier false."""
    return 0.0 - max_claim_log_prob(log_probs, tokens)
