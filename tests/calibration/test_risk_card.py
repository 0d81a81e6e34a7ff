"""The promise in the card, in the file, and in a guard's policy."""

import json
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest
from fakes import WordAligner, WordLM, make_guard

from franq_guard import Calibrator, ConfigError, InputError, Policy
from franq_guard.calibration.risk_control import Promise
from franq_guard.errors import CalibrationError
from franq_guard.evaluation.calibrating import Settings, calibrate
from franq_guard.evaluation.promise import PromiseSettings, check_promise
from franq_guard.franq import LONG_FORM
from tests.evaluation.synthetic import make_claims

PROMISE = Promise(
    target=0.1,
    confidence=0.95,
    threshold=0.7,
    test="binomial",
    questions=90,
    kept=60,
    false_rate=0.02,
    share_kept=0.6,
    reason="",
)
UNSUPPORTED = replace(PROMISE, threshold=None, reason="too few questions")


def fitted(promise=None, **settings):
    rng = np.random.default_rng(0)
    alignment, told, untold = rng.random(80), -30 * rng.random(80), -60 * rng.random(80)
    found = Calibrator.fit(alignment, told, untold, alignment > 0.4, **settings)
    return replace(found, card=replace(found.card, promise=promise))


@pytest.mark.parametrize("promise", [PROMISE, UNSUPPORTED, None])
def test_round_trip(promise):
    calibrator = fitted(promise)
    assert Calibrator.from_json(calibrator.to_json()) == calibrator


def test_a_changed_threshold_is_noticed():
    data = json.loads(fitted(PROMISE).to_json())
    data["card"]["promise"]["threshold"] = 0.1
    with pytest.raises(CalibrationError, match="was changed after the fit"):
        Calibrator.from_json(json.dumps(data))


def test_nonsense_in_a_file_is_named():
    data = json.loads(fitted(PROMISE).to_json())
    data["card"]["promise"]["target"] = 7
    with pytest.raises(CalibrationError, match=r"card\.promise"):
        Calibrator.from_json(json.dumps(data))
    data = json.loads(fitted(PROMISE).to_json())
    data["card"]["reference"]["signals"][0]["edges"] = [1.0, 0.0]
    with pytest.raises(CalibrationError, match=r"card\.reference\.signals\.0"):
        Calibrator.from_json(json.dumps(data))


def test_files_of_before_are_read():
    old = fitted()
    old = replace(old, card=replace(old.card, reference=None))
    data = json.loads(old.to_json())
    assert data["version"] == 1
    assert not {"promise", "reference"} & data["card"].keys()
    assert Calibrator.from_json(json.dumps(data)) == old
    file = resources.files("franq_guard") / "models" / "calibrators" / "mini-long.json"
    assert Calibrator.from_json(file.read_text()).id == json.loads(file.read_text())["id"]


# Making it.


def test_calibrate_promises_on_questions_it_was_not_fitted_on():
    rows = make_claims(1200, questions=400)
    result = calibrate(rows, Settings(target_false_rate=0.15, test_share=0.5))
    promise = result.calibrator.card.promise
    assert promise.threshold is not None
    assert promise.questions == 200 and result.calibrator.card.n == 600
    assert promise.false_rate < 0.15
    assert result.warnings == ()


def test_calibrate_says_when_the_data_cannot():
    result = calibrate(make_claims(120, questions=40), Settings(target_false_rate=0.01))
    assert result.calibrator.card.promise.threshold is None
    assert any("do not support the target" in warning for warning in result.warnings)


def test_claims_of_one_question_promise_nothing():
    with pytest.raises(CalibrationError, match="no questions to test"):
        calibrate(make_claims(40, questions=1), Settings(target_false_rate=0.1))


@pytest.mark.parametrize(
    "change", [{"target_false_rate": 2}, {"confidence": 0}, {"refit": True}, {"test_share": 0}]
)
def test_settings_that_promise_nothing_sound(change):
    with pytest.raises(ConfigError):
        Settings(**({"target_false_rate": 0.1} | change))


