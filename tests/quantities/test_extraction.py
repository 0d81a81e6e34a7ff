"""What a text states in numbers, dates and units."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.quantities import Kind, quantities


def only(text, language="en"):
    [found] = quantities(text, language)
    return found


@pytest.mark.parametrize(
    ("text", "kind", "low", "high"),
    [
        ("437 people came", Kind.COUNT, 437, 437),
        ("about 300 people", Kind.COUNT, 270, 330),
        ("nearly twelve thousand inhabitants", Kind.COUNT, 10_800, 12_000),
        ("more than 300 people", Kind.COUNT, 300, math.inf),
        ("fewer than 20 cases", Kind.COUNT, -math.inf, 20),
        ("50 or more seats", Kind.COUNT, 50, math.inf),
        ("between 3 and 5 dogs", Kind.COUNT, 3, 5),
        ("three or four boats", Kind.COUNT, 3, 4),
        ("several hundred people", Kind.COUNT, 200, 900),
        ("14% more", Kind.PERCENT, 13.5, 14.5),
        ("62.5 percent", Kind.PERCENT, 62.45, 62.55),
        ("half of them", Kind.PERCENT, 48, 52),
        ("the 3rd time", Kind.ORDINAL, 3, 3),
        ("the third time", Kind.ORDINAL, 3, 3),
        ("at 6 pm", Kind.CLOCK, 1080, 1080),
        ("10 in the morning", Kind.CLOCK, 600, 600),
        ("at 18:30", Kind.CLOCK, 1110, 1110),
        ("on Mondays", Kind.WEEKDAY, 0, 0),
    ],
)
def test_intervals(text, kind, low, high):
    found = only(text)
    assert found.kind is kind
    assert (found.low, found.high) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,250 cars", 1250),
        ("1.250,50 cars", 1250.5),
        ("1,250.50 cars", 1250.5),
        ("12\u202f000 cars", 12_000),
        ("two hundred and fifty thousand cars", 250_000),
        ("38.5 million cars", 38_500_000),
        ("-5 cars", -5),
        ("2 1/2 cars", 2.5),
    ],
)
def test_written_numbers(text, value):
    assert only(text).written == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("zwölftausend Menschen", "de", 12_000),
        ("trois cents personnes", "fr", 300),
        ("veinte casas", "es", 20),
    ],
)
def test_numbers_in_words_of_other_languages(text, language, value):
    assert only(text, language).written == value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3.7 kilometres", "3,700 m"),
        ("78 degrees Celsius", "172 °F"),
        ("5 square kilometres", "500 hectares"),
        ("60 mph", "97 km/h"),
        ("2 hours", "120 minutes"),
    ],
)
def test_units_are_converted(one, other):
    first, second = only(one), only(other)
    assert first.dimension == second.dimension
    assert first.low <= second.high
    assert second.low <= first.high


@pytest.mark.parametrize(
    ("text", "currency", "value"),
    [
        ("$480", "USD", 480),
        ("480 dollars", "USD", 480),
        ("€3.5bn", "EUR", 3.5e9),
        ("USD 20", "USD", 20),
        ("12 pounds sterling", "GBP", 12),
        ("20 €", "EUR", 20),
    ],
)
def test_money(text, currency, value):
    found = only(text)
    assert (found.kind, found.dimension) == (Kind.MONEY, currency)
    assert found.written == pytest.approx(value)


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        ("14 July 2021", "July 2021"),
        ("July 14, 2021", "summer 2021"),
        ("2021-07-14", "2021"),
        ("14.07.2021", "July 2021"),
        ("14 juillet 2021", "July 2021"),
        ("1924", "the 1920s"),
        ("1921", "the early 1920s"),
        ("1815", "the 19th century"),
        ("the 1880s", "the nineteenth century"),
        ("44 BC", "the 1st century BC"),
    ],
)
def test_dates_contain_each_other(inner, outer):
    first, second = only(inner), only(outer)
    assert first.kind is second.kind is Kind.DATE
    assert second.low <= first.low <= first.high <= second.high
    assert (first.low, first.high) != (second.low, second.high)


def test_a_range_of_years_is_two_dates():
    assert [q.text for q in quantities("the war of 1939–45")] == ["1939", "45"]
    assert [q.kind for q in quantities("from 1990 to 1995")] == [Kind.DATE, Kind.DATE]


@pytest.mark.parametrize("text", ["1250 cars", "2000 people", "1600 men"])
def test_four_digits_that_are_counted_are_no_year(text):
    assert only(text).kind is Kind.COUNT


@pytest.mark.parametrize(
    "text",
    ["", "one of them", "the first", "B12", "x_3", "[3]", "[1, 2]", "https://a.org/2021/5", "May I go?"],
)
def test_what_is_no_quantity(text):
    assert quantities(text) == ()


def test_what_is_counted_is_known():
    assert only("437 paying visitors came").nouns >= {"visitor"}


@given(st.text(st.characters(exclude_categories=()), max_size=80))
def test_any_text_gives_disjoint_spans_of_itself(text):
    end = 0
    for quantity in quantities(text):
        assert quantity.start < quantity.end <= len(text)
        assert quantity.low <= quantity.high
        assert quantity.start >= end or quantity.text
        end = quantity.end


def test_long_texts_are_cut():
    assert len(quantities("7 cats, " * 10_000)) <= 20_000 // 8
