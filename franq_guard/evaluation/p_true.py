"""P(True): the language model is asked whether an answer or claim is true (Kadavath et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from franq_guard._arrays import FloatArray
from franq_guard.models.base import LanguageModel, Prompt

TRUE = "True"
_SYSTEM = "You judge whether statements are true. You reply with a single word."


def answer_prompt(question: str, answer: str) -> Prompt:
    """About a short answer as a whole: two lettered options, then the model's turn."""
    return Prompt(
        f"Question: {question}\nProposed answer: {answer}\n\n"
        "Which of the two is the proposed answer?\n(A) True\n(B) False\nThe proposed answer is:",
        _SYSTEM,
    )


def claim_prompt(question: str, claim: str) -> Prompt:
    """About one claim of a longer answer, without options."""
    return Prompt(
        f"Question: {question}\nA claim in the answer: {claim}\n\nIs this claim true or false? The claim is:",
        _SYSTEM,
    )


def true_log_probs(model: LanguageModel, prompts: Sequence[Prompt]) -> FloatArray:
    """The logarithm of p("True" | prompt), of all tokens of the word; shape (N,), at most 0."""
    word = model.tokenize(TRUE)
    scored = model.score([(prompt, word) for prompt in prompts])
    return np.array([float(scores.log_probs.sum()) for scores in scored])
