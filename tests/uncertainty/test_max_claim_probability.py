import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.uncertainty.max_claim_probability import max_claim_log_prob, max_claim_uncertainty

LOG_PROBS = np.log([0.9, 0.5, 0.8, 0.25, 1.0])


@pytest.mark.parametrize(
    ("tokens", "uncertainty", "probability"),
    [([1, 3], 2.0794415417, 0.125), ([0, 2, 4], 0.3285040670, 0.72)],
)
def test_product_over_the_claims_tokens(tokens, uncertainty, probability):
    assert max_claim_uncertainty(LOG_PROBS, tokens) == pytest.approx(uncertainty, abs=1e-9)
    assert math.exp(max_claim_log_prob(LOG_PROBS, tokens)) == pytest.approx(probability, abs=1e-9)


def test_whole_answer_is_max_sequence_probability():
    assert max_claim_uncertainty(np.log([0.5, 0.5])) == pytest.approx(1.3862943611, abs=1e-9)


def test_log_space_does_not_underflow():
    long = np.full(2000, math.log(0.01))
    longer = np.full(2001, math.log(0.01))
    assert -np.inf < max_claim_log_prob(longer) < max_claim_log_prob(long)


def test_certain_tokens_have_uncertainty_zero_not_minus_zero():
    assert math.copysign(1, max_claim_uncertainty([0.0, 0.0])) == 1


def test_impossible_token():
    assert max_claim_log_prob([-1.0, -np.inf]) == -np.inf


def test_nan_matters_only_inside_the_claim():
    assert math.isnan(max_claim_log_prob([-1.0, np.nan], [0, 1]))
    assert max_claim_log_prob([-1.0, np.nan], [0]) == -1


def test_positions_count_once_in_any_order():
    assert max_claim_log_prob(LOG_PROBS, [3, 1, 3]) == max_claim_log_prob(LOG_PROBS, [1, 3])


@pytest.mark.parametrize("tokens", [[], [5], [-1], [0.5], [True, False]])
def test_positions_that_do_not_exist(tokens):
    with pytest.raises(InputError):
        max_claim_log_prob(LOG_PROBS, tokens)


@pytest.mark.parametrize("log_probs", [[], [[-1.0]], [0.5], -1.0])
def test_not_log_probabilities(log_probs):
    with pytest.raises(InputError):
        max_claim_log_prob(log_probs)


def test_rounding_above_zero_is_forgiven():
    assert max_claim_log_prob([1e-8]) == 0


@given(st.lists(st.floats(-50, 0), min_size=1, max_size=20), st.data())
def test_more_tokens_are_never_more_probable(log_probs, data):
    positions = st.sets(st.integers(0, len(log_probs) - 1), min_size=1)
    tokens = data.draw(positions)
    more = tokens | data.draw(positions)
    assert max_claim_log_prob(log_probs, sorted(more)) <= max_claim_log_prob(log_probs, sorted(tokens)) + 1e-9
