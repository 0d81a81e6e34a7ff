"""The structure of a text in Markdown or plain text: paragraphs, headings, list items, tables, quotes, code.

One pass over the lines. Nothing is lost: every character that is not white space lies in exactly one block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from franq_guard.claims.lines import (
    BOLD_LINE,
    CODE_INDENT,
    FENCE,
    HEADING,
    MARKER,
    QUOTE,
    RULE,
    TEXT_FENCES,
    UNDERLINE,
    Line,
    Range,
    is_delimiter,
    is_plain_text,
    is_prose_again,
    is_row,
    longest_closers,
    looks_like_code,
    reads_like_prose,
    row_cells,
    split_lines,
    without_closing_hashes,
)


class BlockKind(StrEnum):
    """What a block of text is; `MARKUP` is a rule or a fence, which says nothing."""

    PROSE = "prose"
    HEADING = "heading"
    LIST_ITEM = "list_item"
    TABLE_HEADER = "table_header"
    TABLE_ROW = "table_row"
    CODE = "code"
    QUOTE = "quote"
    MARKUP = "markup"


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text of one kind.

    Attributes:
        kind: what it is.
        start: first character, markup included; never white space.
        end: one past the last character; never white space before it.
        lines: what is left of each line without markup and outer white space; empty for pure markup.
        cells: the cells of a table line without outer white space; empty cells are empty ranges.
        header: the column titles that go with a table row; empty if unknown.
    """

    kind: BlockKind
    start: int
    end: int
    lines: tuple[Range, ...]
    cells: tuple[Range, ...] = ()
    header: tuple[str, ...] = ()


def split_blocks(text: str) -> list[Block]:
    """Splits a text into blocks, in order and disjoint; linear time.

    A closed code fence is code, unless it is marked as text or not marked at all and reads like prose: whole
    answers are often wrapped so. An open fence ends where the text reads like prose again.
    """
    scanner = _Scanner(split_lines(text))
    scanner.scan()
    return scanner.blocks


def markup_ranges(text: str) -> list[Range]:
    """Finds the characters that are structure and state nothing.

    They are list markers, heading and quote signs, rules, fences around text, and the outer pipes and
    delimiter lines of tables.

    Returns:
        Sorted and disjoint ranges; white space may be inside.
    """
    ranges = []
    for block in split_blocks(text):
        at = block.start
        for start, end in (*block.lines, (block.end, block.end)):
            if text[at:start].strip():
                ranges.append((at, start))
            at = end
    return ranges


