"""Claims scored by the embedded aligner alone: P(true) is P(faithful)."""

import pytest

from franq_guard.alignment import AlignmentJob, embedded_aligner
from franq_guard.diagnosis import Case
from franq_guard.models.align_mini import load_align_mini
from franq_guard.schema import ScoredClaim, Span


@pytest.fixture(scope="session")
def make_case():
    aligner = embedded_aligner(load_align_mini(device="cpu", dtype="float32"))

    def make(question, passages, text, *, p_true=None):
        alignment = None
        if any(passage.strip() for passage in passages):
            [[alignment]] = aligner.align([AlignmentJob([text], passages)])
        faithful = 0.0 if alignment is None else alignment.p_faithful
        span = Span.of(text, 0, len(text))
        claim = ScoredClaim(
            index=0,
            text=text,
            spans=(span,),
            sentence=span,
            p_true=faithful if p_true is None else p_true,
            p_faithful=faithful,
        )
        return Case(question, passages, claim, alignment)

    return make
