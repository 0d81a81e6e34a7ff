import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.uncertainty.semantic_entropy import entropy_to_probability, semantic_entropy

LOG_PROBS = np.log([0.4, 0.2, 0.1, 0.1])
CLASSES = [0, 0, 1, 2]
ESTIMATORS = ["mean", "kuhn", "rao", "discrete", "direct"]


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        ("mean", 1.4067053584),
        ("kuhn", 1.7053319366),
        ("rao", 0.7356219398),
        ("discrete", 1.0397207708),
        ("direct", 1.0735077756),
    ],
)
def test_estimators(estimator, expected):
    assert semantic_entropy(LOG_PROBS, CLASSES, estimator=estimator) == pytest.approx(expected, abs=1e-7)


def test_mean_is_the_default():
    assert semantic_entropy(LOG_PROBS, CLASSES) == pytest.approx(1.4067053584, abs=1e-9)


def test_rao_on_mean_token_log_probabilities():
    value = semantic_entropy(np.log([0.8, 0.6, 0.3, 0.3]), CLASSES, estimator="rao")
    assert value == pytest.approx(0.8188084562, abs=1e-9)


def test_repeated_samples_can_make_it_negative():
    assert semantic_entropy(np.log([0.5] * 3), [0, 0, 0]) == pytest.approx(-0.4054651081, abs=1e-9)
    assert semantic_entropy(np.log([0.5]), [0]) == pytest.approx(math.log(2), abs=1e-9)


def test_class_names_do_not_matter():
    assert semantic_entropy(LOG_PROBS, [7, 7, -1, 3]) == semantic_entropy(LOG_PROBS, CLASSES)


def test_no_underflow():
    assert semantic_entropy([-2000.0, -2000.0], [0, 1]) == pytest.approx(2000)
    assert semantic_entropy([-2000.0, -2000.0], [0, 1], estimator="rao") == pytest.approx(math.log(2))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_nan_in_nan_out_where_log_probabilities_are_read(estimator):
    value = semantic_entropy([np.nan, -1.0], [0, 1], estimator=estimator)
    assert math.isnan(value) == (estimator != "discrete")


def test_impossible_samples():
    assert semantic_entropy([-np.inf, -1.0], [0, 1]) == np.inf
    assert semantic_entropy([-np.inf, -1.0], [0, 0]) == 1
    assert semantic_entropy([-np.inf, -1.0], [0, 1], estimator="rao") == 0
    assert semantic_entropy([-np.inf, -1.0], [0, 1], estimator="direct") == pytest.approx(math.exp(-1))
    assert math.isnan(semantic_entropy([-np.inf], [0], estimator="rao"))


@pytest.mark.parametrize(("log_probs", "classes"), [([], []), ([-1.0], [0, 1]), ([0.5], [0])])
def test_bad_input(log_probs, classes):
    with pytest.raises(InputError):
        semantic_entropy(log_probs, classes)


def test_unknown_estimator():
    with pytest.raises(InputError, match="kuhn"):
        semantic_entropy([-1.0], [0], estimator="median")


def test_uncalibrated_probability():
    assert entropy_to_probability(1.4067053584) == pytest.approx(0.2449489743, abs=1e-9)
    np.testing.assert_array_equal(entropy_to_probability([-0.4, np.inf, np.nan]), [1, 0, np.nan])


samples = st.lists(st.tuples(st.floats(-50, 0), st.integers(0, 4)), min_size=1, max_size=12)


@given(samples)
def test_normalised_estimators_lie_between_0_and_log_n(pairs):
    log_probs, classes = zip(*pairs, strict=True)
    for estimator in "discrete", "rao":
        assert 0 <= semantic_entropy(log_probs, classes, estimator=estimator) <= math.log(len(pairs)) + 1e-9


@given(samples, st.randoms())
def test_order_of_samples_does_not_matter(pairs, random):
    shuffled = list(pairs)
    random.shuffle(shuffled)
    for estimator in ESTIMATORS:
        first = semantic_entropy(*zip(*pairs, strict=True), estimator=estimator)
        assert semantic_entropy(*zip(*shuffled, strict=True), estimator=estimator) == pytest.approx(
            first, abs=1e-9
        )
