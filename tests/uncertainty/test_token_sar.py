import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.uncertainty.perplexity import log_perplexity
from franq_guard.uncertainty.token_sar import token_sar


def test_tokens_weigh_by_relevance():
    assert token_sar(np.log([0.5, 0.25, 0.8]), [0.9, 0.6, 0.7]) == pytest.approx(0.8634694099, abs=1e-9)


def test_one_token():
    assert token_sar([-2.0], [0.5]) == 2


def test_irrelevant_tokens_do_not_count_even_if_impossible():
    assert token_sar([-np.inf, -1.0], [1.0, 0.0]) == 1


def test_no_relevant_token_gives_the_plain_mean():
    assert token_sar([-1.0, -3.0], [1.0, 1.0]) == 2


def test_bad_input():
    assert math.isnan(token_sar([-1.0, np.nan], [0.5, 0.5]))
    assert math.isnan(token_sar([-1.0, -1.0], [0.5, np.nan]))
    for similarity in [0.5], [0.5, 1.5]:
        with pytest.raises(InputError):
            token_sar([-1.0, -1.0], similarity)


@given(st.lists(st.floats(-30, 0), min_size=1, max_size=10), st.floats(0, 0.9))
def test_equal_relevance_gives_perplexity(log_probs, similarity):
    assert token_sar(log_probs, [similarity] * len(log_probs)) == pytest.approx(log_perplexity(log_probs))
