"""Numbers in digits and in words, with their places; no meaning yet."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

DIGITS = re.compile(r"\d{1,3}(?:[ \u00a0\u202f\u2009]\d{3})+(?!\d)|\d+(?:[.,]\d+)*")
_FRACTION = re.compile(r"(\d+ )?(\d{1,2})[/⁄](\d{1,2})(?![/⁄\d])")
_SCALE = re.compile(
    r"(?:[ \u00a0-]?(hundred|thousand|million|billion|trillion|dozen)s?\b"
    r"|[ \u00a0]?(bn|mn|tn)\b|(k)\b)",
    re.IGNORECASE,
)
_SCALES = {
    "hundred": 2,
    "thousand": 3,
    "million": 6,
    "billion": 9,
    "trillion": 12,
    "bn": 9,
    "mn": 6,
    "tn": 12,
    "k": 3,
}
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_WORD = re.compile(r"[^\W\d_]+|[^\w\s]")
_WORDS_FOR_NUMBERS = {
    "half": 0.5,
    "twice": 2.0,
    "both": 2.0,
    "pair": 2.0,
    "dozen": 12.0,
}
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt")
"""Languages whose number words are read."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in a text.

    Attributes:
        start: first character.
        end: one past the last character.
        value: the number.
        step: the place of its last written digit that counts: 1000 for "12,000", 0.1 for "3.7".
        ordinal: True for "3rd" and "third".
        digits: True if it begins with a digit.
    """

    start: int
    end: int
    value: float
    step: float
    ordinal: bool = False
    digits: bool = True


def plain_numeral(token: str) -> str:
    """Writes digits plainly: "1,789" as "1789", "3,5" and "3.50" as "3.5"; dates keep their dots."""
    groups = re.split("[.,]", token)
    if len(groups) > 1 and all(len(group) == 3 for group in groups[1:]) and not token.startswith("0"):
        if len(groups) > 2 or "," in token:
            return plain_decimal(Decimal("".join(groups)))
    if len(groups) > 2:
        mixed = len({char for char in token if char in ".,"}) == 2
        if mixed and all(len(group) == 3 for group in groups[1:-1]):
            return plain_decimal(Decimal("".join(groups[:-1]) + "." + groups[-1]))
        return ".".join(groups)
    return plain_decimal(Decimal(".".join(groups)))


def plain_decimal(value: Decimal) -> str:
    """A decimal without exponent, needless zeros or a leading zero before digits."""
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.lstrip("0") or "0"


def numerals(text: str, language: str = "en") -> list[Numeral]:
    """Finds numbers in digits and in words, in order and disjoint; words for one alone are left out."""
    found = list(_in_digits(text))
    taken = [(number.start, number.end) for number in found]
    found += [
        number
        for number in _in_words(text, language)
        if not any(number.start < end and start < number.end for start, end in taken)
    ]
    return sorted(found, key=lambda number: number.start)


def _in_digits(text: str) -> Iterator[Numeral]:
    at = 0
    while match := DIGITS.search(text, at):
        at = match.end()
        if match.start() and (text[match.start() - 1].isalpha() or text[match.start() - 1] in "_"):
            continue
        if fraction := _FRACTION.match(text, match.start()):
            if int(fraction[3]) > 1 and int(fraction[2]) < int(fraction[3]):
                whole = int(fraction[1] or 0)
                value = whole + int(fraction[2]) / int(fraction[3])
                yield Numeral(match.start(), fraction.end(), value, value * 0.01)
                at = fraction.end()
                continue
        token = re.sub(r"[ \u00a0\u202f\u2009]", "", match[0])
        plain = plain_numeral(token)
        if plain.count(".") > 1 or len(plain) > 30:
            continue  # a date or a version
        value, decimals = float(plain), len(token) - token.rfind(".") - 1 if "." in plain else 0
        if "," in token and "." in plain and "." not in token:
            decimals = len(token) - token.rfind(",") - 1
        step = 10.0**-decimals if decimals else _last_digit(value)
        end, ordinal = match.end(), False
        if scale := _SCALE.match(text, end):
            name = next(group for group in scale.groups() if group).lower()
            factor = 12.0 if name == "dozen" else 10.0 ** _SCALES[name]
            value, step, end = value * factor, step * factor, scale.end()
            if not decimals and name != "dozen":
                step = _last_digit(value)
        elif suffix := _ORDINAL.match(text, end):
            ordinal, end, step = True, suffix.end(), 1.0
        at = end
        yield Numeral(match.start(), end, value, step, ordinal)


def _last_digit(value: float) -> float:
    """The place of the last digit that is not 0."""
    if value == 0 or value != int(value):
        return 1.0
    digits = str(int(value))
    return float(10 ** (len(digits) - len(digits.rstrip("0"))))


@dataclass(frozen=True, slots=True)
class _Token:
    word: str

    def text(self) -> str:
        return self.word

    def nt_separated(self, previous: Any) -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return False


def _in_words(text: str, language: str) -> Iterator[Numeral]:
    words = list(_WORD.finditer(text))
    for match in words:
        value = _WORDS_FOR_NUMBERS.get(match[0].lower()) if language == "en" else None
        if value is not None:
            yield Numeral(match.start(), match.end(), value, 0.01 if value < 1 else 1.0, digits=False)
    if language not in LANGUAGES or not words:
        return
    for hit in _finder()([_Token(_encodable(match[0])) for match in words], language, 0.0):
        start, end = words[hit.start].start(), words[hit.end - 1].end()
        if text[start:end].lower() in _ALONE:
            continue
        value = float(hit.value)
        yield Numeral(start, end, value, _last_digit(value), bool(hit.is_ordinal), digits=False)


def _encodable(word: str) -> str:
    """Lone surrogates would make the finder panic."""
    return word.lower().encode("utf-8", "replace").decode()


_ALONE = frozenset(
    {"one", "a", "an", "first", "ein", "eine", "einer", "un", "une", "uno", "una", "um", "uma", "een"}
)


@cache
def _finder() -> Any:
    return importlib.import_module("text_to_num").find_numbers
