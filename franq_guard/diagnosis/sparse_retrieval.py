"""Sparse retrieval: no passage speaks to the question or the claim, so the answer filled the gap."""

from __future__ import annotations

from franq_guard.diagnosis.case import Case
from franq_guard.schema import Trigger, TriggerName

_SPEAKS_TO = 0.5
"""Share of the words of the question or the claim that a window must mention to speak to it."""

_ADVICE = (
    "Retrieve more or other passages (more results, another query, a wider index), or let the chain decline."
)


def sparse_retrieval(case: Case) -> Trigger | None:
    """Fires if the passages do not bear the claim out, and no window has half the words of either.

    The strength is the share of the claim's words that the best window lacks.
    """
    if case.alignment is None or not any(text.strip() for text in case.passages):
        return Trigger(
            name=TriggerName.SPARSE_RETRIEVAL,
            strength=1.0,
            detail="There are no passages.",
            advice=_ADVICE,
        )
    best = float(case.alignment.coverage.max(initial=0.0))
    if case.supported or best >= _SPEAKS_TO or case.question_coverage >= _SPEAKS_TO:
        return None
    return Trigger(
        name=TriggerName.SPARSE_RETRIEVAL,
        strength=1.0 - best,
        detail=(
            f"The best of {len(case.passages)} passages mentions {best:.0%} of the claim's words "
            f"and {case.question_coverage:.0%} of the question's."
        ),
        advice=_ADVICE,
    )
