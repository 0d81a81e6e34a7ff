"""Conflicting sources: the passages disagree about the claim, or the claim blends two that disagree."""

from __future__ import annotations

import numpy as np

from franq_guard.alignment.claim_alignment import SUPPORTED_ABOVE
from franq_guard.diagnosis.case import Case
from franq_guard.quantities import Relation, differences, quantities
from franq_guard.schema import Trigger, TriggerName

_ADVICE = "Drop the older or less reliable source before the model reads them, or have the answer name both."


def conflicting_sources(case: Case) -> Trigger | None:
    """Fires if one passage bears the claim out and another denies it, or if each has what the other denies.

    A window denies the claim if it mentions half of its words and contradicts it, to the model or by its
    numbers
    or negations. The strength is the smaller of how far the one supports it and how much the other has of it.
    """
    if case.alignment is None or len(case.passages) < 2 or not len(case.scores):
        return None
    coverage = case.alignment.coverage
    supports = (case.scores > SUPPORTED_ABOVE) & ~case.alignment.differs
    pro = {case.passage_of(int(row)): float(case.scores[row]) for row in np.flatnonzero(supports)}
    contra = {
        case.passage_of(int(row)): float(coverage[row]) for row in np.flatnonzero(case.denies & ~supports)
    }
    for passage in set(pro) & set(contra):
        del contra[passage]
    if pro and contra:
        one, other = max(pro, key=lambda p: pro[p]), max(contra, key=lambda p: contra[p])
        return _trigger(
            one, other, min(pro[one], contra[other]), "Passage {} bears this out, passage {} denies it."
        )
    return _blend(case)


def _blend(case: Case) -> Trigger | None:
    """Each of two passages bears out a figure that the other states otherwise."""
    if len(case.claim_quantities) < 2:
        return None
    denied: dict[int, set[int]] = {}
    for index, text in enumerate(case.passages):
        found = differences(case.claim_quantities, quantities(text))
        wrong = {d.claim.start for d in found if d.relation is Relation.DIFFERENT}
        right = {quantity.start for quantity in case.claim_quantities} - {d.claim.start for d in found}
        if wrong and right and case.share_in_windows(text) > 0:
            denied[index] = wrong
    for one, first in denied.items():
        for other, second in denied.items():
            if one < other and not first & second:
                return _trigger(
                    one, other, 0.6, "The claim takes figures from passages {} and {}, which differ."
                )
    return None


def _trigger(one: int | None, other: int | None, strength: float, words: str) -> Trigger:
    passages = tuple(passage for passage in (one, other) if passage is not None)
    return Trigger(
        name=TriggerName.CONFLICTING_SOURCES,
        strength=strength,
        detail=words.format(*(passage + 1 for passage in passages)),
        advice=_ADVICE,
        passages=passages,
    )
