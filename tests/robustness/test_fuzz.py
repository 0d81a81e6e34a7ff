"""Whatever goes in, a sound report comes out: all of `check` and `stream`, with models that need no weights.

`FRANQ_GUARD_FUZZ` sets how many cases are tried; each run of that kind tries others.
"""

import itertools
import os

import pytest
from fakes import WordLM, make_guard
from hostile import PIECES, TEXTS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from franq_guard import GuardReport, Policy
from franq_guard._surrogates import join_surrogates
from franq_guard.schema import Action, Verdict

CASES = int(os.environ.get("FRANQ_GUARD_FUZZ", "0"))
FUZZ = settings(
    deadline=None,
    max_examples=CASES or 150,
    derandomize=not CASES,
    database=None,
    suppress_health_check=list(HealthCheck),
)
POLICIES = (
    Policy(),
    Policy(annotate_below=1.0, hedge_below=None, block_below=None, annotation="footnotes"),
    Policy(annotate_below=1.0, hedge_below=1.0, block_below=None),
    Policy(annotate_below=1.0, hedge_below=1.0, block_below=1.0, block_mode="drop", min_kept=0.0),
    Policy(annotate_below=0.5, hedge_below=0.3, block_below=0.2, unchecked=Action.BLOCK, min_kept=0.0),
)


class SteeredLM(WordLM):
    """Writes what an attacker would have it write."""

    def __init__(self):
        super().__init__()
        self.replies = itertools.cycle(PIECES)

    def generate(self, prompts, *, max_new_tokens=256):
        return [self._written(prompt, next(self.replies)) for prompt in prompts]


GUARDS = [
    make_guard(policy=policy, form="auto", on_error="raise", claims=claims, language_model=SteeredLM())
    for policy in POLICIES
    for claims in ("rules", "llm")
]


def assert_sound(report):
    answer = report.answer
    for claim in report.claims:
        assert claim.spans
        for span in (*claim.spans, claim.sentence):
            assert 0 <= span.start < span.end <= len(answer)
            assert answer[span.start : span.end] == span.text
        for piece in claim.evidence:
            assert report.passages[piece.passage].text[piece.start : piece.end] == piece.text
        if claim.p_true is None:
            assert claim.verdict in (Verdict.UNCHECKED, Verdict.NOT_CHECKWORTHY)
            assert claim.verdict is Verdict.NOT_CHECKWORTHY or (claim.unchecked_reason and claim.review)
        else:
            assert 0 <= claim.p_true <= 1
            assert not claim.unchecked_reason
    coverage = report.coverage
    assert coverage.total == sum(not character.isspace() for character in answer)
    assert min(coverage.scored, coverage.not_checkworthy, coverage.unchecked) >= 0
    assert GuardReport.from_json(report.to_json()) == report
    if not report.acted:
        assert report.text == answer
    str(report).encode("utf-8", "surrogatepass")


@FUZZ
@given(
    question=TEXTS, passages=st.lists(TEXTS, max_size=3), answer=TEXTS, which=st.integers(0, len(GUARDS) - 1)
)
def test_a_check_gives_a_sound_report(question, passages, answer, which):
    report = GUARDS[which].check(question, passages, answer)
    assert report.error is None
    assert (report.question, report.answer) == (join_surrogates(question), join_surrogates(answer))
    assert_sound(report)


@FUZZ
@given(
    passages=st.lists(TEXTS, max_size=2),
    answer=TEXTS,
    cuts=st.lists(st.integers(0, 200), max_size=6),
    which=st.integers(0, len(POLICIES) - 1),
)
def test_a_stream_gives_a_sound_report(passages, answer, cuts, which):
    places = sorted({0, len(answer), *(min(cut, len(answer)) for cut in cuts)})
    pieces = [answer[start:end] for start, end in itertools.pairwise(places)]
    found = list(GUARDS[2 * which].stream("How tall is it?", passages, pieces))
    report = found[-1].report
    assert "".join(piece.text for piece in found) == report.text
    assert report.error is None
    assert report.answer == join_surrogates(answer)
    assert_sound(report)


@pytest.mark.parametrize("piece", PIECES, ids=range(len(PIECES)))
@pytest.mark.parametrize("where", ["answer", "passage", "question"])
def test_each_piece_alone_and_among_others(piece, where):
    fact = "The tower is 330 metres tall."
    for text in (piece, f"{fact} {piece} {fact}", piece * 3):
        given = {"question": "How tall?", "passages": [fact], "answer": fact}
        given |= {where: text} if where != "passage" else {"passages": [text, fact]}
        for guard in GUARDS[:4]:
            assert_sound(guard.check(**given))
