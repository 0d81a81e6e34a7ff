import math

import numpy as np
import pytest

from franq_guard.errors import InputError
from franq_guard.uncertainty.parametric_knowledge import parametric_log_prob


def test_product_over_the_claims_tokens():
    log_prob = parametric_log_prob(np.log([0.3, 0.1, 0.6, 0.05, 0.9]), [1, 3])
    assert log_prob == pytest.approx(-5.2983173665, abs=1e-9)
    assert math.exp(log_prob) == pytest.approx(0.005, abs=1e-9)


def test_the_papers_own_example_is_not_normalised_by_length():
    assert math.exp(parametric_log_prob(np.log([1, 0.81, 0.14, 0.98, 0.99, 0.44]))) == pytest.approx(
        0.0484, abs=5e-5
    )


def test_no_token_is_an_error():
    with pytest.raises(InputError, match="no token expresses the claim"):
        parametric_log_prob([-1.0], [])


def test_nan_in_nan_out():
    assert math.isnan(parametric_log_prob([np.nan, -1.0]))
