"""What a policy says when it refuses a setting, and that it leaves nothing of an earlier decision."""

from dataclasses import replace

import pytest

from franq_guard.errors import ConfigError
from franq_guard.policy import Policy
from franq_guard.schema import Action, ScoredClaim, Span, Verdict

SPAN = Span(0, 4, "Hey!")
GREETING = ScoredClaim(
    index=0, text="Hey!", spans=(SPAN,), sentence=SPAN, checkworthy=False, verdict=Verdict.NOT_CHECKWORTHY
)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"annotation": "margin"}, "^annotation must be one of inline, footnotes; got 'margin'$"),
        ({"block_mode": "burn"}, "^block_mode must be one of drop, replace; got 'burn'$"),
        ({"keep_promise": 1}, "^keep_promise must be true or false, got 1$"),
        ({"min_kept": 2}, "^min_kept must lie between 0 and 1, got 2; write 90 % as 0.9$"),
        ({"review_below": "x"}, "^review_below must be a number from 0 to 1, got 'x'$"),
        (
            {"block_below": 0.7, "hedge_below": 0.6},
            r"^block_below=0.7 is above hedge_below=0.6; thresholds must satisfy block_below <= hedge_below "
            r"<= annotate_below \(None switches one off\)$",
        ),
    ],
)
def test_a_refusal_names_the_setting_and_what_it_may_be(setting, message):
    with pytest.raises(ConfigError, match=message):
        Policy(**setting)


def test_the_ends_of_the_range_are_allowed():
    policy = Policy(block_below=0, hedge_below=0.0, annotate_below=1, min_kept=1, review_below=1)
    assert (policy.annotate_below, policy.min_kept, policy.review_below) == (1.0, 1.0, 1.0)


def test_a_greeting_is_kept_whatever_was_decided_before():
    before = replace(GREETING, action=Action.BLOCK, review=True)
    found = Policy(unchecked=Action.BLOCK).decide(before)
    assert found.action is Action.KEEP
    assert found.review is False


def test_a_promise_that_is_not_there_says_how_to_get_one():
    remedy = "`franq-guard calibrate --target-false-rate`"
    with pytest.raises(ConfigError) as missing:
        Policy().keeping(None)
    assert str(missing.value) == (
        f"the calibrator's card holds no promise that could be kept: fit it with {remedy}, or set "
        "block_below instead"
    )
    with pytest.raises(ConfigError) as uncalibrated:
        Policy(keep_promise=True).for_calibrator(None)
    assert str(uncalibrated.value) == f"keep_promise needs a calibrator: {remedy}"
