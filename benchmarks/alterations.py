"""Changes one thing in a claim, so that a text which bore it out no longer does.

Made without the package's own reading of numbers, names and negations, which the alterations are to test.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

KINDS = ("date", "number", "entity", "negation")
_YEAR = re.compile(r"(?<![\d,.$€£-])(?:1[1-9]\d\d|20[0-2]\d)(?![\d,.%]\d|\d|s\b|%)")
_MONTH = re.compile(
    r"\b(January|February|March|April|June|July|August|September|October|November|December)\b"
)
_MONTHS = "January February March April June July August September October November December".split()
_NUMBER = re.compile(r"(?<![\w.,/-])\d{1,3}(?:,\d{3})+(?![\d\w])|(?<![\w.,/-])\d+(?:\.\d+)?(?![\w/]|[.,]\d)")
_SPELLED = "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty".split()
_SPELLED_OUT = re.compile(r"\b(?:" + "|".join(_SPELLED) + r")\b")
_NAME = re.compile(r"(?<![\w.])[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)*(?!\w)")
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|has|have|had|can|could|will|would|does|did)\b(?! not|n't)")
_NOT = re.compile(r" not\b(?! only)|(?<=\w)n't\b")


def alter(claim: str, context: str, kind: str, others: Sequence[str], chance: random.Random) -> str | None:
    """The claim with one date, number, entity or polarity changed; None if there is nothing to change.

    Args:
        claim: borne out by the context.
        context: the text.
        kind: one of `KINDS`.
        others: claims of other contexts, to take names from.
        chance: decides what is changed, and into what.
    """
    if kind == "date":
        return _date(claim, context, chance)
    if kind == "number":
        return _number(claim, context, chance)
    if kind == "entity":
        return _entity(claim, context, others, chance)
    return _negation(claim)


def _date(claim: str, context: str, chance: random.Random) -> str | None:
    if found := list(_YEAR.finditer(claim)):
        match = chance.choice(found)
        years = [str(int(match[0]) + step) for step in (-23, -11, -4, -1, 1, 3, 9, 17)]
        return _replaced(claim, match, _unused(years, context, chance))
    if found := list(_MONTH.finditer(claim)):
        match = chance.choice(found)
        return _replaced(claim, match, _unused(_MONTHS, context, chance))
    return None


def _number(claim: str, context: str, chance: random.Random) -> str | None:
    found = [match for match in _NUMBER.finditer(claim) if not _YEAR.fullmatch(match[0])]
    if found:
        match = chance.choice(found)
        plain = match[0].replace(",", "")
        values = [_like(plain, float(plain) * factor + (factor > 1)) for factor in (0.4, 0.7, 1.3, 1.8, 3.0)]
        if "," in match[0]:
            values = [f"{int(value):,}" for value in values]
        return _replaced(claim, match, _unused([v for v in values if v != match[0]], context, chance))
    if spelled := list(_SPELLED_OUT.finditer(claim)):
        match = chance.choice(spelled)
        return _replaced(claim, match, _unused([w for w in _SPELLED if w != match[0]], context, chance))
    return None


def _like(written: str, value: float) -> str:
    decimals = len(written.partition(".")[2])
    return f"{value:.{decimals}f}"


def _entity(claim: str, context: str, others: Sequence[str], chance: random.Random) -> str | None:
    found = [m for m in _NAME.finditer(claim) if m.start() and m[0] in context and not _MONTH.fullmatch(m[0])]
    if not found:
        return None
    match = chance.choice(found)
    size = len(match[0].split())
    pool = sorted(
        {
            m[0]
            for other in others
            for m in _NAME.finditer(other)
            if m.start() and len(m[0].split()) == size and not _MONTH.fullmatch(m[0])
        }
    )
    return _replaced(claim, match, _unused(pool, context, chance))


def _negation(claim: str) -> str | None:
    if found := _NOT.search(claim):
        return claim[: found.start()] + claim[found.end() :]
    match = _AUXILIARY.search(claim)
    return None if match is None else f"{claim[: match.end()]} not{claim[match.end() :]}"


def _unused(values: Sequence[str], context: str, chance: random.Random) -> str | None:
    free = [value for value in values if value.lower() not in context.lower()]
    return chance.choice(free) if free else None


def _replaced(text: str, match: re.Match[str], new: str | None) -> str | None:
    return None if new is None else text[: match.start()] + new + text[match.end() :]
