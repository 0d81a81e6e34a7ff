"""Text -> its quantities: dates, clock times, and numbers with units, ranges and words of vagueness."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from franq_guard.quantities.dates import century, dates
from franq_guard.quantities.numerals import Numeral, numerals
from franq_guard.quantities.quantity import Kind, Quantity
from franq_guard.quantities.stems import content_stem
from franq_guard.quantities.units import currency_around, dimension_of, percent_after, to_base, unit_after

_VAGUE_SHARE = 0.1
_ROUND_SHARE = 0.05
_LONGEST = 20_000
_REFERENCE = re.compile(r"\[\d{1,3}(?:[,–-] ?\d{1,3})*\]|https?://\S+|www\.\S+")
_CLOCK = re.compile(
    r"\b(?P<hour>[01]?\d|2[0-3])(?:[:.](?P<minute>[0-5]\d))?\s?"
    r"(?:(?P<half>[ap])\.?m\b\.?|o['’]clock|(?P<part>in the (?:morning|afternoon|evening)|at night))"
    r"|\b(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)(?![\d:])",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|circa|ca\.|c\.|some|close to|estimated"
    r"|up to about|environ|etwa|ungefähr|rund|unos|unas|aproximadamente)|[~≈≃])\s?$",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(?:several|a few|many|some)\s$", re.IGNORECASE)
_BELOW_NEARLY = re.compile(
    r"\b(?:nearly|almost|just under|just below|not quite|fast|presque|casi)\s$", re.IGNORECASE
)
_ABOVE_NEARLY = re.compile(r"\b(?:just over|just above|slightly more than|a little over)\s$", re.IGNORECASE)
_MORE = re.compile(
    r"(?:\b(?:more than|over|above|at least|exceed(?:s|ed|ing)?|no fewer than|no less than|upwards? of"
    r"|a minimum of|mehr als|über|plus de|más de)|>|≥)\s?$",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"(?:\b(?:less than|fewer than|under|below|at most|up to|no more than|a maximum of|weniger als|moins de"
    r"|menos de)|<|≤)\s?$",
    re.IGNORECASE,
)
_OR_MORE = re.compile(r"\s?(?:\+|or more\b|or above\b|or higher\b)")
_OR_SO = re.compile(r"\s?or so\b")
_JOINT = re.compile(r"\s?(?:[–—-]|to|or|and|bis|à|a)\s?", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre)\s$", re.IGNORECASE)
_MINUS = re.compile(r"(?:(?<![\w)])[-−]|\bminus )$", re.IGNORECASE)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = re.compile(r"\b(?P<day>" + "|".join(_WEEKDAYS) + r")s?\b", re.IGNORECASE)
_CENTURY = re.compile(r"[ -]centur(?:y|ies)\b")
_PRECISE = frozenset({Kind.COUNT, Kind.ORDINAL})
_NOUN_WORDS = re.compile(r"[ \u00a0-]([^\W\d_]+(?:['’-][^\W\d_]+)*)")


@lru_cache(maxsize=4096)
def quantities(text: str, language: str = "en") -> tuple[Quantity, ...]:
    """Finds the quantities that a text states.

    Args:
        text: any text; what lies beyond 20,000 characters is left out.
        language: ISO 639-1 code, for numbers in words.

    Returns:
        In the order of the text, disjoint. Citation marks and addresses are no quantities.
    """
    text = text[:_LONGEST]
    text = _REFERENCE.sub(lambda match: " " * len(match[0]), text)
    found = dates(text)
    taken = [(quantity.start, quantity.end) for quantity in found]
    for match in _CLOCK.finditer(text):
        if _is_free(match.start(), match.end(), taken):
            found.append(_clock(match))
            taken.append(match.span())
    for match in _WEEKDAY.finditer(text):
        if _is_free(match.start(), match.end(), taken):
            day = float(_WEEKDAYS.index(match["day"].lower()))
            found.append(Quantity(match.start(), match.end(), match[0], Kind.WEEKDAY, day, day))
    free = [number for number in numerals(text, language) if _is_free(number.start, number.end, taken)]
    at = 0
    while at < len(free):
        quantity, used = _from_numerals(text, free[at:])
        found.append(quantity)
        at += used
    return tuple(sorted(found, key=lambda quantity: quantity.start))


def _is_free(start: int, end: int, taken: Sequence[tuple[int, int]]) -> bool:
    return not any(start < last and first < end for first, last in taken)


def _clock(match: re.Match[str]) -> Quantity:
    hour = int(match["hour"] or match["h24"])
    minute = int(match["minute"] or match["m24"] or 0)
    part = (match["part"] or "").lower()
    if (
        (match["half"] or "").lower() == "p" or part[-9:] in ("afternoon", "e evening") or "evening" in part
    ) and hour < 12:
        hour += 12
    if (match["half"] or "").lower() == "a" and hour == 12:
        hour = 0
    minutes = float(60 * hour + minute)
    return Quantity(match.start(), match.end(), match[0], Kind.CLOCK, minutes, minutes)


def _from_numerals(text: str, numbers: Sequence[Numeral]) -> tuple[Quantity, int]:
    """The quantity that the first number begins, and how many numbers it takes: two in a range."""
    first = numbers[0]
    if first.ordinal and (mark := _CENTURY.match(text, first.end)):
        return century(text, first.start, mark.end(), int(first.value)), 1
    last, used = first, 1
    between = _BETWEEN.search(text, max(first.start - 12, 0), first.start)
    if len(numbers) > 1 and not first.ordinal and not numbers[1].ordinal:
        after = unit_after(text, first.end)
        gap_start = after[1] if after else percent_after(text, first.end) or first.end
        money = currency_around(text, first.start, first.end)
        gap_start = max(gap_start, money[2] if money else 0)
        gap = text[gap_start : numbers[1].start].rstrip("$€£¥")
        joined = _JOINT.fullmatch(gap)
        if (
            joined
            and (("and" not in gap and gap.strip() != "a") or between)
            and first.value < numbers[1].value
        ):
            last, used = numbers[1], 2
    return _measured(text, first, last, between.start() if between and used == 2 else None), used


def _measured(text: str, first: Numeral, last: Numeral, between: int | None) -> Quantity:
    start, end = first.start, last.end
    minus = _MINUS.search(text, max(start - 6, 0), start)
    sign = -1.0 if minus else 1.0
    start = minus.start() if minus else start
    kind, dimension, unit = Kind.ORDINAL if first.ordinal else Kind.COUNT, "", ""
    money = currency_around(text, start, end) or (
        currency_around(text, start, first.end) if last is not first else None
    )
    if money is not None:
        dimension, start, kind = money[0], money[1], Kind.MONEY
        end = max(end, money[2])
    elif text[first.start : first.end].lower() == "half":
        kind = Kind.PERCENT
    elif (after_percent := percent_after(text, end)) is not None:
        kind, end = Kind.PERCENT, after_percent
    elif (after := unit_after(text, end)) is not None and not first.ordinal:
        unit, end = after
        kind, dimension = Kind.MEASURE, dimension_of(unit)
    low, high = sign * first.value, sign * last.value
    if kind is Kind.PERCENT and end == last.end:
        low, high = 100 * low, 100 * high
    if minus:
        low, high = min(low, high), max(low, high)
    written = low if first is last else None
    if first is last:
        low, high, start, end = _meaning(text, start, end, low, first, kind)
    elif between is not None:
        start = between
    if unit:
        low, high = (value if math.isinf(value) else to_base(value, unit) for value in (low, high))
    return Quantity(
        start,
        end,
        text[start:end],
        kind,
        low,
        high,
        written=written,
        dimension=dimension,
        nouns=_nouns(text, end) if kind in _PRECISE else frozenset(),
    )


def _meaning(
    text: str, start: int, end: int, value: float, number: Numeral, kind: Kind
) -> tuple[float, float, int, int]:
    """Which values a number stands for, given what stands around it, and where all that begins and ends."""
    before_start = max(start - 22, 0)
    size = abs(value)
    step = number.step if kind is not Kind.PERCENT or number.value == size else 4.0
    if (found := _SEVERAL.search(text, before_start, start)) and size in (100.0, 1000.0, 1e6):
        return 2 * value, 9 * value, found.start(), end
    if found := _ABOUT.search(text, before_start, start):
        width = _VAGUE_SHARE * size
        return value - width, value + width, found.start(), end
    if found := _BELOW_NEARLY.search(text, before_start, start):
        return value - _VAGUE_SHARE * size, value, found.start(), end
    if found := _ABOVE_NEARLY.search(text, before_start, start):
        return value, value + _VAGUE_SHARE * size, found.start(), end
    if found := _MORE.search(text, before_start, start):
        return value, math.inf, found.start(), end
    if found := _LESS.search(text, before_start, start):
        return -math.inf, value, found.start(), end
    if found := _OR_MORE.match(text, end):
        return value, math.inf, start, found.end()
    if found := _OR_SO.match(text, end):
        return value - _VAGUE_SHARE * size, value + _VAGUE_SHARE * size, start, found.end()
    if kind in _PRECISE and step <= 1:
        return value, value, start, end
    width = min(step / 2, max(_ROUND_SHARE * size, 0.5 if step <= 1 else 0.0))
    return value - width, value + width, start, end


def _nouns(text: str, at: int) -> frozenset[str]:
    """Stems of up to three words that follow directly."""
    stems = []
    for _ in range(3):
        found = _NOUN_WORDS.match(text, at)
        stem = content_stem(found[1]) if found else None
        if found is None or stem is None:
            break
        stems.append(stem)
        at = found.end()
    return frozenset(stems)
