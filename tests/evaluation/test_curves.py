import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.evaluation.curves import precision_recall, rejection, reliability, wilson_interval
from franq_guard.evaluation.metrics import (
    average_precision,
    expected_calibration_error,
    prediction_rejection_ratio,
)

SCORES = [0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.1]
TRUE = [1, 1, 1, 1, 1, 0, 1, 0]

both_classes = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.35, 0.5, 0.8, 1.0]), st.booleans()), min_size=4, max_size=30
).filter(lambda rows: len({label for _, label in rows}) == 2)


def test_bins_and_interval():
    curve = reliability([0.0, 0.1, 0.15, 0.95, 1.0], [0, 1, 0, 1, 1])
    assert curve.counts.tolist() == [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert curve.predicted[[0, 1, 9]] == pytest.approx([0.05, 0.15, 0.975])
    assert curve.observed[[0, 1, 9]] == pytest.approx([0.5, 0, 1])
    assert np.isnan(curve.observed[2:9]).all()
    assert np.isnan(curve.low[2:9]).all()


def test_wilson_interval():
    low, high = wilson_interval(np.array([0.8, 0.0]), [10, 10])
    assert low == pytest.approx([0.490162, 0.0], abs=1e-6)
    assert high == pytest.approx([0.943318, 0.277533], abs=1e-6)


def test_precision_and_recall():
    curve = precision_recall(SCORES, TRUE)
    assert curve.recall == pytest.approx([0.5, 0.5, 1, 1, 1, 1, 1, 1])
    assert curve.precision == pytest.approx([1, 1 / 2, 2 / 3, 2 / 4, 2 / 5, 2 / 6, 2 / 7, 2 / 8])
    assert curve.false_rate == 0.25


def test_rejection():
    curve = rejection(SCORES, TRUE)
    assert curve.rejected == pytest.approx(np.arange(8) / 8)
    assert curve.quality == pytest.approx([6 / 8, 6 / 7, 5 / 6, 1, 1, 1, 1, 1])
    assert curve.oracle == pytest.approx([6 / 8, 6 / 7, 1, 1, 1, 1, 1, 1])
    assert curve.random == 0.75


@given(both_classes)
def test_the_curves_contain_the_metrics(rows):
    scores, labels = zip(*rows, strict=True)
    curve = reliability(scores, labels)
    filled = curve.counts > 0
    gaps = np.abs(curve.observed - curve.predicted)[filled] * curve.counts[filled]
    assert gaps.sum() / len(rows) == pytest.approx(expected_calibration_error(scores, labels))
    assert np.all(curve.low[filled] <= curve.observed[filled] + 1e-12)
    assert np.all(curve.observed[filled] <= curve.high[filled] + 1e-12)

    found = precision_recall(scores, labels)
    area = np.sum(np.diff(found.recall, prepend=0) * found.precision)
    assert area == pytest.approx(average_precision(scores, labels))

    kept = rejection(scores, labels)
    steps = len(rows) // 2
    ratio = (kept.quality[:steps].mean() - kept.random) / (kept.oracle[:steps].mean() - kept.random)
    assert ratio == pytest.approx(prediction_rejection_ratio(scores, labels))


def test_bad_input():
    with pytest.raises(InputError, match="probabilities"):
        reliability([-1.0, 0.5], [0, 1])
    with pytest.raises(InputError, match="bins"):
        reliability([0.5], [1], bins=0)
    for curve in (precision_recall, rejection):
        with pytest.raises(InputError, match="one class"):
            curve([0.1, 0.2], [1, 1])
        with pytest.raises(InputError, match="one class"):
            curve([0.1], [None])
