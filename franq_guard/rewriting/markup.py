"""Stretches of a sentence that nothing may be put into: code, links, citations, quotations, formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum


class ZoneKind(StrEnum):
    """What a zone is."""

    CODE = "code"
    LINK = "link"
    CITATION = "citation"
    QUOTE = "quote"
    PARENTHESIS = "parenthesis"


@dataclass(frozen=True, slots=True)
class Zone:
    """Characters `[start, end)` that belong together, delimiters included."""

    start: int
    end: int
    kind: ZoneKind


_LINK = re.compile(
    r"!?\[[^\[\]]*\]\([^()\s]*(?:\s\"[^\"]*\")?\)|https?://[^\s<>]*[^\s<>.,;:!?)\]]|<[^<>\s][^<>]{0,200}>"
)
_CITATION = re.compile(r"\[\^?[\w .,;:–-]{1,30}\](?!\()|【[^【】]{1,40}】")
_CITATIONS_AT_END = re.compile(rf"(?:\s?(?:{_CITATION.pattern}))+\s*\Z")
_FORMULA = re.compile(r"\$(?=[^\s$])[^$\n]{0,200}(?<=\S)\$(?!\d)|\\\([^\n]{1,200}?\\\)")
_TICKS = re.compile(r"`+")
_QUOTE_PAIRS = {"“": "”", "„": "“”", "«": "»", "‘": "’", "「": "」", "『": "』"}
_QUOTE_MARKS = re.compile(r"[\"“”„«»‘’「」『』]")
_BRACKETS = re.compile(r"[()]")
_CITATION_LOOKBACK = 200


def find_zones(text: str, start: int, end: int) -> list[Zone]:
    """Finds the zones of `text[start:end]`, at positions of `text`; unclosed delimiters open nothing."""
    part = text[start:end]
    taken = bytearray(len(part))
    zones: list[Zone] = []
    for zone in _firm(part):
        if not any(taken[zone.start : zone.end]):
            taken[zone.start : zone.end] = b"\x01" * (zone.end - zone.start)
            zones.append(zone)
    zones += _quotes(part, taken)
    zones += _parentheses(part, taken)
    return sorted(
        (Zone(z.start + start, z.end + start, z.kind) for z in zones), key=lambda z: (z.start, -z.end)
    )


def enclosing(zones: Sequence[Zone], at: int, *kinds: ZoneKind) -> Zone | None:
    """The outermost zone of these kinds (default: all but parentheses) that `at` would cut in two."""
    wanted = kinds or tuple(kind for kind in ZoneKind if kind is not ZoneKind.PARENTHESIS)
    return next((zone for zone in zones if zone.start < at < zone.end and zone.kind in wanted), None)


def citations_start(text: str, start: int, end: int) -> int:
    """Where the citations at the end of `text[start:end]` begin; `end` if there are none."""
    low = max(start, end - _CITATION_LOOKBACK)
    found = _CITATIONS_AT_END.search(text[low:end])
    return low + found.start() if found else end


def citations_end(text: str, at: int, end: int) -> int:
    """Where the citations that follow `text[:at]` end; `at` if there are none."""
    while (found := _CITATION.match(text, at + text.startswith(" ", at), end)) is not None:
        at = found.end()
    return at


def _firm(part: str) -> Iterator[Zone]:
    """Zones in which nothing else counts as markup; the first to claim a character has it."""
    yield from _code(part)
    for pattern, kind in ((_LINK, ZoneKind.LINK), (_CITATION, ZoneKind.CITATION), (_FORMULA, ZoneKind.CODE)):
        for match in pattern.finditer(part):
            yield Zone(*match.span(), kind)


def _code(part: str) -> Iterator[Zone]:
    """Code spans: a run of backticks up to the next run of the same length."""
    runs = [match.span() for match in _TICKS.finditer(part)]
    following: dict[int, int] = {}
    closer: list[int | None] = [None] * len(runs)
    for at in range(len(runs) - 1, -1, -1):
        length = runs[at][1] - runs[at][0]
        closer[at] = following.get(length)
        following[length] = at
    at = 0
    while at < len(runs):
        other = closer[at]
        if other is None:
            at += 1
            continue
        yield Zone(runs[at][0], runs[other][1], ZoneKind.CODE)
        at = other + 1


def _quotes(part: str, taken: bytearray) -> Iterator[Zone]:
    opened: int | None = None
    closers = ""
    inches = part.count('"') % 2 == 1
    for match in _QUOTE_MARKS.finditer(part):
        at, mark = match.start(), match.group()
        if taken[at] or _is_no_quote(part, at, inches):
            continue
        if opened is None:
            if mark == '"' or mark in _QUOTE_PAIRS:
                opened, closers = at, _QUOTE_PAIRS.get(mark, '"')
        elif mark in closers:
            yield Zone(opened, at + 1, ZoneKind.QUOTE)
            opened = None


def _is_no_quote(part: str, at: int, inches: bool) -> bool:
    """Apostrophes, and inch marks where the marks don't pair up."""
    if part[at] == '"':
        return inches and part[at - 1 : at].isdigit()
    return part[at] == "’" and part[at - 1 : at].isalnum() and part[at + 1 : at + 2].isalnum()


def _parentheses(part: str, taken: bytearray) -> Iterator[Zone]:
    stack: list[int] = []
    for match in _BRACKETS.finditer(part):
        if taken[match.start()]:
            continue
        if match.group() == "(":
            stack.append(match.start())
        elif stack:
            yield Zone(stack.pop(), match.end(), ZoneKind.PARENTHESIS)
