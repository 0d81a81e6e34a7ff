"""The edges of the mixing law: what lies outside the range, and who is asked for probabilities."""

import numpy as np
import pytest

from franq_guard import Calibrator
from franq_guard.errors import InputError
from franq_guard.franq import long_form, mix, short_form, threshold_faithfulness


@pytest.mark.parametrize(("p_faithful", "expected"), [(1.2, 0.9), (2.0, 0.9), (-0.2, 0.1), (-2.0, 0.1)])
def test_a_faithfulness_beyond_its_range_counts_as_its_end(p_faithful, expected):
    assert mix([p_faithful], [0.9], [0.1]) == pytest.approx([expected])
    scores = long_form([p_faithful], [np.log(0.9)], [np.log(0.1)])
    assert scores.p_true == pytest.approx([expected])
    assert scores.p_faithful == [min(max(p_faithful, 0.0), 1.0)]


@pytest.mark.parametrize("wrong", [-0.01, 1.01, 1.5])
def test_a_probability_beyond_its_range_is_refused_by_its_name(wrong):
    with pytest.raises(InputError, match=r"^p_true_if_faithful must lie"):
        mix([0.5], [wrong], [0.5])
    with pytest.raises(InputError, match=r"^p_true_if_unfaithful must lie"):
        mix([0.5], [0.5], [wrong])


def test_whole_numbers_are_numbers():
    assert mix([1], [1], [0]).dtype == np.float64
    assert mix(np.array([1, 0], dtype=np.float32), [1, 1], [0, 0]).dtype == np.float64
    assert threshold_faithfulness([1, 0]).tolist() == [1.0, 0.0]
    assert threshold_faithfulness(np.array([True, False])).dtype == np.float64
    assert threshold_faithfulness([None, 0.7])[1] == 1.0


def test_the_threshold_is_the_one_that_was_given():
    scores = long_form([0.7], [np.log(0.9)], [np.log(0.1)], threshold=0.8)
    assert (scores.p_faithful, scores.p_true) == (pytest.approx([0.0]), pytest.approx([0.1]))
    short = short_form([0.7], [-0.1], [-2.0], samples=5, threshold=0.8)
    assert short.p_faithful == [0.0]
    assert short.p_true == short.p_true_if_unfaithful


@pytest.fixture
def calibrator():
    random = np.random.default_rng(1)
    rows = random.random(80), -5 * random.random(80), -20 * random.random(80)
    return Calibrator.fit(*rows, np.arange(80) % 2)


def test_a_calibrator_is_asked_for_all_three(calibrator):
    rows = [0.2, 0.9], [-1.0, -4.0], [-15.0, -2.0]
    expected = calibrator.apply(*rows)
    for found in (
        long_form(*rows, calibrator=calibrator),
        short_form(*rows, samples=5, calibrator=calibrator),
    ):
        parts = found.p_faithful, found.p_true_if_faithful, found.p_true_if_unfaithful
        for part, wanted in zip(parts, expected, strict=True):
            assert part == pytest.approx(wanted)
        assert found.p_true == pytest.approx(mix(*expected))


def test_each_of_the_two_confidences_has_one_signal():
    with pytest.raises(ValueError, match="zip"):
        long_form([0.5], [-1.0], [-1.0], signals=("max_claim_probability",))
