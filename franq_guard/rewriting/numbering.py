"""Keeps numbered lists in order when items are gone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from franq_guard.claims.blocks import Block, BlockKind
from franq_guard.rewriting.edits import Edit

_NUMBER = re.compile(r"\(?(\d{1,3})[.)]")


@dataclass(slots=True)
class _List:
    """A numbered list being read: the last number seen, and how many items before it are gone."""

    last: int
    gone: int = 0


def renumber(answer: str, blocks: Sequence[Block], removed: Collection[int]) -> Iterator[Edit]:
    """Counts the items behind removed ones down.

    Args:
        answer: the answer.
        blocks: its blocks.
        removed: indices of the blocks that are deleted.
    """
    lists: dict[int, _List] = {}
    for at, block in enumerate(blocks):
        if block.kind is BlockKind.HEADING:
            lists.clear()
        if block.kind is not BlockKind.LIST_ITEM:
            continue
        indent = block.start - answer.rfind("\n", 0, block.start) - 1
        for deeper in [other for other in lists if other > indent]:
            del lists[deeper]
        found = _NUMBER.match(answer, block.start, block.end)
        if found is None:
            lists.pop(indent, None)
            continue
        number = int(found.group(1))
        current = lists.get(indent)
        if current is None or number != current.last + 1:
            current = lists[indent] = _List(number)
        current.last = number
        if at in removed:
            current.gone += 1
        elif current.gone:
            yield Edit(found.start(1), found.end(1), str(number - current.gone))
