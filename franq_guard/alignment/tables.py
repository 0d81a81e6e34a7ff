"""Tables in passages, written out row by row, so that a figure is read with what it is a figure of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from franq_guard.claims import BlockKind, split_blocks

Range = tuple[int, int]

_TABBED = re.compile(r"[^\t\n]+(?:\t[^\t\n]*)+")
_LEAST_TABBED_LINES = 2


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table.

    Attributes:
        start: first character in the passage.
        end: one past the last character.
        sentences: each cell but the first as "row header, column header: value.", with its place.
    """

    start: int
    end: int
    sentences: tuple[tuple[str, Range], ...]


@dataclass(frozen=True, slots=True)
class PassageTable:
    """A table of a passage: Markdown with a header line, or lines of cells between tabs.

    Attributes:
        start: first character of its header.
        end: one past the last character of its last row.
        rows: at least one.
    """

    start: int
    end: int
    rows: tuple[TableRow, ...]


def find_tables(passage: str) -> list[PassageTable]:
    """Finds the tables that have column headers and at least two columns, in order and disjoint."""
    if "|" in passage:
        return list(_markdown(passage))
    return list(_tabbed(passage)) if "\t" in passage else []


def _markdown(passage: str) -> Iterator[PassageTable]:
    start, end = -1, -1
    rows: list[TableRow] = []
    for block in split_blocks(passage):
        if block.kind is BlockKind.TABLE_ROW and start >= 0 and block.header:
            row = _row(passage, block.cells, block.header)
            if row is not None:
                rows.append(row)
                end = block.end
            continue
        if rows:
            yield PassageTable(start, end, tuple(rows))
        rows = []
        start = block.start if block.kind is BlockKind.TABLE_HEADER else -1
    if rows:
        yield PassageTable(start, end, tuple(rows))


def _tabbed(passage: str) -> Iterator[PassageTable]:
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]+", passage)]
    at = 0
    while at < len(lines):
        run = at
        columns = len(passage[slice(*lines[at])].split("\t"))
        while run < len(lines) and _is_tabbed(passage, lines[run], columns):
            run += 1
        if run - at >= _LEAST_TABBED_LINES:
            header = tuple(cell.strip() for cell in passage[slice(*lines[at])].split("\t"))
            found = (_row(passage, _cells(passage, line), header) for line in lines[at + 1 : run])
            rows = tuple(row for row in found if row is not None)
            if rows:
                yield PassageTable(lines[at][0], lines[run - 1][1], rows)
        at = max(run, at + 1)


def _is_tabbed(passage: str, line: Range, columns: int) -> bool:
    text = passage[slice(*line)]
    return _TABBED.fullmatch(text) is not None and len(text.split("\t")) == columns


def _cells(passage: str, line: Range) -> list[Range]:
    cells, at = [], line[0]
    for cell in passage[slice(*line)].split("\t"):
        start = at + len(cell) - len(cell.lstrip())
        cells.append((start, max(start, at + len(cell.rstrip()))))
        at += len(cell) + 1
    return cells


def _row(passage: str, cells: Sequence[Range], header: Sequence[str]) -> TableRow | None:
    full = [cell for cell in cells if cell[0] < cell[1]]
    if len(full) < 2:
        return None
    name = passage[slice(*cells[0])]
    sentences = []
    for at, cell in enumerate(cells[1:], start=1):
        if cell[0] < cell[1]:
            title = header[at] if at < len(header) else ""
            label = ", ".join(part for part in (name, title) if part)
            sentences.append((f"{label}: {passage[slice(*cell)]}.", cell))
    return TableRow(full[0][0], full[-1][1], tuple(sentences))
