import numpy as np
import pytest

from franq_guard.errors import InputError
from franq_guard.uncertainty.p_true import p_true_log_prob


def test_elementwise():
    np.testing.assert_array_equal(p_true_log_prob([-0.5, np.nan, -np.inf]), [-0.5, np.nan, -np.inf])
    assert p_true_log_prob(-0.5).tolist() == [-0.5]


def test_probabilities_are_refused():
    with pytest.raises(InputError, match="natural logarithms"):
        p_true_log_prob([0.9])
