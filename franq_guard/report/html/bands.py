"""Ranges of P(true), each with a look of its own: colour, underline and words all say the same."""

from __future__ import annotations

from dataclasses import dataclass

from franq_guard.schema import ScoredClaim, Verdict


@dataclass(frozen=True, slots=True)
class Band:
    """One look.

    Attributes:
        key: class in the style sheet.
        label: in words.
        line: how it is underlined, in words; empty if it is not.
    """

    key: str
    label: str
    line: str


HIGH = Band("high", "90% and more", "thin line")
FAIR = Band("fair", "60% to 90%", "dotted line")
LOW = Band("low", "30% to 60%", "dashed line")
VERY_LOW = Band("verylow", "below 30%", "wavy line")
UNCHECKED = Band("unchecked", "not checked", "double line")
NO_CLAIM = Band("noclaim", "no claim", "")

BANDS = (HIGH, FAIR, LOW, VERY_LOW, UNCHECKED, NO_CLAIM)


def band_of(p_true: float | None, verdict: Verdict) -> Band:
    """The look of a claim."""
    if verdict is Verdict.NOT_CHECKWORTHY:
        return NO_CLAIM
    if p_true is None:
        return UNCHECKED
    return HIGH if p_true >= 0.9 else FAIR if p_true >= 0.6 else LOW if p_true >= 0.3 else VERY_LOW


def doubt_key(claim: ScoredClaim) -> tuple[int, float]:
    """Sorts the least likely claim first, then those not checked, then those that need no check."""
    if claim.p_true is not None:
        return 0, claim.p_true
    return (2 if claim.verdict is Verdict.NOT_CHECKWORTHY else 1), 0.0
