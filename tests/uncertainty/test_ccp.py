import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.uncertainty.ccp import ccp_log_prob, combine_relations
from franq_guard.uncertainty.semantic_classes import Relation

C, N, E = Relation.CONTRADICTION, Relation.NEUTRAL, Relation.ENTAILMENT
LOG_PROBS = np.log([[0.5, 0.3, 0.1, 0.1]])


@pytest.mark.parametrize(
    ("forward", "backward", "combined"),
    [(E, E, E), (N, N, N), (C, C, C), (E, C, N), (C, E, N), (E, N, E), (N, E, E), (C, N, C), (N, C, C)],
)
def test_two_directions_make_one_relation(forward, backward, combined):
    assert combine_relations([forward], [backward]).tolist() == [combined]


def test_neutral_alternatives_are_left_out():
    alternatives = combine_relations([[E, C, E, N]], [[E, C, N, N]])
    assert math.exp(ccp_log_prob(LOG_PROBS, alternatives)) == pytest.approx(0.6666666667, abs=1e-9)


def test_the_greedy_token_always_entails_itself():
    assert ccp_log_prob(LOG_PROBS, [[C, C, E, N]]) == ccp_log_prob(LOG_PROBS, [[E, C, E, N]])


def test_product_over_the_claims_tokens():
    two = np.repeat(LOG_PROBS, 2, axis=0)
    alternatives = [[E, C, E, N], [E, N, N, N]]
    assert math.exp(ccp_log_prob(two, alternatives)) == pytest.approx(2 / 3)
    assert ccp_log_prob(two, alternatives, tokens=[1]) == 0


def test_stop_words_say_nothing():
    assert ccp_log_prob(LOG_PROBS, [[E, C, C, C]], stop_words=[True]) == 0


def test_bad_input():
    for log_probs, alternatives in (
        (LOG_PROBS, [[E, C]]),
        (LOG_PROBS[0], [E, C, C, C]),
        ([[0.5, 0.3]], [[E, C]]),
    ):
        with pytest.raises(InputError):
            ccp_log_prob(log_probs, alternatives)
    with pytest.raises(InputError):
        ccp_log_prob(LOG_PROBS, [[E, C, E, N]], tokens=[])
    with pytest.raises(InputError):
        combine_relations([E], [E, C])


def test_nan_in_nan_out():
    assert math.isnan(ccp_log_prob([[-1.0, np.nan]], [[E, C]]))


@given(st.lists(st.sampled_from(list(Relation)), min_size=4, max_size=4))
def test_range(alternatives):
    assert math.exp(ccp_log_prob(LOG_PROBS, [alternatives])) >= 0.5 - 1e-9
    assert ccp_log_prob(LOG_PROBS, [alternatives]) <= 0
