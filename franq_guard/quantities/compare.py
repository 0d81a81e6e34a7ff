"""Which quantities of a claim a text bears out, and which it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from franq_guard.quantities.quantity import Kind, Quantity

_EXPLICIT = frozenset({Kind.MEASURE, Kind.MONEY})
_COUNTED = frozenset({Kind.COUNT, Kind.ORDINAL})
_NEAR = 1e-9


class Relation(StrEnum):
    """How a claim's quantity stands to a text's.

    `SAME`: the text bears it out; rounding and vaguer wording are allowed. `FINER`: the claim is more precise
    than the text. `DIFFERENT`: both speak of the same kind of thing and exclude each other. `ABSENT`: the
    text has nothing to compare.
    """

    SAME = "same"
    FINER = "finer"
    DIFFERENT = "different"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Difference:
    """A quantity of a claim that a text does not bear out.

    Attributes:
        relation: `FINER`, `DIFFERENT` or `ABSENT`.
        claim: what the claim says.
        text: the nearest that the text says; None if absent.
    """

    relation: Relation
    claim: Quantity
    text: Quantity | None = None


def compare(claim: Quantity, text: Quantity) -> Relation:
    """How one quantity of a claim stands to one of a text."""
    if claim.kind is text.kind and claim.dimension == text.dimension:
        return _compare_intervals(claim, text)
    if claim.written is None or text.written is None or not _close(claim.written, text.written):
        return Relation.ABSENT
    explicit = claim.kind in _EXPLICIT and text.kind in _EXPLICIT
    # A bare number may leave its unit to the context, such as a table's heading.
    return Relation.DIFFERENT if explicit else Relation.SAME


def differences(claim: Sequence[Quantity], text: Sequence[Quantity]) -> tuple[Difference, ...]:
    """What of a claim's quantities a text does not bear out, in the order of the claim."""
    found = []
    for quantity in claim:
        relations = [(compare(quantity, other), other) for other in text]
        if any(relation is Relation.SAME for relation, _ in relations):
            continue
        for wanted in (Relation.FINER, Relation.DIFFERENT):
            others = [other for relation, other in relations if relation is wanted]
            if others:
                nearest = min(others, key=lambda other: abs(other.low - quantity.low))
                found.append(Difference(wanted, quantity, nearest))
                break
        else:
            found.append(Difference(Relation.ABSENT, quantity))
    return tuple(found)


def _compare_intervals(claim: Quantity, text: Quantity) -> Relation:
    slack = _NEAR * max(abs(claim.low), abs(text.low), 1.0) if _is_finite(claim, text) else 0.0
    if claim.low - slack <= text.low and text.high <= claim.high + slack:
        return Relation.SAME
    if text.low - slack <= claim.low and claim.high <= text.high + slack:
        return Relation.FINER
    if claim.low <= text.high and text.low <= claim.high:
        return Relation.SAME
    if claim.kind in _COUNTED and claim.nouns.isdisjoint(text.nouns) and (claim.nouns or text.nouns):
        return Relation.ABSENT
    return Relation.DIFFERENT


def _is_finite(*quantities: Quantity) -> bool:
    return all(abs(quantity.low) < float("inf") for quantity in quantities)


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= _NEAR * max(abs(one), abs(other), 1.0)
