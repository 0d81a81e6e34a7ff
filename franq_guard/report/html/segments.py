"""Cuts a text where marked ranges begin and end, so that overlapping ranges become a flat sequence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Range = tuple[int, int]
"""Characters `[start, end)`."""

MAX_COVERING = 12
"""Ranges named for one segment; with hundreds of nested ones a page would grow with their square."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text that the same marks cover.

    Attributes:
        text: its characters; empty in a gap.
        covering: the marks over it, in the order they were given; at most `MAX_COVERING`.
        ending: the marks whose last range ends with it, in the same order.
        gap: characters that were left out here; 0 in a segment with text.
    """

    text: str
    covering: tuple[int, ...] = ()
    ending: tuple[int, ...] = ()
    gap: int = 0


def fit(ranges: Sequence[Range], length: int) -> list[Range]:
    """The ranges cut to a text of `length` characters; those with nothing in it are dropped."""
    cut = [(max(start, 0), min(end, length)) for start, end in ranges]
    return [(start, end) for start, end in cut if start < end]


def segments(text: str, marks: Mapping[int, Sequence[Range]], shown: Sequence[Range]) -> Iterator[Segment]:
    """The text as segments, in order.

    Args:
        text: to be cut.
        marks: ranges by the number of the mark; they may overlap, nest and repeat. The order of the mapping
            is the order in which marks of one segment are named.
        shown: what to show of the text; sorted and disjoint. The rest becomes gaps.
    """
    rank = {mark: place for place, mark in enumerate(marks)}
    fitting = {mark: fit(ranges, len(text)) for mark, ranges in marks.items()}
    begins, ends, last = defaultdict(list), defaultdict(list), defaultdict(list)
    for mark, ranges in fitting.items():
        for start, end in ranges:
            begins[start].append(mark)
            ends[end].append(mark)
        if ranges:
            last[max(end for _, end in ranges)].append(mark)
    edges = [edge for piece in shown for edge in piece]
    points = sorted({0, len(text), *begins, *ends, *edges})
    active: dict[int, int] = defaultdict(int)
    hidden = 0
    for start, end in pairwise(points):
        for mark in ends[start]:
            active[mark] -= 1
            if not active[mark]:
                del active[mark]
        for mark in begins[start]:
            active[mark] += 1
        if not any(low <= start and end <= high for low, high in shown):
            hidden += end - start
            continue
        if hidden:
            yield Segment("", gap=hidden)
            hidden = 0
        covering = sorted(active, key=rank.__getitem__)[:MAX_COVERING]
        yield Segment(text[start:end], tuple(covering), tuple(sorted(last[end], key=rank.__getitem__)))
    if hidden:
        yield Segment("", gap=hidden)


def windows(length: int, ranges: Sequence[Range], limit: int, margin: int = 400) -> list[Range]:
    """What to show of a long text: its beginning and each range with a margin, `limit` characters in all.

    Args:
        length: of the text.
        ranges: what should be seen.
        limit: characters to show; a text that is not longer is shown whole.
        margin: characters around each range.
    """
    if length <= limit:
        return [(0, length)] if length else []
    fitting = fit(ranges, length)
    beginning = min(margin, limit // 4) if fitting else limit
    wanted, budget = fit([(0, beginning)], length), limit - beginning
    for start, end in fitting:
        low, high = max(start - margin, 0), min(end + margin, length, max(start - margin, 0) + budget)
        if high <= low:
            break
        wanted.append((low, high))
        budget -= high - low
    return _merged(wanted)


def _merged(ranges: Sequence[Range]) -> list[Range]:
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
