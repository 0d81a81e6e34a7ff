"""How probable the claim's own words are without the passages: P(true | unfaithful) in long form."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from franq_guard._arrays import IntArray, as_log_probs, select


def parametric_log_prob(log_probs: ArrayLike, tokens: Sequence[int] | IntArray | None = None) -> float:
    """Parametric knowledge, as a logarithm: a confidence, higher is likelier true.

    log p(c | x) = sum over t in S(c) of log p(y_t | x, y_<t), FRANQ (arXiv 2505.21072) eq. 3: the same answer
    tokens, scored under the question alone. It is not normalised by length.

    Args:
        log_probs: natural log-probabilities of the answer's tokens under the prompt without passages,
            shape (T,), at most 0.
        tokens: positions in [0, T) of the tokens that express the claim; None for the whole answer.

    Returns:
        A natural logarithm, at most 0; -inf if a token is impossible, NaN if one of its log-probabilities
        is NaN.

    Raises:
        InputError: if `tokens` is empty or out of range, or `log_probs` are not log-probabilities.
    """
    return float(select(as_log_probs(log_probs), tokens).sum())
