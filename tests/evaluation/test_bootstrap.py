import math

import numpy as np
import pytest

from franq_guard.errors import InputError
from franq_guard.evaluation.bootstrap import bootstrap, bootstrap_difference, evaluate
from franq_guard.evaluation.metrics import (
    Ranked,
    average_precision,
    brier_score,
    expected_calibration_error,
    false_rate,
    prediction_rejection_ratio,
    roc_auc,
    weighted_average_precision,
    weighted_brier,
    weighted_ece,
    weighted_prr,
    weighted_roc_auc,
)

RNG = np.random.default_rng(0)
SCORES = RNG.random(300).round(2)
LABELS = (RNG.random(300) < SCORES).astype(float)
PUBLIC = {
    "roc_auc": roc_auc,
    "average_precision": average_precision,
    "prr": prediction_rejection_ratio,
    "ece": expected_calibration_error,
    "brier": brier_score,
}


def test_values_are_those_of_the_plain_metrics():
    intervals = evaluate(SCORES, LABELS, resamples=50)
    for name, metric in PUBLIC.items():
        assert intervals[name].value == metric(SCORES, LABELS)
        assert intervals[name].low < intervals[name].value < intervals[name].high or name == "ece"
    assert intervals["false_rate"].value == pytest.approx(false_rate(LABELS))


def test_weights_mean_repetition():
    rows = RNG.integers(0, 60, 60)
    times = np.bincount(rows, minlength=60).astype(float)
    order = np.argsort(SCORES[:60], kind="stable")
    ranked = Ranked.of(SCORES[:60], LABELS[:60])
    np.testing.assert_array_equal(ranked.rows, order)
    for weighted, plain in (
        (weighted_roc_auc, roc_auc),
        (weighted_average_precision, average_precision),
        (weighted_prr(0.5), prediction_rejection_ratio),
        (weighted_ece(10), expected_calibration_error),
        (weighted_brier, brier_score),
    ):
        [value] = weighted(ranked, times[order][None, :])
        assert value == pytest.approx(plain(SCORES[rows], LABELS[rows]), abs=1e-12)


def test_the_same_seed_gives_the_same_intervals():
    assert evaluate(SCORES, LABELS, resamples=70) == evaluate(SCORES, LABELS, resamples=70)
    assert evaluate(SCORES, LABELS, resamples=70) != evaluate(SCORES, LABELS, resamples=70, seed=1)


def test_interval_of_a_mean_matches_theory():
    interval = bootstrap({"brier": weighted_brier}, SCORES, LABELS, resamples=2000)["brier"]
    spread = np.std((SCORES - LABELS) ** 2) / math.sqrt(300)
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * spread, rel=0.1)


def test_whole_questions_are_drawn():
    scores, labels = np.repeat(SCORES[:50], 20), np.repeat(LABELS[:50], 20)
    alone = evaluate(scores, labels, resamples=300)["brier"]
    grouped = evaluate(scores, labels, groups=np.repeat(np.arange(50), 20), resamples=300)["brier"]
    once = evaluate(SCORES[:50], LABELS[:50], resamples=300)["brier"]
    assert grouped.high - grouped.low == pytest.approx(once.high - once.low)
    assert grouped.high - grouped.low > 3 * (alone.high - alone.low)


def test_groups_follow_their_rows_when_rows_without_label_go():
    labels = LABELS[:50].copy()
    labels[::3] = np.nan
    names = np.array([f"question {row // 5}" for row in range(50)])
    kept = ~np.isnan(labels)
    whole = evaluate(SCORES[:50], labels, groups=names, resamples=60)
    part = evaluate(SCORES[:50][kept], labels[kept], groups=names[kept], resamples=60)
    assert whole == part


def test_undefined_resamples_are_counted():
    interval = evaluate([0.1, 0.5, 0.6, 0.7], [0, 1, 1, 1], resamples=500)["roc_auc"]
    assert interval.value == 1
    assert 0.2 < interval.undefined < 0.45
    one_class = evaluate([0.1, 0.5], [1, 1], resamples=20)["roc_auc"]
    assert math.isnan(one_class.value) and math.isnan(one_class.low) and one_class.undefined == 1


def test_no_labelled_rows():
    interval = evaluate([0.5], [None])["brier"]
    assert math.isnan(interval.value) and math.isnan(interval.high) and interval.undefined == 1


def test_calibration_errors_only_for_probabilities():
    assert {"ece", "brier"} <= set(evaluate(SCORES, LABELS, resamples=5))
    assert not {"ece", "brier"} & set(evaluate(SCORES - 1, LABELS, resamples=5))


def test_bad_input():
    for settings in {"resamples": 0}, {"level": 1.0}, {"groups": [1, 2]}:
        with pytest.raises(InputError):
            evaluate(SCORES, LABELS, **settings)
    with pytest.raises(InputError, match="true_labels has 2"):
        evaluate(SCORES, [1, 0])


def test_differences_are_taken_on_the_same_resamples():
    metrics = {"roc_auc": weighted_roc_auc, "brier": weighted_brier}
    groups = np.arange(300) // 3
    options = {"groups": groups, "resamples": 200, "seed": 4}
    same = bootstrap_difference(metrics, SCORES, SCORES, LABELS, **options)
    assert all((found.value, found.low, found.high) == (0, 0, 0) for found in same.values())
    # A worse method that errs on the same claims: the difference is far narrower than either interval.
    worse = np.where(RNG.random(300) < 0.1, 0.5, SCORES)
    one, two = (bootstrap(metrics, scores, LABELS, **options)["roc_auc"] for scores in (SCORES, worse))
    lead = bootstrap_difference(metrics, SCORES, worse, LABELS, **options)["roc_auc"]
    assert lead.value == pytest.approx(one.value - two.value)
    assert lead.low <= lead.value <= lead.high
    assert lead.high - lead.low < 0.8 * (one.high - one.low)
    back = bootstrap_difference(metrics, worse, SCORES, LABELS, **options)["roc_auc"]
    assert (back.value, back.low, back.high) == pytest.approx((-lead.value, -lead.high, -lead.low))


def test_differences_of_nothing():
    lead = bootstrap_difference({"roc_auc": weighted_roc_auc}, [], [], [])["roc_auc"]
    assert math.isnan(lead.value)
    assert math.isnan(lead.low)
