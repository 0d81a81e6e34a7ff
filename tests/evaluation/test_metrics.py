import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from franq_guard.errors import InputError
from franq_guard.evaluation.metrics import (
    average_precision,
    brier_score,
    expected_calibration_error,
    false_rate,
    mean_ranks,
    prediction_rejection_ratio,
    roc_auc,
)

SCORES = [0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.1]
LABELS = [1, 1, 1, 1, 1, 0, 1, 0]
RANKING = [roc_auc, average_precision, prediction_rejection_ratio]
ALL = [*RANKING, expected_calibration_error, brier_score]


def test_eight_claims():
    assert roc_auc(SCORES, LABELS) == pytest.approx(0.9166666667, abs=1e-9)
    assert average_precision(SCORES, LABELS) == pytest.approx(0.8333333333, abs=1e-9)
    assert prediction_rejection_ratio(SCORES, LABELS) == pytest.approx(0.7254901961, abs=1e-9)
    assert expected_calibration_error(SCORES, LABELS) == pytest.approx(0.29375, abs=1e-9)
    assert false_rate(LABELS) == 0.25


@pytest.mark.parametrize(
    ("uncertainty", "labels", "half", "full"),
    [
        ([0.1, 0.2, 0.9, 0.3, 0.7, 0.6, 0.4, 0.5], [1, 1, 0, 1, 1, 0, 1, 1], 0.7254901961, 0.8962962963),
        ([0.4, 0.3, 0.2, 0.1], [1, 0, 1, 1], -0.3333333333, 0.5555555556),
    ],
)
def test_prr(uncertainty, labels, half, full):
    confidence = -np.array(uncertainty)
    assert prediction_rejection_ratio(confidence, labels) == pytest.approx(half, abs=1e-9)
    assert prediction_rejection_ratio(confidence, labels, max_rejection=1) == pytest.approx(full, abs=1e-9)


@pytest.mark.parametrize("labels", [[1, 0, 1, 1], [0, 1, 1, 1]])
def test_prr_averages_over_ties(labels):
    confidence = [-0.5, -0.5, -0.1, -0.1]
    assert prediction_rejection_ratio(confidence, labels) == pytest.approx(0.3333333333, abs=1e-9)


def test_false_claims_are_the_positive_class():
    confidence = 1 - np.array([0.9, 0.8, 0.7, 0.3, 0.1])
    true = 1 - np.array([1, 0, 1, 0, 0])
    assert average_precision(confidence, true) == pytest.approx(0.8333333333, abs=1e-9)
    assert roc_auc(confidence, true) == pytest.approx(0.8333333333, abs=1e-9)


def test_ece():
    scores, labels = [0.95, 0.92, 0.85, 0.35, 0.31, 0.05], [1, 1, 0, 1, 0, 0]
    assert expected_calibration_error(scores, labels) == pytest.approx(0.2283333333, abs=1e-9)


def test_ece_bins_are_closed_above_and_the_first_below_too():
    assert expected_calibration_error([0.0, 0.1], [1, 0]) == pytest.approx(abs(1 - 0.1) / 2)
    assert expected_calibration_error([0.1, 0.11], [1, 0]) == pytest.approx((0.9 + 0.11) / 2)
    for tenth in range(1, 10):
        edge, below = tenth / 10, tenth / 10 - 0.05
        assert expected_calibration_error([edge, below], [1, 0]) == pytest.approx(abs(1 - edge - below) / 2)


def test_brier():
    assert brier_score([1, 0.5, 0], [1, 1, 1]) == pytest.approx(1.25 / 3)


@pytest.mark.parametrize("metric", ALL)
def test_rows_without_label_are_left_out(metric):
    scores, labels = [*SCORES, 0.2, float("nan")], [*LABELS, None, float("nan")]
    assert metric(scores, labels) == metric(SCORES, LABELS)


