"""Which words and numbers of a claim a text mentions: cheap evidence beside the alignment model."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

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
_STOP_WORDS = frozenset(
    "a about after all also although am among an and another any are as at be because been before being "
    "between both but by can could did do does doing during each either else etc ever every for from had "
    "has have having he her here hers herself him himself his how however i if in into is it its itself "
    "just ll may me might more most much must my myself nor of on only onto or other our ours out over "
    "own per re s same shall she should since so some such t than that the their theirs them themselves "
    "then there these they this those though through to too under until up upon us ve very was we were "
    "what when where whether which while who whom whose why will with within would yes yet you your yours "
    "d m".split()
)


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
    content = frozenset(token for token in tokens if token not in _STOP_WORDS)
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
    for raw in _TOKEN.findall(_fold(text)):
        if raw in _MAGNITUDES and units and _NUMBER.fullmatch(units[-1]):
            units[-1] = _plain(Decimal(units[-1]).scaleb(_MAGNITUDES[raw]))
        elif raw.isascii() or not _UNSPACED.search(raw):
            units.append(_unit(raw))
        else:
            units += [raw[i : i + 2] for i in range(max(len(raw) - 1, 1))]
    return units


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(
        str(unicodedata.digit(char)) if char.isdigit() else char
        for char in decomposed
        if not unicodedata.category(char).startswith("M")
    )


@lru_cache(maxsize=100_000)
def _unit(token: str) -> str:
    if token[0].isdigit():
        if _NUMBER.fullmatch(token):
            return _canonical_number(token)
        ordinal = _ORDINAL.fullmatch(token)
        return _plain(Decimal(ordinal[1])) if ordinal else token
    return _NUMERALS.get(token) or _stem(token)


def _canonical_number(token: str) -> str:
    """Turns "1,789" into "1789", "3,5" and "3.50" into "3.5"."""
    groups = re.split("[.,]", token)
    if len(groups) > 1 and all(len(group) == 3 for group in groups[1:]) and not token.startswith("0"):
        if len(groups) > 2 or "," in token:
            return _plain(Decimal("".join(groups)))
    if len(groups) > 2:  # a date or a version
        return ".".join(groups)
    return _plain(Decimal(".".join(groups)))


def _plain(value: Decimal) -> str:
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.lstrip("0") or "0"


def _stem(word: str) -> str:
    """Takes English inflections off, so that "completed" meets "complete". Other scripts stay as they are."""
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("ing", "ed", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            if ending in ("ing", "ed") and len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
