"""How sure a text sounds: words of doubt, of certainty, and refusals, by language.

The lists are data, one JSON file a language beside this module; `add_hedging_language` adds others. Entries
are regular expressions, matched without regard to case at word boundaries.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from franq_guard.errors import InputError

CATEGORIES = ("low", "middle", "weak", "emphatic", "refusals")
LANGUAGES = ("en", "de", "fr", "es")
"""ISO 639-1 codes of the languages with lists of their own."""


class Tone(StrEnum):
    """How a text states something."""

    REFUSED = "refused"
    DOUBTFUL = "doubtful"
    LIKELY = "likely"
    UNSURE = "unsure"
    PLAIN = "plain"
    EMPHATIC = "emphatic"


STATED_CONFIDENCE: Mapping[Tone, float | None] = {
    Tone.REFUSED: None,
    Tone.DOUBTFUL: 0.4,
    Tone.LIKELY: 0.7,
    Tone.UNSURE: 0.8,
    Tone.PLAIN: 0.9,
    Tone.EMPHATIC: 1.0,
}
"""The probability that readers are given to understand: conventions, not measurements."""


@dataclass(frozen=True, slots=True)
class HedgingLanguage:
    """The words of one language.

    Attributes:
        low: matches words of strong doubt ("perhaps").
        middle: matches words of mild doubt ("probably").
        weak: matches words that express doubt or something else, such as permission ("may"); in lower case
            only, so that months and names are left alone.
        emphatic: matches words of certainty ("definitely").
        refusals: matches ways to say that there is no answer.
    """

    low: re.Pattern[str]
    middle: re.Pattern[str]
    weak: re.Pattern[str]
    emphatic: re.Pattern[str]
    refusals: re.Pattern[str]

    @classmethod
    def from_lists(cls, lists: Mapping[str, Sequence[str]]) -> HedgingLanguage:
        """Makes a language from lists of regular expressions.

        Raises:
            InputError: if a list is missing or an entry is no regular expression.
        """
        missing = [name for name in CATEGORIES if name not in lists]
        if missing:
            raise InputError(
                f"a hedging language needs the lists {', '.join(CATEGORIES)}; missing: {missing}"
            )
        return cls(**{name: _pattern(name, lists[name]) for name in CATEGORIES})

    def doubts(self, text: str) -> bool:
        """True if a text surely expresses doubt."""
        return self.low.search(text) is not None or self.middle.search(text) is not None

    def opens_with_doubt(self, text: str) -> bool:
        """True if a text begins with an expression of doubt, which then holds for all that follows."""
        return self.low.match(text) is not None or self.middle.match(text) is not None

    def tone(self, text: str) -> Tone:
        """How a text states what it says; doubt wins over certainty, since it takes it back."""
        for tone, pattern in (
            (Tone.REFUSED, self.refusals),
            (Tone.DOUBTFUL, self.low),
            (Tone.LIKELY, self.middle),
            (Tone.UNSURE, self.weak),
            (Tone.EMPHATIC, self.emphatic),
        ):
            if _found(pattern, text):
                return tone
        return Tone.PLAIN


_NEGATED = re.compile(r"\b(?:not|n't|n’t|nicht|pas|no) $", re.IGNORECASE)


def _found(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a pattern matches outside the reach of a "not" directly before it."""
    return any(not _NEGATED.search(text[: match.start()]) for match in pattern.finditer(text))


def _pattern(name: str, entries: Sequence[str]) -> re.Pattern[str]:
    if isinstance(entries, str) or not all(isinstance(entry, str) and entry for entry in entries):
        raise InputError(f"the hedging list {name!r} must hold texts that are not empty")
    if not entries:
        return re.compile(r"(?!)")
    try:
        alternatives = "|".join(entries).replace(" ", r"\s")
        return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", 0 if name == "weak" else re.IGNORECASE)
    except re.error as error:
        raise InputError(f"the hedging list {name!r} holds no valid regular expression: {error}") from error


_added: dict[str, HedgingLanguage] = {}


def add_hedging_language(code: str, lists: Mapping[str, Sequence[str]]) -> None:
    """Adds a language, or replaces one.

    Args:
        code: ISO 639-1 code.
        lists: regular expressions for each of `CATEGORIES`.

    Raises:
        InputError: if a list is missing or an entry is no regular expression.
    """
    _added[code] = HedgingLanguage.from_lists(lists)


def hedging_language(code: str | None) -> HedgingLanguage | None:
    """The words of a language; None if there are no lists for it."""
    if code in _added:
        return _added[code]
    return _shipped(code) if code in LANGUAGES else None


@cache
def _shipped(code: str) -> HedgingLanguage:
    text = files("franq_guard.claims").joinpath("hedging", f"{code}.json").read_text(encoding="utf-8")
    return HedgingLanguage.from_lists(json.loads(text))


def tone(text: str, language: str | None) -> Tone | None:
    """How a text states what it says; None if there are no lists for its language."""
    words = hedging_language(language)
    return None if words is None else words.tone(text)