@pytest.mark.parametrize("metric", ALL)
def test_unscored_claims_are_not_left_out_silently(metric):
    with pytest.raises(InputError, match=r"confidence\[1\] is NaN"):
        metric([0.5, float("nan")], [1, 0])


@pytest.mark.parametrize("metric", ALL)
def test_bad_input(metric):
    with pytest.raises(InputError, match="true_labels has 1"):
        metric([0.5, 0.5], [1])
    with pytest.raises(InputError, match=r"true_labels\[0\] is 2"):
        metric([0.5], [2])
    with pytest.raises(InputError, match="one-dimensional"):
        metric([[0.5]], [1])


def test_bad_settings():
    for rejection in 0, 1.5, math.nan:
        with pytest.raises(InputError):
            prediction_rejection_ratio(SCORES, LABELS, max_rejection=rejection)
    with pytest.raises(InputError):
        expected_calibration_error(SCORES, LABELS, bins=0)


@pytest.mark.parametrize("metric", RANKING)
@pytest.mark.parametrize("labels", [[1] * 8, [0] * 8])
def test_one_class_is_undefined(metric, labels):
    assert math.isnan(metric(SCORES, labels))


@pytest.mark.parametrize("metric", ALL)
def test_no_rows_is_undefined(metric):
    assert math.isnan(metric([], []))
    assert math.isnan(metric([0.5], [None]))


def test_prr_without_a_rejection_is_undefined():
    assert math.isnan(prediction_rejection_ratio([0.1, 0.2, 0.3], [0, 1, 1]))


def test_false_rate_of_nothing():
    assert math.isnan(false_rate([None]))


@pytest.mark.parametrize("metric", RANKING)
def test_infinite_scores_rank_beyond_the_finite(metric):
    assert metric([np.inf, *SCORES[1:-1], -np.inf], LABELS) == metric(SCORES, LABELS)
    assert not math.isnan(metric([np.inf, -np.inf, np.inf, np.inf], [1, 0, 1, 1]))


@pytest.mark.parametrize("metric", [expected_calibration_error, brier_score])
@pytest.mark.parametrize("scores", [[1.1, 0.5], [-0.1, 0.5], [np.inf, 0.5]])
def test_calibration_errors_need_probabilities(metric, scores):
    with pytest.raises(InputError, match="calibrate first"):
        metric(scores, [1, 0])


def test_bool_labels():
    assert roc_auc(SCORES, np.array(LABELS, dtype=bool)) == roc_auc(SCORES, LABELS)


tied = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=4, max_size=40)


def columns(pairs):
    scores, labels = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    assume(0 < labels.sum() < labels.size)
    return scores, labels


@given(tied)
def test_ranking_metrics_are_scikit_learns(pairs):
    scores, labels = columns(pairs)
    assert roc_auc(scores, labels) == pytest.approx(roc_auc_score(1 - labels, -scores), abs=1e-12)
    assert average_precision(scores, labels) == pytest.approx(
        average_precision_score(1 - labels, -scores), abs=1e-12
    )


def plain_prr(scores, labels, max_rejection=0.5):
    """By definition, on scores without ties."""
    ranked = labels[np.argsort(-scores)]
    best = np.sort(labels)[::-1]
    count = len(labels)
    steps = max(1, math.floor(max_rejection * count))
    area, oracle = (np.mean([order[: count - k].mean() for k in range(steps)]) for order in (ranked, best))
    return (area - labels.mean()) / (oracle - labels.mean())


@given(st.permutations(range(12)), st.lists(st.booleans(), min_size=12, max_size=12))
def test_prr_is_its_definition(scores, labels):
    scores, labels = columns(zip(scores, labels, strict=True))
    assert prediction_rejection_ratio(scores, labels) == pytest.approx(plain_prr(scores, labels), abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=4, max_size=6))
