"""What the guard changed in an answer, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Kind = Literal["same", "removed", "added"]

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_MAX_WORDS = 6_000
"""The comparison takes time that grows with the square of the words."""


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch of text that stayed, was removed, or was added."""

    kind: Kind
    text: str


def changes(before: str, after: str) -> tuple[Change, ...] | None:
    """How `after` was made from `before`; None if they are too long to compare."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) + len(new) > _MAX_WORDS:
        return None
    return tuple(_compare(old, new))


def _compare(old: list[str], new: list[str]) -> Iterator[Change]:
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Change("same", "".join(old[i:j]))
            continue
        if j > i:
            yield Change("removed", "".join(old[i:j]))
        if m > k:
            yield Change("added", "".join(new[k:m]))
