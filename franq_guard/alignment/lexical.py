"""Which words and numbers of a claim a text mentions: cheap evidence beside the alignment model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from franq_guard.quantities.numerals import plain_decimal, plain_numeral
from franq_guard.quantities.stems import STOP_WORDS, fold, stem

_TOKEN = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
# Scripts written without spaces: Thai to Myanmar, Khmer, kana, Chinese characters.
_UNSPACED = re.compile(
    r"[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_MAGNITUDES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_NUMERALS = {
    word: str(value)
    for value, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split(),
        start=2,
    )
} | {
    word: str(value)
    for value, word in zip(
        range(30, 100, 10), "thirty forty fifty sixty seventy eighty ninety".split(), strict=True
    )
}


@dataclass(frozen=True, slots=True)
class Terms:
    """What a claim mentions, normalised.

    Attributes:
        words: stems of its content words, numbers included; of all its words if it has no content words.
        numbers: its numbers, as plain decimals.
    """

    words: frozenset[str]
    numbers: frozenset[str]


def terms(claim: str) -> Terms:
    """Finds what a claim mentions."""
    tokens = tokenize(claim)
    content = frozenset(token for token in tokens if token not in STOP_WORDS)
    return Terms(
        words=content or frozenset(tokens),
        numbers=frozenset(token for token in tokens if token[0].isdigit() and _NUMBER.fullmatch(token)),
    )


def tokenize(text: str) -> list[str]:
    """Splits any text into comparable units.

    Units are stems, plain decimals, and pairs of characters where a script has no spaces. Case, accents and
    the script of digits do not matter.
    """
    units: list[str] = []
    for raw in _TOKEN.findall(fold(text)):
        if raw in _MAGNITUDES and units and _NUMBER.fullmatch(units[-1]):
            units[-1] = plain_decimal(Decimal(units[-1]).scaleb(_MAGNITUDES[raw]))
        elif raw.isascii() or not _UNSPACED.search(raw):
            units.append(_unit(raw))
        else:
            units += [raw[i : i + 2] for i in range(max(len(raw) - 1, 1))]
    return units


@lru_cache(maxsize=100_000)
def _unit(token: str) -> str:
    if token[0].isdigit():
        if _NUMBER.fullmatch(token):
            return plain_numeral(token)
        ordinal = _ORDINAL.fullmatch(token)
        return plain_decimal(Decimal(ordinal[1])) if ordinal else token
    return _NUMERALS.get(token) or stem(token)
