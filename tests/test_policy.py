import math
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import ConfigError, InputError
from franq_guard.policy import Policy
from franq_guard.schema import (
    Action,
    Evidence,
    ScoredClaim,
    Span,
    Trigger,
    TriggerName,
    Verdict,
    Wording,
)

EVIDENCE = Evidence(passage=0, start=0, end=1, text="a", aligned=0.9, neutral=0.1, contradicted=0.0)
HARDNESS = [Action.KEEP, Action.ANNOTATE, Action.HEDGE, Action.BLOCK]


def claim(
    p_true: float | None, verdict: Verdict = Verdict.SUPPORTED, *, checkworthy: bool = True
) -> ScoredClaim:
    span = Span(0, 5, "Paris")
    return ScoredClaim(
        index=0,
        text="Paris",
        spans=(span,),
        sentence=span,
        p_true=p_true,
        verdict=verdict,
        checkworthy=checkworthy,
    )


@pytest.mark.parametrize(
    ("p_true", "action"),
    [
        (0.0, Action.BLOCK),
        (math.nextafter(0.15, 0), Action.BLOCK),
        (0.15, Action.HEDGE),
        (math.nextafter(0.6, 0), Action.HEDGE),
        (0.6, Action.ANNOTATE),
        (math.nextafter(0.9, 0), Action.ANNOTATE),
        (0.9, Action.KEEP),
        (1.0, Action.KEEP),
    ],
)
def test_a_claim_gets_the_hardest_action_it_is_strictly_below(p_true: float, action: Action) -> None:
    assert Policy().decide(claim(p_true)).action is action


@pytest.mark.parametrize("off", [None, 0, 0.0])
def test_each_threshold_can_be_switched_off(off: float | None) -> None:
    assert Policy(block_below=off).decide(claim(0.0)).action is Action.HEDGE
    assert Policy(hedge_below=off).decide(claim(0.3)).action is Action.ANNOTATE
    assert Policy(annotate_below=off).decide(claim(0.7)).action is Action.KEEP
    assert (
        Policy(annotate_below=off, hedge_below=off, block_below=off).decide(claim(0.0)).action is Action.KEEP
    )
    assert (
        Policy(annotate_below=off, hedge_below=off, block_below=0.4).decide(claim(0.3)).action is Action.BLOCK
    )


def test_the_verdict_does_not_change_the_action() -> None:
    for verdict in (Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.NOT_MENTIONED):
        assert Policy().decide(claim(0.95, verdict)).action is Action.KEEP
        assert Policy().decide(claim(0.05, verdict)).action is Action.BLOCK


@pytest.mark.parametrize("action", list(Action))
def test_unchecked_claims_get_their_own_action_and_are_always_flagged(action: Action) -> None:
    policy = Policy(unchecked=action)
    for unchecked in (claim(None, Verdict.UNCHECKED), claim(0.99, Verdict.UNCHECKED), claim(None)):
        decided = policy.decide(unchecked)
        assert decided.action is action
        assert decided.review


def test_what_needs_no_check_is_kept() -> None:
    for harmless in (claim(None, Verdict.NOT_CHECKWORTHY), claim(0.01, checkworthy=False)):
        decided = Policy(unchecked=Action.BLOCK).decide(harmless)
        assert decided.action is Action.KEEP
        assert not decided.review


def test_blocked_contradicted_and_unchecked_claims_are_flagged_for_review() -> None:
    policy = Policy()
    assert policy.decide(claim(0.1)).review
    assert policy.decide(claim(0.99, Verdict.CONTRADICTED)).review
    assert not policy.decide(claim(0.3)).review
    assert not policy.decide(claim(0.99)).review


def test_review_below_adds_to_the_flags() -> None:
    policy = Policy(review_below=0.5)
    assert policy.decide(claim(0.49)).review
    assert not policy.decide(claim(0.5)).review


