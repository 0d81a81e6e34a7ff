import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.uncertainty.token_entropy import entropy, max_token_entropy, mean_token_entropy


def test_entropy_of_a_distribution():
    assert entropy(np.log([0.7, 0.2, 0.1])) == pytest.approx(0.8018185525, abs=1e-9)


def test_impossible_tokens_add_nothing():
    np.testing.assert_allclose(entropy([[0.0, -np.inf], np.log([0.5, 0.5])]), [0, math.log(2)], atol=1e-12)


def test_entropy_keeps_nan():
    assert np.isnan(entropy([np.nan, -1.0]))


@pytest.mark.parametrize("log_probs", [np.log([0.7, 0.2]), [0.7, 0.2, 0.1], -1.0])
def test_not_a_distribution(log_probs):
    with pytest.raises(InputError):
        entropy(log_probs)


def test_mean_and_max_over_the_claims_tokens():
    assert mean_token_entropy([0.1, 0.5, 0.9], [0, 1]) == pytest.approx(0.3)
    assert max_token_entropy([0.1, 0.5, 0.9], [0, 1]) == 0.5
    assert mean_token_entropy([0.1, 0.5, 0.9]) == pytest.approx(0.5)


@pytest.mark.parametrize("signal", [mean_token_entropy, max_token_entropy])
def test_bad_entropies(signal):
    assert math.isnan(signal([0.1, np.nan]))
    for values, tokens in ([-0.1], None), ([], None), ([0.1], []):
        with pytest.raises(InputError):
            signal(values, tokens)


@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=30))
def test_entropy_is_at_most_the_logarithm_of_the_size(weights):
    probabilities = np.array(weights) / np.sum(weights)
    assert 0 <= entropy(np.log(probabilities)) <= math.log(len(weights)) + 1e-9
