"""What the guard changed in an answer, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Kind = Literal["same", "removed", "added"]
Step = tuple[str, int, int, int, int]
"""What to do, and the ranges of words before and after, as difflib has them."""

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_MAX_WORDS = 6_000
"""The comparison takes time that grows with the square of the words."""
_REMOVING = ("replace", "delete")
_FEW_WORDS = 2


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
    for tag, i, j, k, m in _readable(SequenceMatcher(None, old, new, autojunk=False).get_opcodes(), old):
        if tag == "equal":
            yield Change("same", "".join(old[i:j]))
            continue
        if j > i:
            yield Change("removed", "".join(old[i:j]))
        if m > k:
            yield Change("added", "".join(new[k:m]))


def _readable(steps: Sequence[Step], old: Sequence[str]) -> list[Step]:
    """Joins replacements that only a word or two keep apart: nobody can read a text woven from two."""
    joined: list[Step] = []
    for place, (tag, i, j, k, m) in enumerate(steps):
        after = steps[place + 1][0] if place + 1 < len(steps) else "equal"
        short = tag == "equal" and sum(word[0].isalnum() for word in old[i:j]) <= _FEW_WORDS
        if joined and joined[-1][0] in _REMOVING and (tag != "equal" or (short and after in _REMOVING)):
            _, start, _, new_start, _ = joined.pop()
            joined.append(("replace", start, j, new_start, m))
        else:
            joined.append((tag, i, j, k, m))
    return joined