@pytest.mark.parametrize("bad", [math.nan, -0.1, 1.1, math.inf])
def test_a_probability_that_is_none_is_refused(bad: float) -> None:
    with pytest.raises(InputError, match="claim 0"):
        Policy().decide(claim(bad))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"annotate_below": 1.2}, "annotate_below must lie between 0 and 1"),
        ({"hedge_below": -0.1}, "hedge_below"),
        ({"block_below": math.nan}, "block_below must be a number"),
        ({"block_below": "0.1"}, "block_below must be a number"),
        ({"block_below": True}, "block_below must be a number"),
        ({"review_below": 90}, "write 90 % as 0.9"),
        ({"hedge_below": 0.95}, "hedge_below=0.95 is above annotate_below=0.9"),
        ({"block_below": 0.7}, "block_below=0.7 is above hedge_below=0.6"),
        ({"block_below": 0.95, "hedge_below": None}, "block_below=0.95 is above annotate_below=0.9"),
        ({"unchecked": "shred"}, "keep, annotate, hedge, block"),
        ({"unchecked": None}, "unchecked must be one of"),
        ({"annotation": "margin"}, "inline, footnotes"),
        ({"block_mode": "hide"}, "drop, replace"),
        ({"sentence_message": " "}, "sentence_message"),
        ({"answer_message": ""}, "answer_message"),
        ({"answer_message": None}, "answer_message"),
        ({"min_kept": None}, "min_kept"),
        ({"min_kept": 2}, "min_kept"),
    ],
)
def test_bad_settings_are_refused_with_their_name(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Policy(**settings)  # type: ignore[arg-type]


def test_actions_may_be_written_as_words() -> None:
    assert Policy(unchecked="block").unchecked is Action.BLOCK  # type: ignore[arg-type]


def test_equal_thresholds_are_in_order() -> None:
    policy = Policy(annotate_below=0.5, hedge_below=0.5, block_below=0.5)
    assert policy.decide(claim(0.49)).action is Action.BLOCK
    assert policy.decide(claim(0.5)).action is Action.KEEP


def test_a_policy_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Policy().min_kept = 0.1  # type: ignore[misc]


@given(
    st.lists(st.floats(0, 1), min_size=3, max_size=3).map(sorted),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_a_less_likely_claim_never_gets_a_softer_action(
    thresholds: list[float], first: float, second: float
) -> None:
    block, hedge, annotate = thresholds
    policy = Policy(annotate_below=annotate, hedge_below=hedge, block_below=block)
    low, high = policy.apply([claim(min(first, second)), claim(max(first, second))])
    assert HARDNESS.index(low.action) >= HARDNESS.index(high.action)


def test_apply_keeps_order_and_everything_else() -> None:
    claims = [claim(0.1), claim(None), claim(0.95)]
    decided = Policy().apply(claims)
    assert [c.p_true for c in decided] == [0.1, None, 0.95]
    assert [c.action for c in decided] == [Action.BLOCK, Action.ANNOTATE, Action.KEEP]
    assert [c.spans for c in decided] == [c.spans for c in claims]


@pytest.mark.parametrize(
    "suspect",
    [
        {"triggers": (Trigger(name=TriggerName.CONFLICTING_SOURCES, strength=0.5, detail="", advice=""),)},
        {"evidence": (replace(EVIDENCE, differs="“5” against “6”"),)},
        {"wording": Wording.OVERCONFIDENT, "stated_confidence": 1.0},
    ],
)
def test_what_looks_suspect_is_for_review_but_hardens_no_action(suspect: dict[str, Any]) -> None:
    decided = Policy().decide(replace(claim(0.95), **suspect))
    assert decided.review
    assert decided.action is Action.KEEP


@pytest.mark.parametrize(
    "fine",
    [
        {"triggers": (Trigger(name=TriggerName.OVER_SPECIFIED, strength=0.5, detail="", advice=""),)},
        {"evidence": (EVIDENCE,)},
        {"wording": Wording.OVERCONFIDENT, "stated_confidence": 0.9},
        {"wording": Wording.FITTING, "stated_confidence": 1.0},
    ],
)
def test_other_findings_are_not_for_review(fine: dict[str, Any]) -> None:
    assert not Policy().decide(replace(claim(0.95), **fine)).review
