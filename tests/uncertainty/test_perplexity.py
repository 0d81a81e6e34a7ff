import numpy as np
import pytest

from franq_guard.errors import InputError
from franq_guard.uncertainty.perplexity import log_perplexity


def test_mean_surprise():
    assert log_perplexity(np.log([0.5, 0.5])) == pytest.approx(0.6931471806, abs=1e-9)


def test_only_the_claims_tokens():
    assert log_perplexity(np.log([0.5, 0.1]), [0]) == pytest.approx(0.6931471806, abs=1e-9)


def test_length_does_not_matter():
    assert log_perplexity([-0.5] * 3) == pytest.approx(log_perplexity([-0.5] * 300))


def test_no_token_is_an_error():
    with pytest.raises(InputError):
        log_perplexity([-1.0], [])
