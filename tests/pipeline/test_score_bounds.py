"""Leaving the language model out where it cannot matter: never a different outcome, whatever it would say."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from fakes import WordAligner, WordLM, make_guard
from hypothesis import given
from hypothesis import strategies as st

from franq_guard import Policy, franq
from franq_guard.alignment import Aligner
from franq_guard.calibration import Calibrator
from franq_guard.claims import RuleExtractor
from franq_guard.inputs import as_input
from franq_guard.models.base import TokenScores
from franq_guard.pipeline.deadline import Deadline
from franq_guard.pipeline.pipeline import Pipeline
from franq_guard.pipeline.score_bounds import is_settled, score_bounds
from franq_guard.schema import Action, ScoredClaim, Span, Verdict

LOG_PROBS = [-np.inf, -2e4, -1e4, -30.0, -8.0, -5.0, -4.0, -3.0, -2.5, -2.0, -1.0, -0.5, -1e-9, 0.0]


def fitted(mode="condition", **options):
    """A calibrator whose maps do not reach from 0 to 1."""
    random = np.random.default_rng(3)
    alignment, first, second = random.random(300), -5 * random.random(300), -20 * random.random(300)
    labels = random.random(300) < 0.2 + 0.5 * alignment * np.exp(first / 5)
    return Calibrator.fit(alignment, first, second, labels, mode=mode, **options)


CALIBRATORS = {
    "none": None,
    "condition": fitted(),
    "calibrated": fitted("calibrated"),
    "identity": fitted("none"),
    "faithfulness": fitted(calibrate_faithfulness=True, faithful_labels=np.arange(300) % 3 == 0),
}


def score(alignment, first, second, calibrator, threshold, signal="max_claim_probability"):
    return franq.long_form(
        [alignment],
        [first],
        [second],
        calibrator=calibrator,
        threshold=threshold,
        signals=(signal, "parametric_knowledge"),
    ).p_true[0]


@pytest.mark.parametrize("threshold", [None, 0.5])
@pytest.mark.parametrize("calibrator", CALIBRATORS.values(), ids=CALIBRATORS)
def test_no_score_lies_outside_and_both_ends_are_attained(calibrator, threshold):
    for alignment in [0.0, 1e-9, 0.1, 0.5, 0.7, 0.999, 1.0]:
        [(low, high)] = score_bounds(
            [alignment],
            [0.5],
            calibrator=calibrator,
            threshold=threshold,
            faithful_signal="max_claim_probability",
        )
        found = [
            score(alignment, first, second, calibrator, threshold)
            for first, second in itertools.product(LOG_PROBS, LOG_PROBS)
        ]
        assert min(found) == low
        assert max(found) == high


@given(
    alignment=st.floats(0, 1),
    first=st.floats(-50, 0),
    second=st.floats(-200, 0),
    name=st.sampled_from(sorted(CALIBRATORS)),
    threshold=st.none() | st.floats(0, 1),
)
def test_no_score_lies_outside(alignment, first, second, name, threshold):
    calibrator = CALIBRATORS[name]
    [(low, high)] = score_bounds(
        [alignment],
        [0.5],
        calibrator=calibrator,
        threshold=threshold,
        faithful_signal="max_claim_probability",
    )
    assert low <= score(alignment, first, second, calibrator, threshold) <= high


def test_what_the_passages_alone_decide_is_no_longer_open():
    options = {"calibrator": None, "threshold": None}
    assert score_bounds([1.0], [0.8], faithful_signal="max_nli", **options) == [(0.8, 0.8)]
    assert score_bounds([0.25], [0.8], faithful_signal="max_nli", **options) == [(0.2, 0.95)]
    assert score_bounds([0.25], [0.8], faithful_signal="max_claim_probability", **options) == [(0.0, 1.0)]
    [ends] = score_bounds([math.nan], [0.8], faithful_signal="max_nli", **options)
    assert all(math.isnan(end) for end in ends)
    assert score_bounds([], [], faithful_signal="max_nli", **options) == []


CLAIM = ScoredClaim(
    index=0,
    text="It is tall.",
    spans=(Span(0, 11, "It is tall."),),
    sentence=Span(0, 11, "It is tall."),
    verdict=Verdict.SUPPORTED,
)


@pytest.mark.parametrize(
    ("bounds", "settled"),
    [
        ((0.9, 1.0), True),
        ((0.89, 1.0), False),
        ((0.0, 0.149), True),
        ((0.0, 0.15), False),
        ((0.6, 0.899), True),
        ((0.15, 0.9), False),
        ((math.nan, math.nan), False),
    ],
)
def test_settled_is_what_lies_between_two_thresholds(bounds, settled):
    assert is_settled(Policy(), CLAIM, bounds) is settled


def test_the_flag_for_review_counts_too():
    assert is_settled(Policy(), CLAIM, (0.91, 0.99))
    assert not is_settled(Policy(review_below=0.95), CLAIM, (0.91, 0.99))
    contradicted = replace(CLAIM, verdict=Verdict.CONTRADICTED)
    assert is_settled(Policy(review_below=0.95), contradicted, (0.91, 0.99))


class SayingLM(WordLM):
    """Gives every token the same log-probability with passages, and another without."""

    def __init__(self, with_passages, without):
        super().__init__()
        self.says = with_passages, without

    def score(self, requests):
        self.requests.extend(requests)
        return [
            TokenScores(tokens, np.full(len(tokens.ids), self.says["passage 1:" not in prompt.user]))
            for prompt, tokens in requests
        ]


PASSAGES = ["The tower is 330 metres tall.", "It was built by Gustave Eiffel in 1889."]
ANSWERS = [
    "The tower is 330 metres tall.",
    "Queen Ann sold nine red ships.",
    "The tower is 330 metres tall. Queen Ann sold nine red ships.",
    "The tower was built in 1889. Sure! It is 400 metres tall.",
    "Hello there!",
]
POLICIES = [
    Policy(),
    Policy(annotate_below=0.7, hedge_below=0.5, block_below=0.3, review_below=0.65),
    Policy(annotate_below=0.2, hedge_below=None, block_below=None),
    Policy(annotate_below=None, hedge_below=None, block_below=None),
]


@pytest.mark.parametrize(
    ("name", "signal"), [*((name, "max_claim_probability") for name in CALIBRATORS), ("none", "max_nli")]
)
def test_actions_and_flags_are_those_of_a_full_check(name, signal):
    calibrator = CALIBRATORS[name]
    skipped = 0
    for says in itertools.product([-20.0, -1.0, -0.1, 0.0], repeat=2):
        lm = SayingLM(*says)
        pipeline = Pipeline(
            language_model=lm,
            aligner=Aligner(WordAligner()),
            extractor=RuleExtractor(),
            form="long",
            calibrator=calibrator,
            faithful_signal=signal,
        )
        for policy, answer in itertools.product(POLICIES, ANSWERS):
            item = as_input("How tall is it?", PASSAGES, answer)
            [full] = pipeline.run([item], deadline=Deadline(None), timings={})
            asked = len(lm.requests)
            [cheap] = pipeline.run([item], deadline=Deadline(None), timings={}, cheap_first=policy)
            skipped += asked == len(lm.requests)
            expected, found = policy.apply(full.claims), policy.apply(cheap.claims)
            assert [(c.action, c.review, c.verdict) for c in found] == [
                (c.action, c.review, c.verdict) for c in expected
            ]
            for one, other in zip(found, expected, strict=True):
                if one.p_true_range is None:
                    assert one.p_true == other.p_true
                else:
                    assert one.p_true == one.p_true_range[0] <= other.p_true <= one.p_true_range[1]
                    assert one.signals.max_claim_log_prob is None
    assert skipped > 0


def test_a_guard_leaves_the_language_model_out_only_when_told_to():
    policy = Policy(annotate_below=None, hedge_below=None, block_below=None)
    counts = {}
    for cheap_first in (False, True):
        lm = WordLM()
        guard = make_guard(language_model=lm, policy=policy, cheap_first=cheap_first)
        report = guard.check("How tall is it?", PASSAGES, ANSWERS[2])
        counts[cheap_first] = len(lm.requests)
        assert {claim.action for claim in report.claims} == {Action.KEEP}
        assert any("was not asked" in note for note in report.notes) is cheap_first
        # Another policy over the same models decides for itself.
        strict = guard.with_policy(Policy()).check("How tall is it?", PASSAGES, ANSWERS[2])
        assert all(claim.p_true_range is None for claim in strict.claims)
    assert counts == {False: 2, True: 0}


def test_claims_beyond_the_limits_stay_unchecked():
    policy = Policy(annotate_below=None, hedge_below=None, block_below=None)
    long_answer = "The tower is 330 metres tall. " * 30
    settings = {"policy": policy, "max_answer_tokens": 64}
    reports = [
        make_guard(cheap_first=cheap, **settings).check("How tall is it?", PASSAGES, long_answer)
        for cheap in (False, True)
    ]
    assert [claim.verdict for claim in reports[0].claims] == [claim.verdict for claim in reports[1].claims]
    assert Verdict.UNCHECKED in {claim.verdict for claim in reports[1].claims}


def test_log_probabilities_that_came_along_are_used():
    policy = Policy(annotate_below=None, hedge_below=None, block_below=None)
    guard = make_guard(policy=policy, cheap_first=True)
    report = guard.check("How tall?", PASSAGES, "It is tall.", token_log_probs=[("It is tall.", -0.5)])
    assert report.claims[0].signals.max_claim_log_prob == pytest.approx(-0.5)
