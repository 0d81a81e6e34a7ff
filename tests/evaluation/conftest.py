import pytest

from franq_guard.schema import Evidence, GuardReport, Passage, ScoredClaim, Signals, Span, Verdict

ANSWER = "🗼 It is 330 m tall, and it was built in 1889. Shall I go on?"


@pytest.fixture
def report():
    """Two scored claims that share a sentence, and a question that needs no check."""
    first, second, last = (
        Span.of(ANSWER, *ANSWER_RANGE) for ANSWER_RANGE in ((0, 18), (20, 45), (46, len(ANSWER)))
    )
    whole = Span.of(ANSWER, 0, 45)

    def claim(index, span, p_true, **more):
        return ScoredClaim(index=index, text=span.text, spans=(span,), sentence=whole, p_true=p_true, **more)

    evidence = Evidence(passage=1, start=3, end=9, text="330 m.", aligned=0.9, neutral=0.1, contradicted=0.0)
    return GuardReport(
        question="How tall is it?",
        passages=(Passage("Built in 1889."), Passage("At 330 m.", title="Height")),
        answer=ANSWER,
        text=ANSWER,
        claims=(
            claim(
                0,
                first,
                0.9,
                evidence=(evidence,),
                signals=Signals(alignment=0.8, max_claim_log_prob=-1.0, parametric_log_prob=-2.0, tokens=5),
            ),
            claim(1, second, 0.3, signals=Signals(alignment=0.1, max_claim_log_prob=-3.0, max_nli=0.4)),
            claim(2, last, None, checkworthy=False, verdict=Verdict.NOT_CHECKWORTHY),
        ),
        models={"language_model": "lm", "alignment_model": "am"},
    )
