"""Promises at the bounds of what they may say, and the numbers in their reasons."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from franq_guard.calibration.risk_control import (
    LabelledScores,
    Promise,
    binomial_p_value,
    choose_threshold,
    fewest_questions,
)
from franq_guard.errors import ConfigError, InputError

SOUND = Promise(
    target=0.05,
    confidence=0.95,
    threshold=0.7,
    test="binomial",
    questions=4,
    kept=3,
    false_rate=0.0,
    share_kept=0.5,
    reason="",
)


def of_rate(questions, false, *, score=0.9, each=1):
    """Claims of one score, of so many questions, of which so many have false claims only."""
    true = np.repeat(np.arange(questions) >= false, each)
    return LabelledScores.of(np.full(questions * each, score), true, np.repeat(np.arange(questions), each))


@pytest.mark.parametrize(
    "change",
    [
        {"threshold": 0.0},
        {"threshold": 1.0},
        {"kept": 0},
        {"kept": 4},
        {"threshold": None, "reason": "too few"},
        {"false_rate": None},
    ],
)
def test_promises_at_their_bounds(change):
    for name, value in change.items():
        assert getattr(replace(SOUND, **change), name) == value


@pytest.mark.parametrize(
    "change",
    [
        {"target": 1.0},
        {"target": 1.5},
        {"target": -0.1},
        {"confidence": 0.0},
        {"confidence": 1.5},
        {"threshold": -0.1},
        {"threshold": 1.1},
        {"kept": -1},
        {"reason": "too few"},
        {"threshold": None},
    ],
)
def test_promises_beyond_their_bounds(change):
    with pytest.raises(ValueError):
        replace(SOUND, **change)


def test_a_claim_at_the_threshold_is_let_through():
    data = LabelledScores.of([0.5, 0.4, 0.5], [0, 1, 1], [0, 0, 1])
    assert data.losses(0.5).tolist() == [1, 0]
    assert data.drawn_losses(0.5, 0).tolist() == [1, 0]
    assert data.share_kept(0.5) == pytest.approx(2 / 3)


def test_the_same_claims_are_drawn_each_time():
    rng = np.random.default_rng(0)
    data = LabelledScores.of(rng.random(400), rng.random(400) < 0.5, np.arange(400) // 10)
    np.testing.assert_array_equal(data.drawn_losses(0.3, 4), data.drawn_losses(0.3, 4))
    assert data.drawn_losses(0.3, 4).tolist() != data.drawn_losses(0.3, 5).tolist()


def test_rows_with_anything_missing_are_left_out():
    data = LabelledScores.of([0.0, 1.0, np.nan, 0.5, 0.5], [1, 0, 1, None, np.nan], list("abcde"))
    assert (data.p_true.tolist(), data.false.tolist()) == ([0, 1], [False, True])
    assert (data.question.tolist(), data.questions) == ([0, 1], 2)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((["x"], [1], [0]), "p_true"),
        (([0.5], ["x"], [0]), r"true_labels\[0\]"),
        (([-0.1], [1], [0]), "p_true must lie"),
        (([0.5, 1.1], [1, 1], [0, 1]), "p_true must lie"),
        (([0.5, 0.5], [1, 1], [None, "a"]), "questions"),
        (([0.5, 0.5], [1, 1], [[1], [1, 2]]), "questions"),
        (([0.5], [1], 3), "questions"),
    ],
)
def test_impossible_claims_are_named(parts, message):
    with pytest.raises(InputError, match=message):
        LabelledScores.of(*parts)


@pytest.mark.parametrize(
    ("target", "confidence"), [(0, 0.9), (1, 0.9), (1.5, 0.9), (0.1, 0), (0.1, 1), (0.1, 1.5)]
)
def test_fewest_questions_of_nonsense(target, confidence):
    with pytest.raises(ConfigError):
        fewest_questions(target, confidence)


@pytest.mark.parametrize(("target", "confidence"), [(0.05, 0.95), (0.1, 0.9), (0.3, 0.8)])
def test_as_few_questions_as_it_says_are_enough(target, confidence):
    fewest = fewest_questions(target, confidence)
    plenty = of_rate(1000, 0)
    enough = choose_threshold(plenty, of_rate(fewest, 0), target=target, confidence=confidence)
    assert (enough.threshold, enough.kept, enough.reason) == (0.0, fewest, "")
    short = choose_threshold(plenty, of_rate(fewest - 1, 0), target=target, confidence=confidence)
    assert short.threshold is None


def test_what_is_said_of_nothing():
    promise = choose_threshold(of_rate(100, 0), LabelledScores.of([], [], []), target=0.1)
    assert (promise.threshold, promise.questions, promise.kept) == (None, 0, 0)
    assert (promise.false_rate, promise.share_kept) == (None, 0.0)
    assert f"at least {fewest_questions(0.1, 0.95)}" in promise.reason


def test_by_default_one_in_twenty_promises_may_be_wrong():
    data = of_rate(200, 4)
    found = choose_threshold(data, data, target=0.1)
    assert found.confidence == 0.95
    assert found == choose_threshold(data, data, target=0.1, confidence=0.95, seed=0)


def test_rates_are_rounded_to_four_digits():
    scores = np.where(np.arange(300) < 7, 0.2, 0.9)
    data = LabelledScores.of(scores, np.arange(300) >= 14, np.arange(300))
    promise = choose_threshold(data, data, target=0.05, confidence=0.9)
    assert 0.2 < promise.threshold <= 0.9
    assert (promise.false_rate, promise.share_kept) == (round(7 / 293, 4), round(293 / 300, 4))


def test_the_threshold_is_the_most_lenient_that_passes():
    # Twenty levels; claims are true down to 0.5, and half of them false below.
    level = np.tile(np.arange(1, 21) / 20, 30)
    true = (level >= 0.5) | (np.arange(600) % 2 == 0)
    data = LabelledScores.of(level, true, np.arange(600))
    promise = choose_threshold(data, data, target=0.1)
    false_rates = {at: 1 - true[level >= at].mean() for at in np.unique(level)}
    assert promise.threshold <= 0.5
    assert promise.false_rate <= 0.1
    next_below = max(at for at in false_rates if at < promise.threshold)
    losses = data.drawn_losses(next_below, 0)
    assert binomial_p_value(losses, 0.1) > 0.05


def test_scores_between_two_thresholds_are_let_through():
    data = of_rate(100, 0, score=0.70009)
    low = LabelledScores.of(np.append(data.p_true, np.full(100, 0.1)), np.arange(200) < 100, np.arange(200))
    promise = choose_threshold(low, low, target=0.05)
    assert promise.threshold == pytest.approx(0.7, abs=1e-4)
    assert promise.threshold <= 0.70009
    assert promise.kept == 100


def test_so_many_questions_would_do_if_the_rate_stays():
    data = LabelledScores.of(
        np.where(np.arange(120) < 80, 0.9, 0.1), np.arange(120) % 40 != 0, np.arange(120)
    )
    promise = choose_threshold(of_rate(400, 8), data, target=0.05)
    assert promise.threshold is None
    needed, to_test, instead_of = map(int, re.findall(r"(?:about|instead of) (\d+)", promise.reason))
    rate = promise.false_rate
    assert binomial_p_value(of_rate(needed, math.ceil(rate * needed)).losses(0), 0.05) <= 0.05
    fewer = int(needed / 1.1)
    assert binomial_p_value(of_rate(fewer, math.ceil(rate * fewer)).losses(0), 0.05) > 0.05
    assert (to_test, instead_of) == (math.ceil(needed * 120 / promise.kept), 120)


def test_a_rate_at_the_target_is_no_matter_of_labels():
    data = of_rate(100, 10)
    assert "more labels alone will not help" in choose_threshold(data, data, target=0.1).reason


def test_a_rate_next_to_the_target_cannot_be_told_from_it():
    data = of_rate(1000, 99)
    assert "too close" in choose_threshold(data, data, target=0.0991).reason