class _Scanner:
    """Walks over the lines once. `parts` are the lines of the block that is still open."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.blocks: list[Block] = []
        self.kind = BlockKind.PROSE
        self.start = 0
        self.parts: list[Range] = []
        self.in_list = False
        self.after_blank = True
        self.plain_fences: set[int] = set()
        self.longest_closer = longest_closers(lines)

    def scan(self) -> None:
        at = 0
        while at < len(self.lines):
            if self.lines[at].text:
                at = self._line(at)
            else:
                self._close()
                self.after_blank = True
                at += 1
        self._close()

    def _line(self, at: int) -> int:
        """Takes the line, and those which belong to it; returns the next line to look at."""
        line = self.lines[at]
        after = at + 1
        after_blank, self.after_blank = self.after_blank, False
        if at in self.plain_fences:
            self._emit(BlockKind.MARKUP, line.start, line.end)
            self.after_blank = True
        elif fence := FENCE.fullmatch(line.text):
            after = self._fence(at, fence["fence"], fence["info"].lower())
        elif "|" in line.text and (end := self._table(at)) > at:
            after = end
        elif after_blank and not self.in_list and self._is_indented_code(line):
            after = self._indented_code(at)
        elif not self._marked(at):
            self._text(line)
        return after

    def _marked(self, at: int) -> bool:
        """Takes a heading, rule, list item or quote."""
        line = self.lines[at]
        text = line.text
        if mark := HEADING.match(text):
            self._heading(line, mark.end(), len(without_closing_hashes(text)))
        elif bold := BOLD_LINE.fullmatch(text):
            self._heading(line, *bold.span("title"))
        elif self._is_underline(at):
            self.kind = BlockKind.HEADING
            self._close(line.end)
        elif RULE.fullmatch(text):
            self._emit(BlockKind.MARKUP, line.start, line.end)
        elif (marker := MARKER.match(text)) and marker.end() == len(text):
            self._emit(BlockKind.MARKUP, line.start, line.end)
        elif marker:
            self._close()
            self.in_list = True
            self._open(BlockKind.LIST_ITEM, line, marker.end())
        elif quote := QUOTE.match(text):
            self._quoted(line, quote.end())
        else:
            return False
        return True

    def _text(self, line: Line) -> None:
        goes_on = self.kind is BlockKind.PROSE or line.indent > 0 or line.text[0].islower()
        if self.parts and goes_on:
            self.parts.append((line.start, line.end))
            return
        self._close()
        self.in_list = self.in_list and line.indent > 0
        self._open(BlockKind.PROSE, line, 0)

    def _quoted(self, line: Line, marker: int) -> None:
        if marker == len(line.text):
            self._emit(BlockKind.MARKUP, line.start, line.end)
        elif self.parts and self.kind is BlockKind.QUOTE:
            self.parts.append((line.start + marker, line.end))
        else:
            self._close()
            self._open(BlockKind.QUOTE, line, marker)

    def _heading(self, line: Line, left: int, right: int) -> None:
        self.in_list = False
        title = line.text[left:right]
        start = line.start + left + len(title) - len(title.lstrip())
        end = start + len(title.strip())
        if start < end:
            self._emit(BlockKind.HEADING, line.start, line.end, [(start, end)])
        else:
            self._emit(BlockKind.MARKUP, line.start, line.end)

    def _is_underline(self, at: int) -> bool:
        if self.kind is not BlockKind.PROSE or len(self.parts) != 1:
            return False
        title = self.lines[at - 1].text
        return UNDERLINE.fullmatch(self.lines[at].text) is not None and title[-1] not in ".!?:;,"

    def _fence(self, at: int, fence: str, info: str) -> int:
        lines = self.lines
        after = at + 1
        if self.longest_closer[after].get(fence[0], 0) >= len(fence):
            while not (set(lines[after].text) == {fence[0]} and len(lines[after].text) >= len(fence)):
                after += 1
            inside = [line.text for line in lines[at + 1 : after] if line.text]
            if info in TEXT_FENCES and is_plain_text(inside):
                self.plain_fences.add(after)
                self._emit(BlockKind.MARKUP, lines[at].start, lines[at].end)
                self.after_blank = True
                return at + 1
            after += 1
        else:
            while after < len(lines) and not is_prose_again(lines[after].text):
                after += 1
        self._code(at, after)
        return after

    @staticmethod
    def _is_indented_code(line: Line) -> bool:
        return line.indent >= CODE_INDENT and looks_like_code(line.text)

    def _indented_code(self, at: int) -> int:
        after = at + 1
        while after < len(self.lines):
            line = self.lines[after]
            if line.text and (line.indent < CODE_INDENT or reads_like_prose(line.text)):
                break
            after += 1
        self._code(at, after)
        return after

    def _code(self, at: int, after: int) -> None:
        inside = [line for line in self.lines[at:after] if line.text]
        self._emit(
            BlockKind.CODE, inside[0].start, inside[-1].end, [(line.start, line.end) for line in inside]
        )

    def _table(self, at: int) -> int:
        """Takes the rest of the table that starts here; returns the line after it, `at` if there is none."""
        lines, after = self.lines, at
        header: tuple[str, ...] = ()
        if at + 1 < len(lines) and is_delimiter(lines[at + 1].text):
            header = self._row(BlockKind.TABLE_HEADER, lines[at], end=lines[at + 1].end)
            after = at + 2
        elif is_delimiter(lines[at].text):
            self._emit(BlockKind.MARKUP, lines[at].start, lines[at].end)
            after = at + 1
        outer_pipes = after == at
        while after < len(lines) and is_row(lines[after].text, outer_pipes=outer_pipes):
            self._row(BlockKind.TABLE_ROW, lines[after], header=header)
            after += 1
        return after

    def _row(
        self, kind: BlockKind, line: Line, *, header: tuple[str, ...] = (), end: int | None = None
    ) -> tuple[str, ...]:
        cells = row_cells(line)
        full = [cell for cell in cells if cell[0] < cell[1]]
        if full:
            self._emit(kind, line.start, end or line.end, [(full[0][0], full[-1][1])], cells, header)
        else:
            self._emit(BlockKind.MARKUP, line.start, end or line.end)
        return tuple(line.text[left - line.start : right - line.start] for left, right in cells)

    def _open(self, kind: BlockKind, line: Line, marker: int) -> None:
        self.kind = kind
        self.start = line.start
        self.parts = [(line.start + marker, line.end)]

    def _close(self, end: int | None = None) -> None:
        if self.parts:
            block = Block(self.kind, self.start, end or self.parts[-1][1], tuple(self.parts))
            self.blocks.append(block)
        self.parts = []

    def _emit(
        self,
        kind: BlockKind,
        start: int,
        end: int,
        lines: Sequence[Range] = (),
        cells: tuple[Range, ...] = (),
        header: tuple[str, ...] = (),
    ) -> None:
        self._close()
        self.blocks.append(Block(kind, start, end, tuple(lines), cells, header))
