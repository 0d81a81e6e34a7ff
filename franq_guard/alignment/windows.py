"""Passages -> the texts an alignment model reads, each with its place in the passages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from franq_guard.alignment.splitters import SplitFunction
from franq_guard.alignment.tables import TableRow, find_tables

SEPARATOR = "\n"
"""What joins passages into one context."""

_WORD = re.compile(r"\S+")
_LONG_WORD = 12
_CHARS_PER_UNIT = 3


class Piece(NamedTuple):
    """Characters `[start, end)` of a passage."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Window:
    """What the model reads.

    Attributes:
        text: the text.
        pieces: where it comes from, in order; more than one if it spans passages, none for an empty context.
        table_row: True if the text is a table's row written out; the passage's own words are others.
    """

    text: str
    pieces: tuple[Piece, ...] = ()
    table_row: bool = False


EMPTY = Window("")
"""Stands for passages that hold no text."""


def reading_cost(text: str) -> int:
    """Estimates, rather too high, how many tokens a model needs for a text."""
    return sum(_word_cost(match[0]) for match in _WORD.finditer(text))


def _word_cost(word: str) -> int:
    if len(word) > _LONG_WORD or not word.isascii():
        return len(word)
    return -(-len(word) // _CHARS_PER_UNIT)


def cut(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """Cuts `[start, end)` at white space into ranges of at most `limit` tokens (`reading_cost`).

    Every character that is not white space is in exactly one range. A word longer than the limit is
    cut inside.
    """
    begin, last, cost = -1, start, 0
    for match in _WORD.finditer(text, start, end):
        step = len(match[0]) if _word_cost(match[0]) <= limit else limit
        for a in range(match.start(), match.end(), step):
            b = min(a + step, match.end())
            size = _word_cost(text[a:b])
            if begin >= 0 and (a > match.start() or cost + size > limit):
                yield begin, last
                begin, cost = -1, 0
            begin = a if begin < 0 else begin
            last, cost = b, cost + size
    if begin >= 0:
        yield begin, last


def sentence_windows(
    passages: Sequence[str],
    split: SplitFunction,
    *,
    size: int = 3,
    stride: int = 2,
    limit: int = 220,
) -> list[Window]:
    """Cuts every passage into overlapping groups of sentences, for models that read short texts best.

    Windows never span passages. A sentence that exceeds the limit is cut, so the model cuts nothing off.
    Every character that is not white space is in a window, but for the header lines of tables, which are
    written out with every row.

    Args:
        passages: the texts.
        split: the sentence splitter.
        size: most sentences in a window, at least 1.
        stride: sentences from one window's start to the next's, in [1, size].
        limit: most tokens in a window, estimated by `reading_cost`; more than 12.

    Returns:
        Windows in the order of the text; one empty window if no passage holds any text.
    """
    windows: list[Window] = []
    for index, passage in enumerate(passages):
        at = 0
        for table in find_tables(passage):
            windows += _prose_windows(passage[: table.start], at, index, split, size, stride, limit)
            for row in table.rows:
                windows += _row_windows(row, index, limit)
            at = table.end
        windows += _prose_windows(passage, at, index, split, size, stride, limit)
    return windows or [EMPTY]


def _prose_windows(
    text: str, begin: int, index: int, split: SplitFunction, size: int, stride: int, limit: int
) -> Iterator[Window]:
    """The windows of `text[begin:]`; `text` begins where the passage does."""
    parts = [
        (begin + start, begin + end)
        for a, b in _covering(text[begin:], split)
        for start, end in cut(text[begin:], a, b, limit)
    ]
    first = 0
    while first < len(parts):
        start, after = parts[first][0], first + 1
        # Measured whole: two sentences without a blank between them are one long word.
        while after < min(first + size, len(parts)) and reading_cost(text[start : parts[after][1]]) <= limit:
            after += 1
        end = parts[after - 1][1]
        yield Window(text[start:end], (Piece(index, start, end),))
        if after == len(parts):
            break
        first = min(first + stride, after)


def _row_windows(row: TableRow, index: int, limit: int) -> Iterator[Window]:
    """A row written out, in several windows if it is too long for one."""
    texts: list[str] = []
    start, end = row.start, row.start
    for sentence, (cell_start, cell_end) in row.sentences:
        if texts and reading_cost(" ".join([*texts, sentence])) > limit:
            yield Window(" ".join(texts), (Piece(index, start, end),), table_row=True)
            texts, start = [], cell_start
        pieces = [sentence[a:b] for a, b in cut(sentence, 0, len(sentence), limit)]
        for piece in pieces[:-1]:
            yield Window(piece, (Piece(index, cell_start, cell_end),), table_row=True)
        texts.append(pieces[-1])
        end = cell_end
    yield Window(" ".join(texts), (Piece(index, start, end),), table_row=True)


def _covering(text: str, split: SplitFunction) -> Iterator[tuple[int, int]]:
    """The sentences, each stretched to the next one's start, so that nothing is left out."""
    starts = [span.start for span in split(text)]
    if starts:
        starts[0] = 0
        yield from zip(starts, [*starts[1:], len(text)], strict=True)
    elif text.strip():
        yield 0, len(text)


def nli_sp_windows(passages: Sequence[str], split: SplitFunction) -> list[Window]:
    """Cuts the joined passages as AlignScore does (Zha et al. 2023, sec. 3.3).

    With `m = floor(words / 350) + 1`, chunks hold `max(floor(sentences / m), 1)` sentences each, joined by
    one space; the last may hold fewer. A chunk may span passages. The model cuts off what does not fit.

    Args:
        passages: joined by `SEPARATOR`.
        split: the sentence splitter.

    Returns:
        Chunks in the order of the text; one empty window if there is no text.
    """
    context = SEPARATOR.join(passages)
    sentences = split(context)
    if not sentences:
        return [EMPTY]
    count = len(context.split()) // 350 + 1
    size = max(len(sentences) // count, 1)
    starts = _passage_starts(passages)
    windows = []
    for first in range(0, len(sentences), size):
        group = sentences[first : first + size]
        text = " ".join(sentence.text for sentence in group)
        windows.append(Window(text, tuple(_pieces(passages, starts, group[0].start, group[-1].end))))
    return windows


def whole_window(passages: Sequence[str]) -> list[Window]:
    """The joined passages as one window; the model cuts off what does not fit."""
    context = SEPARATOR.join(passages)
    return [Window(context, tuple(_pieces(passages, _passage_starts(passages), 0, len(context))))]


def _passage_starts(passages: Sequence[str]) -> list[int]:
    starts, position = [], 0
    for passage in passages:
        starts.append(position)
        position += len(passage) + len(SEPARATOR)
    return starts


def _pieces(passages: Sequence[str], starts: Sequence[int], start: int, end: int) -> Iterator[Piece]:
    """Maps `[start, end)` of the joined passages back; white space at the edges of a piece is left out."""
    for index, (passage, offset) in enumerate(zip(passages, starts, strict=True)):
        if offset >= end:
            return
        a, b = max(start - offset, 0), min(end - offset, len(passage))
        if a >= b:
            continue
        inside = passage[a:b]
        a += len(inside) - len(inside.lstrip())
        b -= len(inside) - len(inside.rstrip())
        if a < b:
            yield Piece(index, a, b)
