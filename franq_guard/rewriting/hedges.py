"""Words of doubt: how they are put into a text, and how to see that they are there already.

A language without an entry in `LANGUAGES` gets a neutral marker instead of words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from franq_guard.claims.hedging_language import HedgingLanguage, hedging_language
from franq_guard.schema import Verdict


class Hedged(StrEnum):
    """Whether a text expresses doubt by itself."""

    NO = "no"
    UNSURE = "unsure"
    YES = "yes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The hedges of one language.

    Attributes:
        opening: put before a whole sentence, by the verdict on its claims.
        opening_with_colon: the same where the sentence keeps its capital and may not begin with a name.
        mixed: the same for claims with different verdicts.
        adverb: put before a predicate or a later clause.
        aside: put in parentheses behind the words, by verdict.
        adverb_aside: put in parentheses behind words that got the adverb, by verdict; nothing if missing.
        words: by which doubt is seen.
    """

    opening: Mapping[Verdict, str]
    opening_with_colon: Mapping[Verdict, str]
    mixed: str
    adverb: str
    aside: Mapping[Verdict, str]
    adverb_aside: Mapping[Verdict, str]
    words: HedgingLanguage

    def opening_for(self, verdicts: Iterable[Verdict], *, before_capital: bool = False) -> str:
        """What to open a sentence with whose claims have these verdicts."""
        found = set(verdicts)
        openings = self.opening_with_colon if before_capital else self.opening
        return openings[found.pop()] if len(found) == 1 else self.mixed

    def aside_for(self, verdicts: Iterable[Verdict], *, after_adverb: bool) -> str | None:
        """What to put in parentheses; the gravest verdict decides."""
        gravest = max(verdicts, key=_GRAVITY.index)
        return self.adverb_aside.get(gravest) if after_adverb else self.aside[gravest]

    def opens_with_hedge(self, text: str) -> bool:
        """True if the text begins with an expression of doubt, which then holds for all that follows."""
        return self.words.opens_with_doubt(text)

    def hedged(self, text: str) -> Hedged:
        """Whether a text expresses doubt already."""
        if self.words.doubts(text):
            return Hedged.YES
        return Hedged.UNSURE if self.words.weak.search(text) else Hedged.NO


_GRAVITY = (
    Verdict.NOT_CHECKWORTHY,
    Verdict.SUPPORTED,
    Verdict.UNCHECKED,
    Verdict.NOT_MENTIONED,
    Verdict.CONTRADICTED,
)


def _words(code: str) -> HedgingLanguage:
    found = hedging_language(code)
    assert found is not None, f"no hedging lists for {code}"  # noqa: S101
    return found


_ENGLISH = Language(
    opening={
        Verdict.SUPPORTED: "Possibly, ",
        Verdict.NOT_CHECKWORTHY: "Possibly, ",
        Verdict.UNCHECKED: "This could not be checked: ",
        Verdict.NOT_MENTIONED: "The documents do not mention this, but ",
        Verdict.CONTRADICTED: "According to the documents, this may be wrong: ",
    },
    opening_with_colon={
        Verdict.SUPPORTED: "This is uncertain: ",
        Verdict.NOT_CHECKWORTHY: "This is uncertain: ",
        Verdict.UNCHECKED: "This could not be checked: ",
        Verdict.NOT_MENTIONED: "The documents do not mention this: ",
        Verdict.CONTRADICTED: "According to the documents, this may be wrong: ",
    },
    mixed="The documents do not fully support this: ",
    adverb="possibly",
    aside={
        Verdict.SUPPORTED: "uncertain",
        Verdict.NOT_CHECKWORTHY: "uncertain",
        Verdict.UNCHECKED: "not checked",
        Verdict.NOT_MENTIONED: "not in the documents",
        Verdict.CONTRADICTED: "the documents say otherwise",
    },
    adverb_aside={
        Verdict.UNCHECKED: "not checked",
        Verdict.NOT_MENTIONED: "not in the documents",
        Verdict.CONTRADICTED: "the documents say otherwise",
    },
    words=_words("en"),
)

LANGUAGES: dict[str, Language] = {"en": _ENGLISH}
"""By ISO 639-1 code."""
