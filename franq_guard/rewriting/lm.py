"""Lets a language model put the hedge into a sentence, and takes its wording only if nothing new is in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from franq_guard.models.base import LanguageModel, Prompt
from franq_guard.rewriting.grammar import is_known_word
from franq_guard.rewriting.hedges import LANGUAGES, Hedged
from franq_guard.schema import ScoredClaim, Verdict

Accept = Callable[[str, str], bool]
"""(original, candidate) -> whether the original entails the candidate."""

_SYSTEM: Final = "You edit sentences. You reply with the edited sentence only, on one line, without comments."
_REASONS: Final = {
    Verdict.SUPPORTED: "it is uncertain",
    Verdict.NOT_CHECKWORTHY: "it is uncertain",
    Verdict.UNCHECKED: "it could not be checked",
    Verdict.NOT_MENTIONED: "the documents do not mention it",
    Verdict.CONTRADICTED: "the documents say otherwise",
}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![^\W_])[A-ZÀ-ÖØ-Þ][^\W_]*")
_MAX_GROWTH = 200
"""Characters a hedge may add."""
_CHARACTERS_PER_TOKEN = 2


class LMRewriter:
    """Rephrases doubtful sentences in English with a hedge.

    Args:
        language_model: writes the candidates.
        accept: tells whether the original sentence entails the candidate; built from an alignment model.
    """

    def __init__(self, language_model: LanguageModel, accept: Accept) -> None:
        self._model = language_model
        self._accept = accept

    def rephrase(self, sentences: Sequence[tuple[str, Sequence[ScoredClaim]]]) -> list[str | None]:
        """Rephrases sentences in one batch.

        Args:
            sentences: each with its claims, whose verdicts say why it is doubtful.

        Returns:
            The new wordings, in the same order; None where the candidate was not acceptable.
        """
        if not sentences:
            return []
        prompts = [Prompt(user=_ask(text, claims), system=_SYSTEM) for text, claims in sentences]
        longest = max(len(text) for text, _ in sentences) + _MAX_GROWTH
        generations = self._model.generate(prompts, max_new_tokens=longest // _CHARACTERS_PER_TOKEN)
        return [
            self._checked(text, generation.text)
            for (text, _), generation in zip(sentences, generations, strict=True)
        ]

    def _checked(self, original: str, candidate: str) -> str | None:
        candidate = _first_line(candidate)
        if not adds_nothing(original, candidate) or len(candidate) > len(original) + _MAX_GROWTH:
            return None
        if LANGUAGES["en"].hedged(candidate) is Hedged.NO:
            return None
        return candidate if self._accept(original, candidate) else None


def adds_nothing(original: str, candidate: str) -> bool:
    """True if every number and every name of the candidate is in the original, and no number got lost."""
    if not candidate.strip():
        return False
    numbers = set(_NUMBER.findall(original))
    if set(_NUMBER.findall(candidate)) != numbers:
        return False
    had = {word.lower() for word in re.findall(r"[^\W_]+", original)}
    names = {name.lower() for name in _NAME.findall(candidate)}
    return all(name in had or is_known_word(name) for name in names)


def _ask(text: str, claims: Sequence[ScoredClaim]) -> str:
    reasons = list(dict.fromkeys(_REASONS[claim.verdict] for claim in claims))
    return (
        f"Sentence: {text}\n\n"
        f"A reader must see that this sentence may be wrong, because {' and '.join(reasons)}. "
        "Write it again with a short hedge such as “possibly” or “reportedly”. Keep all names and numbers, "
        "and add no new facts."
    )


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    line = lines[0] if lines else ""
    if len(line) > 1 and line[0] in '"“' and line[-1] in '"”':
        line = line[1:-1].strip()
    return line
