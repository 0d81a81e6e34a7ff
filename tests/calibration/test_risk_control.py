import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from franq_guard.calibration.risk_control import (
    LabelledScores,
    Promise,
    betting_p_value,
    binomial_p_value,
    choose_threshold,
    fewest_questions,
)
from franq_guard.errors import ConfigError, InputError


def labelled(questions, rng, *, each=1, ceiling=0.98, depend=False):
    """Claims that are true with probability `ceiling` above a score of 1/2, and rarely below."""
    scores = rng.random(questions * each)
    chance = np.where(scores >= 0.5, ceiling, 0.2)
    luck = np.repeat(rng.random(questions), each) if depend else rng.random(questions * each)
    return LabelledScores.of(scores, luck < chance, np.repeat(np.arange(questions), each))


def test_how_many_questions_it_takes():
    assert fewest_questions(0.05, 0.95) == 59
    assert fewest_questions(0.1, 0.95) == 29
    assert 0.95**58 > 0.05 >= 0.95**59


def test_binomial_p_value():
    losses = np.array([1.0] + [0.0] * 9)
    assert binomial_p_value(losses, 0.5) == pytest.approx(11 / 1024)
    assert binomial_p_value(np.zeros(59), 0.05) == pytest.approx(0.95**59)
    assert binomial_p_value(np.zeros(0), 0.05) == 1.0


def test_betting_p_value():
    assert betting_p_value(np.zeros(10), 0.05, 1.0) == pytest.approx(1.05**-10)
    assert betting_p_value(np.array([0.0, 1.0]), 0.5, 1.0) == 1.0  # 1.5 * 0.5 < 1
    assert betting_p_value(np.zeros(10), 0.05, 0.0) == 1.0
    assert betting_p_value(np.zeros(0), 0.05, 1.0) == 1.0


def test_betting_is_fair_to_a_loss_at_the_target():
    # The expected wealth is 1, so that a p-value below 5 % comes up at most once in 20.
    rng = np.random.default_rng(0)
    small = [betting_p_value(rng.beta(0.4, 1.6, 60), 0.2, 1.0) <= 0.05 for _ in range(2000)]
    assert np.mean(small) <= 0.05


def test_losses_by_question():
    data = LabelledScores.of(
        [0.9, 0.8, 0.1, 0.7, 0.2, np.nan], [1, 0, 0, 1, 1, 1], ["a", "a", "a", "b", "c", "d"]
    )
    assert data.questions == 3
    np.testing.assert_array_equal(data.losses(0.5), [0.5, 0.0])
    np.testing.assert_allclose(data.losses(0.0), [2 / 3, 0.0, 0.0])
    assert data.share_kept(0.5) == 0.6
    assert {tuple(data.drawn_losses(0.5, seed)) for seed in range(20)} == {(0.0, 0.0), (1.0, 0.0)}
    assert data.losses(0.95).size == 0


def test_a_threshold_that_lets_through_what_is_true():
    rng = np.random.default_rng(1)
    promise = choose_threshold(labelled(300, rng), labelled(400, rng), target=0.1)
    assert 0.35 < promise.threshold <= 0.51
    assert (promise.target, promise.confidence, promise.questions, promise.reason) == (0.1, 0.95, 400, "")
    assert promise.false_rate < 0.1
    assert promise.kept == pytest.approx(400 * promise.share_kept)


