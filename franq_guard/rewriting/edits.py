"""Changes to a text as data: what was replaced where, and on account of which claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """Puts `replacement` in place of the characters `[start, end)` of the answer.

    Attributes:
        start: first character replaced.
        end: one past the last; equal to `start` for an insertion.
        replacement: the new characters; empty for a deletion.
        claim: index of the claim that caused it; None if several did or none in particular.
    """

    start: int
    end: int
    replacement: str
    claim: int | None = None


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A rewritten answer.

    Attributes:
        text: what to show; `apply_edits(answer, edits)`.
        blocked: True if the whole answer was replaced by the policy's message.
        edits: sorted and disjoint; at most one insertion per place.
        notes: what was lost besides the blocked claims, and fallbacks taken.
    """

    text: str
    blocked: bool = False
    edits: tuple[Edit, ...] = ()
    notes: tuple[str, ...] = ()


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Carries out sorted, disjoint edits."""
    parts, at = [], 0
    for edit in edits:
        parts += [text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join([*parts, text[at:]])


def apply_within(text: str, edits: Iterable[Edit], start: int, end: int) -> str:
    """Carries out edits that all lie in `[start, end]`, and gives back that part of the text only."""
    moved = [Edit(edit.start - start, edit.end - start, edit.replacement) for edit in edits]
    return apply_edits(text[start:end], merge_edits(moved))


def merge_edits(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Sorts edits, joins insertions at the same place in the order given, and drops those inside a deletion.

    An insertion at either end of a replaced range stays: before it, or behind it. Ranges that overlap become
    one, with both replacements.
    """
    merged: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        last = merged[-1] if merged else None
        if edit.start == edit.end and not edit.replacement:
            continue
        if last is None or edit.start > last.end or (edit.start == last.end and not _same_place(last, edit)):
            merged.append(edit)
        elif edit.start == edit.end and edit.start < last.end:
            continue
        else:
            claim = last.claim if last.claim == edit.claim else None
            merged[-1] = Edit(last.start, max(last.end, edit.end), last.replacement + edit.replacement, claim)
    return tuple(merged)


def _same_place(first: Edit, second: Edit) -> bool:
    return first.start == first.end == second.start == second.end
