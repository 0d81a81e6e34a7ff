from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.rewriting.markup import (
    Zone,
    ZoneKind,
    citations_end,
    citations_start,
    enclosing,
    find_zones,
)


def zones(text: str) -> list[tuple[str, str]]:
    return [(zone.kind.value, text[zone.start : zone.end]) for zone in find_zones(text, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a `b (c` d", [("code", "`b (c`")]),
        ("a ``b ` c`` d", [("code", "``b ` c``")]),
        ("a `b", []),
        ("a [b](http://c.d) e", [("link", "[b](http://c.d)")]),
        ('![b](c "d e") f', [("link", '![b](c "d e")')]),
        ("at https://a.b/c?d=e. So", [("link", "https://a.b/c?d=e")]),
        ("a <b>c</b>", [("link", "<b>"), ("link", "</b>")]),
        ("a [1] b [2, 3] c [^4]", [("citation", "[1]"), ("citation", "[2, 3]"), ("citation", "[^4]")]),
        ("a 【1†b】", [("citation", "【1†b】")]),
        ("a $b^2$ c", [("code", "$b^2$")]),
        ("from $5 and $10", []),
        ("a \\(b\\) c", [("code", "\\(b\\)")]),
        ('a "b" c "d"', [("quote", '"b"'), ("quote", '"d"')]),
        ("a “b” „c“ «d»", [("quote", "“b”"), ("quote", "„c“"), ("quote", "«d»")]),
        ("it’s ‘so’ they’re", [("quote", "‘so’")]),
        ('a 5" pipe', []),
        ('a "b', []),
        ("a (b (c)) d", [("parenthesis", "(b (c))"), ("parenthesis", "(c)")]),
        ("a (b", []),
        ('`a " b` (c)', [("code", '`a " b`'), ("parenthesis", "(c)")]),
    ],
)
def test_zones(text: str, expected: list[tuple[str, str]]) -> None:
    assert zones(text) == expected


def test_positions_are_those_of_the_whole_text() -> None:
    assert find_zones("xx `a`", 3, 6) == [Zone(3, 6, ZoneKind.CODE)]


def test_only_places_inside_a_zone_are_enclosed() -> None:
    found = find_zones("a `b` (c)", 0, 9)
    assert enclosing(found, 2) is None
    assert enclosing(found, 3) == Zone(2, 5, ZoneKind.CODE)
    assert enclosing(found, 5) is None
    assert enclosing(found, 7) is None
    assert enclosing(found, 7, ZoneKind.PARENTHESIS) == Zone(6, 9, ZoneKind.PARENTHESIS)


def test_citations_around_a_place() -> None:
    text = "It is old [1][2], yes. [3]"
    assert citations_end(text, 9, len(text)) == 16
    assert citations_end(text, 0, len(text)) == 0
    assert citations_start(text, 0, len(text)) == 22
    assert citations_start(text, 0, 9) == 9


@given(st.text(st.sampled_from('`[]()"“”«$\\<>1a ^.'), max_size=60))
def test_firm_zones_are_disjoint_and_fit(text: str) -> None:
    found = find_zones(text, 0, len(text))
    firm = [zone for zone in found if zone.kind in (ZoneKind.CODE, ZoneKind.LINK, ZoneKind.CITATION)]
    for zone, following in pairwise(firm):
        assert zone.end <= following.start
    assert all(0 <= zone.start < zone.end <= len(text) for zone in found)


def test_long_texts_take_linear_time() -> None:
    for unit in ("`", "[", "(", '"', "<a", "$a", "[a](", "` `` ", "“", "\\(", '[a](b "'):
        find_zones(unit * 20_000, 0, len(unit) * 20_000)