@pytest.mark.parametrize(
    ("each", "depend", "test"), [(1, False, "binomial"), (20, False, "betting"), (20, True, "binomial")]
)
def test_the_promise_holds_as_often_as_it_says(each, depend, test):
    """On claims of known truth, at a confidence of 80 %, whether or not claims of a question go together."""
    rng = np.random.default_rng(2)
    truth = labelled(20_000 // each, rng, each=each, ceiling=0.93, depend=depend)
    kept, tests = [], []
    for seed in range(150):
        fitted = labelled(40, rng, each=each, ceiling=0.93, depend=depend)
        tested = labelled(80, rng, each=each, ceiling=0.93, depend=depend)
        promise = choose_threshold(fitted, tested, target=0.12, confidence=0.8, seed=seed)
        kept.append(promise.threshold is None or truth.losses(promise.threshold).mean() <= 0.12)
        tests.append(promise.test)
    assert np.mean(kept) >= 0.8 - 2 * math.sqrt(0.8 * 0.2 / 150)
    assert tests.count(test) > 75


def test_everything_may_be_let_through():
    rng = np.random.default_rng(3)
    all_true = LabelledScores.of(rng.random(100), np.ones(100), np.arange(100))
    promise = choose_threshold(all_true, all_true, target=0.05)
    assert (promise.threshold, promise.share_kept, promise.false_rate) == (0.0, 1.0, 0.0)


def test_claims_of_one_question_are_no_independent_evidence():
    """1000 true claims of 10 questions promise no more than 10 questions can."""
    scores, questions = np.linspace(0, 1, 1000), np.arange(1000) // 100
    few = LabelledScores.of(scores, np.ones(1000), questions)
    promise = choose_threshold(few, few, target=0.05)
    assert promise.threshold is None
    assert "59" in promise.reason


def test_what_would_help_is_said():
    rng = np.random.default_rng(4)
    promise = choose_threshold(labelled(100, rng), labelled(100, rng), target=0.05)
    assert promise.threshold is None
    assert "to test instead of 100" in promise.reason

    bad = labelled(400, rng, ceiling=0.7)
    hopeless = choose_threshold(labelled(400, rng, ceiling=0.7), bad, target=0.05)
    assert "more labels alone will not help" in hopeless.reason

    nothing = choose_threshold(labelled(100, rng), LabelledScores.of([0.0], [1], [0]), target=0.05)
    assert nothing.threshold is None
    assert nothing.false_rate is None or nothing.kept == 1


@pytest.mark.parametrize("name", ["target", "confidence"])
@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 5, float("nan")])
def test_bad_settings(name, value):
    data = LabelledScores.of([0.5], [1], [0])
    with pytest.raises(ConfigError, match="must lie between 0 and 1"):
        choose_threshold(data, data, **({"target": 0.1} | {name: value}))


def test_bad_data():
    with pytest.raises(InputError, match=r"p_true must lie in \[0, 1\]"):
        LabelledScores.of([1.5], [1], [0])
    with pytest.raises(InputError, match="true_labels has 2"):
        LabelledScores.of([0.5], [1, 0], [0])
    with pytest.raises(InputError, match="questions must name one"):
        LabelledScores.of([0.5], [1], [0, 1])
    with pytest.raises(InputError, match="no labelled claim"):
        choose_threshold(LabelledScores.of([], [], []), LabelledScores.of([0.5], [1], [0]), target=0.1)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.integers(0, 30)), min_size=1, max_size=60),
    st.floats(0.01, 0.99),
)
def test_any_data_give_a_sound_promise(claims, target):
    data = LabelledScores.of(*zip(*claims, strict=True))
    promise = choose_threshold(data, data, target=target, confidence=0.9)
    assert choose_threshold(data, data, target=target, confidence=0.9) == promise
    if promise.threshold is not None:
        assert promise.kept >= 1
        assert promise.kept >= fewest_questions(target, 0.9) or promise.test == "betting"
        assert promise.false_rate < target


@pytest.mark.parametrize(
    "change",
    [
        {"target": 0},
        {"confidence": 1},
        {"threshold": 2},
        {"kept": 5},
        {"reason": "none"},
        {"threshold": None},
    ],
)
def test_a_card_with_nonsense_is_refused(change):
    sound = {
        "target": 0.05,
        "confidence": 0.95,
        "threshold": 0.7,
        "test": "binomial",
        "questions": 4,
        "kept": 3,
        "false_rate": 0.0,
        "share_kept": 0.5,
        "reason": "",
    }
    assert Promise(**sound).threshold == 0.7
    with pytest.raises(ValueError):
        Promise(**(sound | change))
