"""Takes whole sentences out of the layout, without leaving empty bullets, broken tables or gaps behind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from franq_guard.claims.blocks import Block, BlockKind
from franq_guard.policy import BlockMode
from franq_guard.rewriting.checks import is_balanced
from franq_guard.rewriting.edits import Edit
from franq_guard.rewriting.numbering import renumber
from franq_guard.rewriting.sentences import Sentence
from franq_guard.rewriting.wording import one_line

_GAP_BEFORE = re.compile(r"(?:[ \t]|\n[ \t]*(?:>[ \t]?)*|\r)*\Z")
_GAP_AFTER = re.compile(r"(?:[ \t\r]|\n[ \t]*(?:>[ \t]?)*)*")
_EMPTY_CELL = "–"
_EDGES = '*_~"“”«»()[]'
_GAP_LOOKBACK = 1000
_CHILD_INDENT = 2


class Remover:
    """Removes or replaces sentences of one answer.

    Args:
        answer: the answer.
        blocks: its blocks.
        sentences: all of its sentences.
        mode: "drop" or "replace".
        message: what replaces a sentence.
    """

    def __init__(
        self,
        answer: str,
        blocks: Sequence[Block],
        sentences: Sequence[Sentence],
        mode: BlockMode,
        message: str,
    ) -> None:
        self._answer = answer
        self._blocks = blocks
        self._mode = mode
        self._message = message
        self._by_block: dict[int, list[Sentence]] = {}
        for sentence in sentences:
            self._by_block.setdefault(sentence.block, []).append(sentence)

    def remove(self, doomed: Sequence[Sentence]) -> list[Edit]:
        """Makes the edits that take these sentences out."""
        edits: list[Edit] = []
        starts = {sentence.start for sentence in doomed}
        gone: set[int] = set()
        for at in sorted({sentence.block for sentence in doomed}, reverse=True):
            kind, members = self._blocks[at].kind, self._by_block[at]
            if kind is BlockKind.TABLE_HEADER or (kind is BlockKind.TABLE_ROW and self._mode == "replace"):
                edits += self._clear_row(at, _cause(members))
                continue
            emptied = self._is_emptied(at, starts)
            if emptied and self._mode == "drop" and not self._has_children(at, gone):
                gone.add(at)
            else:
                groups = self._groups(members, starts)
                edits += [self._remove_group(group, replace=emptied) for group in groups]
        return [*edits, *self._remove_blocks(sorted(gone)), *renumber(self._answer, self._blocks, gone)]

    def _is_emptied(self, at: int, starts: set[int]) -> bool:
        block, members = self._blocks[at], self._by_block[at]
        if any(sentence.start not in starts for sentence in members):
            return False
        if block.kind is BlockKind.CODE:
            return True
        left = list(self._answer[block.start : block.end])
        for sentence in members:
            begin = sentence.start - block.start
            left[begin : sentence.end - block.start] = " " * (sentence.end - sentence.start)
        visible = "".join(
            "".join(left[start - block.start : end - block.start]) for start, end in block.lines
        )
        return not any(map(str.isalnum, visible))

    def _has_children(self, at: int, gone: set[int]) -> bool:
        """True for a list item with indented blocks below it that stay: they need their parent."""
        if self._blocks[at].kind is not BlockKind.LIST_ITEM:
            return False
        for below in range(at + 1, len(self._blocks)):
            if self._indent(below) < max(self._indent(at) + 1, _CHILD_INDENT):
                return False
            if below not in gone:
                return True
        return False

    def _indent(self, at: int) -> int:
        start = self._blocks[at].start
        return start - self._line_start(start)

    def _line_start(self, at: int) -> int:
        return self._answer.rfind("\n", 0, at) + 1

    def _groups(self, members: Sequence[Sentence], starts: set[int]) -> Iterator[list[Sentence]]:
        """Runs of doomed sentences in a block with nothing between them."""
        group: list[Sentence] = []
        for sentence in members:
            if group and (sentence.start not in starts or self._gap_after(group[-1].end) < sentence.start):
                yield group
                group = []
            if sentence.start in starts:
                group.append(sentence)
        if group:
            yield group

    def _remove_group(self, group: Sequence[Sentence], *, replace: bool) -> Edit:
        block = self._blocks[group[0].block]
        start, end = group[0].start, group[-1].end
        if block.kind is BlockKind.CODE:
            start, end = block.start, block.end
        start, end = _without_loose_edges(self._answer, start, end)
        cause = _cause(group)
        if self._mode == "replace" or replace:
            return Edit(start, end, self._message, cause)
        gap_before, gap_after = self._gap_before(start), self._gap_after(end)
        first, last = block.lines[0][0], block.lines[-1][1]
        breaks_before = "\n" in self._answer[gap_before:start]
        breaks_after = "\n" in self._answer[end:gap_after]
        opens = start > group[0].start  # a mark that stays must touch what it opens
        if end < last and (opens or group[0].start <= first or (breaks_before and not breaks_after)):
            return Edit(start, gap_after, "", cause)
        return Edit(max(gap_before, first), end, "", cause)

    def _gap_before(self, start: int) -> int:
        low = max(0, start - _GAP_LOOKBACK)
        found = _GAP_BEFORE.search(self._answer[low:start])
        return low + found.start() if found else start

    def _gap_after(self, end: int) -> int:
        found = _GAP_AFTER.match(self._answer, end)
        return found.end() if found else end

    def _clear_row(self, at: int, cause: int | None) -> Iterator[Edit]:
        """Empties the cells of a table row; the message, if wanted, goes into the first."""
        first = one_line(self._message).replace("|", "\\|") if self._mode == "replace" else _EMPTY_CELL
        for column, (start, end) in enumerate(self._blocks[at].cells):
            if start < end or column == 0:
                yield Edit(start, end, first if column == 0 else _EMPTY_CELL, cause)

    def _remove_blocks(self, gone: Sequence[int]) -> Iterator[Edit]:
        """Deletes whole blocks, and of the gaps around them the smaller one."""
        for run in _consecutive(gone):
            first, last = run[0], run[-1]
            cause = _cause([sentence for at in run for sentence in self._by_block[at]])
            start, end = self._blocks[first].start, self._blocks[last].end
            above = self._blocks[first - 1].end if first else None
            if last + 1 == len(self._blocks):
                yield Edit(start if above is None else above, end, "", cause)
                continue
            below = self._blocks[last + 1].start
            if above is not None and self._breaks(end, below) > self._breaks(above, start):
                yield Edit(above, end, "", cause)
            else:
                yield Edit(self._line_start(start), self._line_start(below), "", cause)

    def _breaks(self, start: int, end: int) -> int:
        return self._answer.count("\n", start, end)


def _consecutive(numbers: Sequence[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _without_loose_edges(text: str, start: int, end: int) -> tuple[int, int]:
    """Leaves out marks at either end whose partner is outside: the "**" that opens several sentences."""
    if _is_whole(text[start:end]):
        return start, end
    left = start
    while left < end and text[left] in _EDGES:
        left += 1
    right = end
    while right > left and text[right - 1] in _EDGES:
        right -= 1
    for low, high in ((left, end), (start, right), (left, right)):
        if low < high and _is_whole(text[low:high]):
            return low, high
    return start, end


def _is_whole(text: str) -> bool:
    return is_balanced(text) and not any(text.count(mark) % 2 for mark in "*_")


def _cause(sentences: Sequence[Sentence]) -> int | None:
    claims = {claim.index for sentence in sentences for claim in sentence.claims}
    return claims.pop() if len(claims) == 1 else None