def test_prr_of_ties_is_the_mean_over_their_orders(pairs):
    scores, labels = columns(pairs)
    orders = permutations(np.arange(scores.size) / 10)
    expected = np.mean([plain_prr(scores + np.array(order), labels) for order in orders])
    assert prediction_rejection_ratio(scores, labels) == pytest.approx(expected, abs=1e-9)


@given(tied)
def test_landmarks(pairs):
    scores, labels = columns(pairs)
    constant = np.full(scores.size, 0.5)
    assert prediction_rejection_ratio(labels, labels) == pytest.approx(1)
    assert prediction_rejection_ratio(constant, labels) == pytest.approx(0, abs=1e-9)
    assert average_precision(constant, labels) == pytest.approx(false_rate(labels))
    assert roc_auc(constant, labels) == 0.5
    assert roc_auc(labels, labels) == average_precision(labels, labels) == 1


@given(tied)
def test_only_the_order_counts(pairs):
    scores, labels = columns(pairs)
    for metric in RANKING:
        assert metric(np.exp(scores) - 5, labels) == pytest.approx(metric(scores, labels), abs=1e-9)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_calibration_errors_lie_between_0_and_1(pairs):
    scores, labels = zip(*pairs, strict=True)
    assert 0 <= expected_calibration_error(scores, labels) <= 1
    assert 0 <= brier_score(scores, labels) <= 1
    assert brier_score(labels, labels) == expected_calibration_error(labels, labels) == 0


def test_mean_ranks():
    assert mean_ranks([[0.9, 0.5], [0.9, 0.7], [0.1, 0.6]]).tolist() == [2.25, 1.25, 2.5]
    for values in [], [0.5], [[np.nan]]:
        with pytest.raises(InputError):
            mean_ranks(values)


# PRR per data set and mean rank, Llama-3.2-3B, arXiv 2505.21072v2 tables 3 and 4.
PUBLISHED = {
    "MSP": (0.292, 0.421, 0.478, 0.625, 11.50),
    "CCP": (0.357, 0.393, 0.471, 0.552, 13.00),
    "MaxTokenEntropy": (0.389, 0.455, 0.523, 0.555, 8.00),
    "P(True)": (-0.042, 0.100, -0.022, -0.082, 20.00),
    "LexicalSim": (0.386, 0.462, 0.485, 0.585, 8.25),
    "DegMat": (0.421, 0.421, 0.570, 0.668, 5.75),
    "Eccentricity": (0.424, 0.420, 0.545, 0.671, 6.50),
    "SumEigen": (0.411, 0.416, 0.561, 0.686, 5.50),
    "NumSemSets": (0.336, 0.069, 0.382, 0.461, 16.75),
    "SemanticEntropy": (0.373, 0.496, 0.546, 0.684, 4.75),
    "Perplexity": (0.366, 0.422, 0.460, 0.480, 11.75),
    "TokenSAR": (0.359, 0.397, 0.426, 0.468, 13.75),
    "SentenceSAR": (0.269, 0.459, 0.521, 0.682, 9.00),
    "MaxNLI": (0.042, -0.213, -0.082, 0.108, 20.25),
    "AlignScore": (0.312, 0.079, 0.215, 0.221, 17.50),
    "ParametricKnowledge": (0.203, 0.290, 0.397, 0.096, 17.75),
    "XGBoost-all": (0.375, 0.433, 0.486, 0.683, 7.25),
    "XGBoost-franq": (0.283, 0.350, 0.328, 0.676, 14.00),
    "FRANQ-none": (0.268, 0.278, 0.467, 0.601, 14.75),
    "FRANQ-calibrated": (0.405, 0.468, 0.580, 0.695, 2.75),
    "FRANQ-condition": (0.409, 0.477, 0.576, 0.703, 2.25),
}


def test_mean_ranks_of_the_papers_tables():
    table = np.array(list(PUBLISHED.values()))
    np.testing.assert_allclose(mean_ranks(table[:, :4]), table[:, 4], atol=0.13)
