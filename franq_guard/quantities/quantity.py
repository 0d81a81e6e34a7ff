"""What a number in a text means: an interval of values of one kind."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a quantity measures. Only quantities of one kind and dimension can differ."""

    COUNT = "count"
    ORDINAL = "ordinal"
    MEASURE = "measure"
    PERCENT = "percent"
    MONEY = "money"
    DATE = "date"
    DAY_OF_YEAR = "day_of_year"
    CLOCK = "clock"
    WEEKDAY = "weekday"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity as a text states it.

    Attributes:
        start: first character in the text.
        end: one past the last character.
        text: the characters, with what makes it vague or a range.
        kind: what it measures.
        low: smallest value it may stand for; `-inf` for none. Measures are in base units, percentages in
            percent, dates in proleptic Gregorian ordinals, days of the year as 100 month + day, clock times
            in minutes, weekdays from 0 for Monday.
        high: largest value; `inf` for none.
        written: the number as written, before any unit; None for dates.
        dimension: of a measure, such as "[length]"; the currency of money, as an ISO 4217 code.
        nouns: stems of the words that follow: what is counted.
    """

    start: int
    end: int
    text: str
    kind: Kind
    low: float
    high: float
    written: float | None = None
    dimension: str = ""
    nouns: frozenset[str] = frozenset()