# Checking it.


def test_a_promise_checked_on_resamples():
    rows = make_claims(600, questions=200)
    settings = PromiseSettings(target=0.2, confidence=0.9, resamples=20)
    found = check_promise(rows, settings)
    assert found.thresholds.shape == found.false_rates.shape == (20,)
    assert found.supported > 0.5
    assert found.held >= 0.9 - found.margin
    assert found.tested == 100
    numbers = found.to_dict()
    assert json.loads(json.dumps(numbers)) == numbers
    assert numbers["mean_false_rate"] < 0.2
    np.testing.assert_array_equal(check_promise(rows, settings).thresholds, found.thresholds)


def test_who_promises_nothing_breaks_nothing():
    found = check_promise(make_claims(90, questions=30), PromiseSettings(target=0.01, resamples=3))
    assert (found.supported, found.held) == (0.0, 1.0)
    assert found.to_dict()["mean_false_rate"] is None
    assert len(found.reasons) == 3


def test_what_cannot_be_checked():
    with pytest.raises(InputError, match="at least two questions"):
        check_promise([], PromiseSettings(target=0.1))
    same = [replace(row, true=True) for row in make_claims(40)]
    with pytest.raises(CalibrationError, match="labelled true"):
        check_promise(same, PromiseSettings(target=0.1, resamples=2))
    for change in ({"target": 0}, {"confidence": 1}, {"resamples": 0}, {"fitting_share": 1}):
        with pytest.raises(ConfigError):
            PromiseSettings(**({"target": 0.1} | change))


# Keeping it.


def test_the_policy_takes_the_threshold():
    policy = Policy(keep_promise=True).for_calibrator(fitted(PROMISE))
    assert (policy.block_below, policy.hedge_below, policy.annotate_below) == (0.7, 0.7, 0.9)
    loose = Policy(hedge_below=None, annotate_below=None).keeping(PROMISE)
    assert (loose.block_below, loose.hedge_below, loose.annotate_below) == (0.7, None, None)
    assert Policy().for_calibrator(fitted(PROMISE)) == Policy()


@pytest.mark.parametrize(
    ("calibrator", "message"),
    [
        (None, "needs a calibrator"),
        (fitted(), "holds no promise"),
        (fitted(UNSUPPORTED), "too few questions"),
    ],
)
def test_a_promise_that_was_not_made_is_not_kept(calibrator, message):
    with pytest.raises(ConfigError, match=message):
        Policy(keep_promise=True).for_calibrator(calibrator)


def test_keep_promise_is_a_yes_or_no():
    with pytest.raises(ConfigError, match="true or false"):
        Policy(keep_promise="yes")


def test_a_guard_blocks_below_the_promised_threshold():
    alignment_model = WordAligner()
    guard = make_guard(alignment_model=alignment_model, calibration="none").warm_up()
    calibrator = fitted(
        PROMISE,
        signals=LONG_FORM,
        language_model=WordLM().id,
        alignment_model=guard._loaded().aligner.id,
    )
    guard = make_guard(
        alignment_model=alignment_model,
        calibration=calibrator,
        policy=Policy(keep_promise=True, min_kept=0),
        on_error="raise",
    )
    report = guard.check(
        "How tall?", ["The tower is tall."], "The tower is tall. Zebras rarely swim northwards."
    )
    assert [claim.action == "block" for claim in report.claims] == [
        claim.p_true < 0.7 for claim in report.claims
    ]
    assert {claim.action == "block" for claim in report.claims} == {True, False}

    unpromising = make_guard(
        alignment_model=alignment_model,
        calibration=replace(calibrator, card=replace(calibrator.card, promise=None)),
        policy=Policy(keep_promise=True),
        on_error="block",
    )
    report = unpromising.check("How tall?", ["The tower is tall."], "The tower is tall.")
    assert report.blocked and "holds no promise" in report.error
