"""Units of measurement and currencies as texts write them; pint converts.

units.json maps symbols, and regular expressions of words, to what pint calls the unit.
"""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

_DATA = json.loads(files("franq_guard.quantities").joinpath("units.json").read_text(encoding="utf-8"))
_SYMBOLS: dict[str, str] = _DATA["symbols"]
_WORDS: dict[str, str] = _DATA["words"]
_LENGTHS: str = _DATA["lengths"]
_CURRENCY_SIGNS: dict[str, str] = _DATA["currency_signs"]
_CURRENCY_WORDS: dict[str, str] = _DATA["currency_words"]
_CODES: list[str] = _DATA["currency_codes"]

_SYMBOL = re.compile(
    r"[ \u00a0\u202f-]?(" + "|".join(map(re.escape, sorted(_SYMBOLS, key=len, reverse=True))) + r")(?![\w²³])"
)
_UNIT_WORD = re.compile(
    rf"[ \u00a0-]?(?:(?P<power>square|cubic)[ -](?P<of>{_LENGTHS})|"
    + "|".join(f"(?P<u{i}>{word})" for i, word in enumerate(sorted(_WORDS, key=len, reverse=True)))
    + r")(?!\w)",
    re.IGNORECASE,
)
_UNIT_NAMES = [_WORDS[word] for word in sorted(_WORDS, key=len, reverse=True)]
_SIGN_BEFORE = re.compile(
    "(" + "|".join(map(re.escape, _CURRENCY_SIGNS)) + "|" + "|".join(_CODES) + r")[ \u00a0]?$"
)
_MONEY_AFTER = re.compile(
    r"[ \u00a0]?(?:(?P<sign>[€$£¥])|(?P<code>" + "|".join(_CODES) + r")\b|"
    + "|".join(f"(?P<c{i}>{word})\\b" for i, word in enumerate(_CURRENCY_WORDS))
    + ")",
    re.IGNORECASE,
)  # fmt: skip
_MONEY_NAMES = list(_CURRENCY_WORDS.values())
_PERCENT = re.compile(r"[ \u00a0]?(?:%|per ?cent\b|pct\b)(?: points?\b)?", re.IGNORECASE)


def unit_after(text: str, at: int) -> tuple[str, int] | None:
    """The unit that follows a number, as pint writes it, and its end; None if there is none."""
    if found := _SYMBOL.match(text, at):
        return _SYMBOLS[found[1]], found.end()
    found = _UNIT_WORD.match(text, at)
    if found is None:
        return None
    if found["power"]:
        base = _UNIT_NAMES[_index(re.fullmatch(_UNIT_WORD.pattern, " " + found["of"], re.IGNORECASE))]
        return f"{base}**{2 if found['power'].lower() == 'square' else 3}", found.end()
    return _UNIT_NAMES[_index(found)], found.end()


def _index(found: re.Match[str] | None) -> int:
    groups = found.groupdict() if found else {}
    return next(int(name[1:]) for name, value in groups.items() if value and name[0] == "u")


def currency_around(text: str, start: int, end: int) -> tuple[str, int, int] | None:
    """The currency before or after a number, with where number and currency begin and end."""
    if before := _SIGN_BEFORE.search(text, max(start - 5, 0), start):
        return _CURRENCY_SIGNS.get(before[1], before[1]), before.start(), end
    after = _MONEY_AFTER.match(text, end)
    if after is None:
        return None
    if after["sign"]:
        return _CURRENCY_SIGNS[after["sign"]], start, after.end()
    if after["code"]:
        return after["code"].upper(), start, after.end()
    names = (int(name[1:]) for name, value in after.groupdict().items() if value and name[1:].isdigit())
    return _MONEY_NAMES[next(names)], start, after.end()


def percent_after(text: str, at: int) -> int | None:
    """Where the percent sign or word that follows a number ends; None if there is none."""
    found = _PERCENT.match(text, at)
    return found.end() if found else None


@lru_cache(maxsize=10_000)
def to_base(value: float, unit: str) -> float:
    """A value in pint's base units."""
    return float(_registry().Quantity(value, unit).to_base_units().magnitude)


@cache
def dimension_of(unit: str) -> str:
    """The dimension of a unit; "[information]" for bytes, which pint takes for plain numbers."""
    name = str(_registry().Quantity(1, unit).dimensionality)
    return "[information]" if name == "dimensionless" else name


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry(cache_folder=None)
