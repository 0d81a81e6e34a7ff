"""Over-specified: the claim is more precise than anything that was retrieved."""

from __future__ import annotations

from franq_guard.diagnosis.case import Case
from franq_guard.quantities import Relation, differences, missing_names, quantities
from franq_guard.schema import Trigger, TriggerName

_TOPIC = 0.3
"""Share of the claim's words that a window must mention, or else the passages are about something else."""

_ADVICE = (
    "Retrieve a passage that states the detail, or instruct the model to be no more precise than its sources."
)


def over_specified(case: Case) -> Trigger | None:
    """Fires for a number, date or unit that is finer than the passages', or a detail that they do not have.

    A figure that a passage states otherwise is a contradiction, not this. Details that are in the question
    are not the answer's. Strength: 0.9 for a finer figure, 0.7 for one with no counterpart, 0.6 for a name.
    """
    if case.alignment is None or float(case.alignment.coverage.max(initial=0.0)) < _TOPIC:
        return None
    stated = [quantity for text in (*case.passages, case.question) for quantity in quantities(text)]
    found = differences(case.claim_quantities, stated)
    finer = [difference for difference in found if difference.relation is Relation.FINER]
    if finer and finer[0].text is not None:
        return _trigger(0.9, f"“{finer[0].claim.text}” is more precise than “{finer[0].text.text}”.")
    absent = [difference for difference in found if difference.relation is Relation.ABSENT]
    if absent:
        return _trigger(0.7, f"No passage gives a figure that “{absent[0].claim.text}” could come from.")
    if case.supported:
        return None
    names = missing_names(case.claim.text, (*case.passages, case.question))
    if names and not case.denies.any():
        return _trigger(0.6, f"No passage mentions “{names[0]}”.")
    return None


def _trigger(strength: float, detail: str) -> Trigger:
    return Trigger(name=TriggerName.OVER_SPECIFIED, strength=strength, detail=detail, advice=_ADVICE)
