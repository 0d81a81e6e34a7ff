import pytest

from franq_guard.policy import Policy
from franq_guard.schema import (
    Coverage,
    Evidence,
    GuardReport,
    Passage,
    ScoredClaim,
    Signals,
    Span,
    Trigger,
    TriggerName,
    Verdict,
)

TOO_PRECISE = Trigger(
    name=TriggerName.OVER_SPECIFIED,
    strength=0.8,
    detail="The claim says “450 m”; passage 1 gives no height.",
    advice="Retrieve a passage that states the figure, or ask for less detail.",
    passages=(0,),
)
ANSWER = "The Eiffel Tower was finished in 1889. It is 450 m tall. Ask me for more."


def scored(index: int, start: int, end: int, p_true: float | None, verdict: Verdict) -> ScoredClaim:
    span = Span.of(ANSWER, start, end)
    text = "The tower was completed in March 1889 |\n"
    quote = Evidence(passage=0, start=0, end=40, text=text, aligned=0.9, neutral=0.07, contradicted=0.03)
    return ScoredClaim(
        index=index,
        text=span.text,
        spans=(span,),
        sentence=span,
        p_true=p_true,
        p_faithful=p_true,
        verdict=verdict,
        evidence=() if p_true is None else (quote,),
        signals=Signals(alignment=p_true, max_claim_log_prob=-0.25, tokens=9),
        triggers=(TOO_PRECISE,) if index == 1 else (),
        unchecked_reason="the deadline passed" if p_true is None else "",
    )


@pytest.fixture
def report() -> GuardReport:
    claims = Policy().apply(
        [
            scored(0, 0, 38, 0.97, Verdict.SUPPORTED),
            scored(1, 39, 56, 0.08, Verdict.CONTRADICTED),
            scored(2, 57, 73, None, Verdict.UNCHECKED),
        ]
    )
    return GuardReport(
        question="When was the tower finished?",
        passages=(Passage("The tower was completed in March 1889 |\nfor the fair.", title="Eiffel Tower"),),
        answer=ANSWER,
        text="The Eiffel Tower was finished in 1889. [removed] Ask me for more [not checked].",
        claims=claims,
        calibration="condition",
        calibrator="c0ffee",
        models={"language_model": "hf:org/model", "alignment_model": "align-mini"},
        coverage=Coverage(total=60, scored=45, not_checkworthy=6),
        timings={"claims": 0.0012, "alignment": 0.5},
        notes=("the answer was cut [at] 100 tokens",),
    )
