"""Unwarranted confidence: no hedge, though neither passages nor the model's own knowledge carry the claim."""

from __future__ import annotations

from franq_guard.alignment.lexical import terms
from franq_guard.diagnosis.case import Case
from franq_guard.schema import Trigger, TriggerName

_SOUNDS_SURE = 0.85
_DOUBTFUL_BELOW = 0.5
_TAKES_OVER = 0.6
"""Share of the question's words in a claim that takes its premise over."""

_ADVICE = "Instruct the model to decline what its sources do not say, or let the policy hedge or block."
_PREMISE_ADVICE = (
    "Let the model check the question's premise, and reject one that its sources do not bear out."
)


def unwarranted_confidence(case: Case) -> Trigger | None:
    """Fires if a claim sounds sure, no passage bears it out, and P(true) is below one half.

    Where the claim takes over the question's words and the passages do not have them, the question's
    premise is named as the cause. The strength is how much surer the claim sounds than it is.
    """
    claim = case.claim
    if claim.p_true is None or claim.stated_confidence is None or case.supported:
        return None
    if claim.stated_confidence < _SOUNDS_SURE or claim.p_true >= _DOUBTFUL_BELOW:
        return None
    wanted = terms(case.question).words
    taken = len(wanted & terms(claim.text).words) / len(wanted) if wanted else 0.0
    premise = taken >= _TAKES_OVER and case.question_coverage < _TAKES_OVER
    return Trigger(
        name=TriggerName.UNWARRANTED_CONFIDENCE,
        strength=claim.stated_confidence - claim.p_true,
        detail=(
            f"It sounds {claim.stated_confidence:.0%} sure, and P(true) is {claim.p_true:.0%}"
            + ("; the question presumes what no passage says." if premise else "; no passage bears it out.")
        ),
        advice=_PREMISE_ADVICE if premise else _ADVICE,
    )
