import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.franq import long_form, mix, short_form, threshold_faithfulness

unit = st.floats(0, 1)


@pytest.mark.parametrize(
    ("p_faithful", "if_faithful", "if_unfaithful", "expected"),
    [
        (0.98, 0.99, 3.5e-15, 0.9702),
        (0.05, 0.19, 0.05, 0.0570),
        (0.04, 0.72, 3.8e-15, 0.0288),
        (0.98, 0.95, 0.13, 0.9336),
        (0.05, 0.21, 0.99, 0.9510),
        (0.04, 0.49, 0.14, 0.1540),
    ],
)
def test_the_papers_own_examples(p_faithful, if_faithful, if_unfaithful, expected):
    assert mix([p_faithful], [if_faithful], [if_unfaithful]) == pytest.approx([expected], abs=1e-9)


def test_uncalibrated_long_form_exponentiates_log_probabilities():
    scores = long_form([0.8], [np.log([0.5, 0.25]).sum()], [np.log([0.1, 0.05]).sum()])
    assert scores.p_true == pytest.approx([0.101], abs=1e-9)
    assert scores.p_true_if_faithful == pytest.approx([0.125])
    assert scores.p_true_if_unfaithful == pytest.approx([0.005])
    assert scores.p_faithful == [0.8]


def test_uncalibrated_long_form_takes_max_nli_as_it_is():
    scores = long_form([0.05], [0.19], np.log([0.05]), signals=("max_nli", "parametric_knowledge"))
    assert scores.p_true == pytest.approx([0.0570], abs=1e-9)


def test_uncalibrated_short_form():
    scores = short_form([0.5], [-1.4067053584], [-1.9444444444], samples=3)
    assert scores.p_true_if_faithful == pytest.approx([0.2449489743], abs=1e-9)
    assert scores.p_true_if_unfaithful == pytest.approx([0.5277777778], abs=1e-9)
    assert scores.p_true == pytest.approx([(0.2449489743 + 0.5277777778) / 2], abs=1e-9)


def test_threshold_is_strict():
    np.testing.assert_array_equal(threshold_faithfulness([0.5, 0.500001, 0.4, np.nan]), [0, 1, 0, np.nan])
    scores = long_form([0.5, 0.51], [-1.0, -1.0], [-2.0, -2.0], threshold=0.5)
    assert scores.p_faithful.tolist() == [0, 1]
    assert scores.p_true == pytest.approx(np.exp([-2, -1]))


def test_faithfulness_is_clipped():
    assert mix([1.5, -0.5], [0.9, 0.9], [0.1, 0.1]).tolist() == [0.9, 0.1]


@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize("threshold", [None, 0.5])
def test_nan_anywhere_gives_nan(position, threshold):
    inputs = np.array([0.8, -1.0, -2.0])
    inputs[position] = np.nan
    scores = long_form(*inputs[:, None], threshold=threshold)
    assert np.isnan(scores.p_true).all()


def test_no_claims():
    assert long_form([], [], []).p_true.shape == (0,)


def test_bad_input():
    with pytest.raises(InputError, match="shapes differ"):
        mix([0.5, 0.5], [0.5], [0.5])
    with pytest.raises(InputError, match=r"p_true_if_faithful must lie in \[0, 1\]"):
        mix([0.5], [-1.0], [0.5])
    with pytest.raises(InputError, match="logarithms"):
        long_form([0.5], [0.9], [0.9])
    with pytest.raises(InputError, match="unknown signal"):
        long_form([0.5], [0.9], [0.9], signals=("vibes", "max_nli"))


@given(unit, unit, unit)
def test_the_score_lies_between_its_branches(p_faithful, if_faithful, if_unfaithful):
    [score] = mix([p_faithful], [if_faithful], [if_unfaithful])
    assert min(if_faithful, if_unfaithful) <= score <= max(if_faithful, if_unfaithful)


@given(unit, unit)
def test_certainty_picks_one_branch(if_faithful, if_unfaithful):
    assert mix([1.0], [if_faithful], [if_unfaithful]) == [if_faithful]
    assert mix([0.0], [if_faithful], [if_unfaithful]) == [if_unfaithful]
