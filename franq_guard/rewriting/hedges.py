"""Words of doubt: how they are put into a text, and how to see that they are there already.

A language without an entry in `LANGUAGES` gets a neutral marker instead of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

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
        hedges: matches words that express doubt.
        weak_hedges: matches words that may express doubt or something else, like permission.
    """

    opening: Mapping[Verdict, str]
    opening_with_colon: Mapping[Verdict, str]
    mixed: str
    adverb: str
    aside: Mapping[Verdict, str]
    adverb_aside: Mapping[Verdict, str]
    hedges: re.Pattern[str]
    weak_hedges: re.Pattern[str]

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
        return self.hedges.match(text) is not None

    def hedged(self, text: str) -> Hedged:
        """Whether a text expresses doubt already."""
        if self.hedges.search(text):
            return Hedged.YES
        return Hedged.UNSURE if self.weak_hedges.search(text) else Hedged.NO


_GRAVITY = (
    Verdict.NOT_CHECKWORTHY,
    Verdict.SUPPORTED,
    Verdict.UNCHECKED,
    Verdict.NOT_MENTIONED,
    Verdict.CONTRADICTED,
)

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
    hedges=re.compile(
        r"""\b(?:
            possibly | perhaps | maybe | probably | presumably | supposedly | reportedly | allegedly
          | purportedly | apparently | conceivably | potentially | arguably | seemingly | ostensibly
          | likely | unlikely | might
          | seems? | appears?\sto | rumou?red | uncertain | unclear | unconfirmed | unverified | disputed
          | (?:believed|thought|said|reputed|assumed|supposed)\sto\s(?:be|have)
          | it\sis\s(?:(?:widely|generally|often|commonly)\s)?
            (?:believed|thought|said|possible|assumed|claimed)
          | it\s(?:could|may|might)\sbe\sthat
          | i\s(?:think|believe|guess|suppose|assume|suspect|am\snot\s(?:sure|certain))
          | i['’]m\snot\s(?:sure|certain)
          | not\s(?:entirely\s|quite\s)?(?:sure|certain)\s(?:if|whether|that|about)
          | as\sfar\sas\s(?:i|we)\sknow | to\s(?:my|our)\sknowledge | in\smy\sopinion
          | according\sto\ssome
          | some\s(?:sources|people|scholars|historians)\s(?:say|claim|believe|suggest|think)
        )\b""",
        re.VERBOSE | re.IGNORECASE,
    ),
    weak_hedges=re.compile(r"\b(?:may|could)\b"),
)

LANGUAGES: dict[str, Language] = {"en": _ENGLISH}
"""By ISO 639-1 code."""
