"""Dates in a text, each as the stretch of days it leaves open."""

from __future__ import annotations

import re
from collections.abc import Iterator

from franq_guard.quantities.quantity import Kind, Quantity

_MONTH_NAMES = {
    "en": "january february march april may june july august september october november december",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
}
_MONTHS = (
    {name: number for names in _MONTH_NAMES.values() for number, name in enumerate(names.split(), start=1)}
    | {
        name: number
        for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)
    }
    | {"sept": 9}
)
_SEASONS = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11)}
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th|\.)?"
_YEAR = r"(?P<year>[12]\d{3})(?!\d)"
_OF = r"(?: of| de|,)? ?"
_PATTERNS = (
    r"\b(?P<y>[12]\d{3})-(?P<m>0[1-9]|1[0-2])-(?P<d>0[1-9]|[12]\d|3[01])(?!\d)",
    r"\b(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>[12]\d{3})(?!\d)",
    r"\b(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>[12]\d{3})(?!\d)",
    rf"\b{_DAY}(?: of| de)? {_MONTH}{_OF}{_YEAR}",
    rf"\b{_MONTH} (?:the )?{_DAY},? {_YEAR}",
    rf"\b{_MONTH}{_OF}{_YEAR}",
    rf"\b(?P<season>spring|summer|autumn|fall)(?: of)? {_YEAR}",
    rf"\b{_DAY}(?: of| de)? {_MONTH}(?!\w)",
    rf"\b{_MONTH} (?:the )?{_DAY}(?![\d%:]|[.,]\d)",
    r"(?:\b(?P<part>early|mid|late)[- ](?:the )?)?\b(?P<decade>1\d|20)(?P<tens>\d)0['’]?s\b",
    r"\b(?P<century>\d{1,2})(?:st|nd|rd|th)[ -]century(?P<bc> b\.?c\.?(?:e\.?)?)?",
    r"\b(?P<bcyear>\d{1,4}) b\.?c\.?(?:e\.?)?(?!\w)",
)  # fmt: skip
_DATES = [re.compile(pattern, re.IGNORECASE) for pattern in _PATTERNS]
_BARE_YEAR = re.compile(r"(?<![\w.,$€£¥#-])(?<!\d[–/])(?P<year>1\d{3}|20\d{2})(?![\d%]|[.,/]\d|[^\W\d_])")
_SHORT_RANGE = re.compile(r"(?P<year>1\d{3}|20\d{2})(?:[-–/])(?P<to>\d{4}|\d{2})(?!\d)")
_COUNTED = re.compile(
    r"[ -](?!was\b|is\b|as\b|has\b|its\b|this\b|his\b|us\b)(?:[a-z]+ )?[a-z]{2,}s\b"
    r"|[ -](?:people|men|women|children)\b"
)
_YEAR_BEFORE = re.compile(
    r"(?:\b(?:in|since|by|of|from|until|till|to|before|after|during|year|late|early|mid|and|or|around|circa"
    r"|c\.|ca\.|anno)\s|[(\[–-])$",
    re.IGNORECASE,
)
_VAGUE = re.compile(r"(?:\b(?:around|about|circa|approximately|ca\.|c\.)|~)\s?$", re.IGNORECASE)
_VAGUE_YEARS = 5


def day_number(year: int, month: int, day: int) -> float:
    """A number that grows with the date; years before Christ are negative."""
    return float(year * 400 + month * 32 + day)


def dates(text: str) -> list[Quantity]:
    """Finds dates, in order and disjoint."""
    found: list[Quantity] = []
    taken: list[tuple[int, int]] = []
    for quantity in (*_explicit(text), *_years(text)):
        if not any(quantity.start < end and start < quantity.end for start, end in taken):
            found.append(quantity)
            taken.append((quantity.start, quantity.end))
    return sorted(found, key=lambda quantity: quantity.start)


def century(text: str, start: int, end: int, number: int, *, before_christ: bool = False) -> Quantity:
    """The years of a century, as a date."""
    first, last = 100 * (number - 1) + 1, 100 * number
    if before_christ:
        first, last = -last, -first
    return _date(text, start, end, first, last)


def _explicit(text: str) -> Iterator[Quantity]:
    for pattern in _DATES:
        for match in pattern.finditer(text):
            quantity = _read(text, match)
            if quantity is not None:
                yield quantity


def _read(text: str, match: re.Match[str]) -> Quantity | None:
    found = {name: value for name, value in match.groupdict().items() if value}
    start, end = match.span()
    if "century" in found:
        return century(text, start, end, int(found["century"]), before_christ="bc" in found)
    if "bcyear" in found:
        return _date(text, start, end, -int(found["bcyear"]), -int(found["bcyear"]))
    if "decade" in found:
        first = int(found["decade"] + found["tens"] + "0")
        parts = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}
        low, high = parts.get(found.get("part", "").lower(), (0, 9))
        return _date(text, start, end, first + low, first + high)
    if "a" in found:
        a, b, year = int(found["a"]), int(found["b"]), int(found["y"])
        months = [month for month, day in ((a, b), (b, a)) if month <= 12 and day <= 31]
        if not months:
            return None
        possible = [day_number(year, month, a + b - month) for month in months]
        return Quantity(start, end, match[0], Kind.DATE, min(possible), max(possible))
    if "y" in found:
        year, month, day = int(found["y"]), int(found["m"]), int(found["d"])
    else:
        year = int(found.get("year", 0))
        month = _MONTHS[found["month"].lower()] if "month" in found else 0
        day = int(found.get("day", 0))
    if "season" in found:
        first_month, last_month = _SEASONS[found["season"].lower()]
        return _days(text, start, end, year, first_month, 1, last_month, 31)
    if not year:
        if match["month"].islower() and found["month"] in ("may", "march", "mar", "mars", "mai"):
            return None
        number = float(100 * month + day)
        return Quantity(start, end, match[0], Kind.DAY_OF_YEAR, number, number)
    if not 1 <= month <= 12:
        return None
    return _days(text, start, end, year, month, day or 1, month, day or 31)


def _years(text: str) -> Iterator[Quantity]:
    for match in _SHORT_RANGE.finditer(text):
        first = match["year"]
        last = match["to"] if len(match["to"]) == 4 else first[:2] + match["to"]
        if int(first) < int(last):
            yield _date(text, match.start(), match.start() + 4, int(first), int(first), written=float(first))
            yield _date(text, match.start("to"), match.end("to"), int(last), int(last), written=float(last))
    for match in _BARE_YEAR.finditer(text):
        before = text[: match.start()]
        if _COUNTED.match(text, match.end()) and not _YEAR_BEFORE.search(before[-15:]):
            continue
        year = int(match["year"])
        vague = _VAGUE_YEARS if _VAGUE.search(before[-15:]) else 0
        yield _date(text, match.start(), match.end(), year - vague, year + vague, written=float(year))


def _days(
    text: str, start: int, end: int, year: int, month: int, day: int, last_month: int, last_day: int
) -> Quantity:
    low, high = day_number(year, month, day), day_number(year, last_month, last_day)
    return Quantity(start, end, text[start:end], Kind.DATE, low, high)


def _date(
    text: str, start: int, end: int, first: int, last: int, *, written: float | None = None
) -> Quantity:
    low, high = day_number(first, 1, 1), day_number(last, 12, 31)
    return Quantity(start, end, text[start:end], Kind.DATE, low, high, written=written)
