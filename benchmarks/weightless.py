"""Models that need no weights and cost nothing: what is left is the guard's own work."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from franq_guard import Guard
from franq_guard.models.base import FloatArray, Generation, Prompt, Tokens, TokenScores
from franq_guard.models.shared import SharedAlignmentModel, SharedLanguageModel

_TOLD, _UNTOLD = -0.1, -2.0


class WordsLM:
    """Every word is a token; those that the prompt contains are likelier.

    Args:
        seconds: what a call takes, without holding the interpreter.
        poison: a word for which it fails.
    """

    id = "words"
    max_context = 4096

    def __init__(self, *, seconds: float = 0.0, poison: str | None = None) -> None:
        self._seconds = seconds
        self._poison = poison

    def tokenize(self, text: str) -> Tokens:
        """Cuts at white space."""
        found = [match.span() for match in re.finditer(r"\S+", text)]
        return Tokens(text, tuple(range(len(found))), np.asarray(found, dtype=np.int64).reshape(-1, 2))

    def score(self, requests: Sequence[tuple[Prompt, Tokens]]) -> list[TokenScores]:
        """Looks each word up in the prompt."""
        time.sleep(self._seconds)
        if self._poison is not None and any(self._poison in tokens.text for _, tokens in requests):
            raise RuntimeError(f"{self._poison!r} is more than this model takes")
        return [self._scored(prompt, tokens) for prompt, tokens in requests]

    def _scored(self, prompt: Prompt, tokens: Tokens) -> TokenScores:
        words = set(prompt.user.lower().split())
        told = [tokens.text[start:end].lower() in words for start, end in tokens.offsets]
        return TokenScores(tokens, np.where(np.asarray(told, dtype=bool), _TOLD, _UNTOLD))

    def generate(self, prompts: Sequence[Prompt], *, max_new_tokens: int = 256) -> list[Generation]:
        """Always writes the same."""
        return [Generation("Tall.", self._scored(prompt, self.tokenize("Tall.")), -0.1) for prompt in prompts]

    def sample(self, prompt: Prompt, *, n: int = 10, **_: Any) -> list[Generation]:
        """Always draws the same."""
        return self.generate([prompt] * n)


class WordsAligner:
    """P(aligned) is the share of the claim's words that the context has."""

    id = "word-overlap"
    languages = None

    def score(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Looks each word up in the context."""
        rows = np.zeros((len(pairs), 3))
        for row, (context, claim) in enumerate(pairs):
            wanted, there = claim.lower().split(), set(context.lower().split())
            share = sum(word in there for word in wanted) / max(1, len(wanted))
            rows[row] = share, 1 - share, 0
        return rows


def weightless_guard(*, seconds: float = 0.0, poison: str | None = None, **settings: Any) -> Guard:
    """A guard over these models, which does all of its work each time.

    Args:
        seconds: see `WordsLM`.
        poison: likewise.
        settings: of `GuardConfig`.
    """
    lm = SharedLanguageModel(WordsLM(seconds=seconds, poison=poison), remembered=0)
    return Guard(
        language_model=lm,
        alignment_model=SharedAlignmentModel(WordsAligner(), remembered=0),
        **settings,
    )
