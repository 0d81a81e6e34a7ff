import math

import numpy as np
import pytest

from franq_guard.errors import InputError
from franq_guard.uncertainty.sentence_sar import sentence_sar


def test_similar_samples_add_up():
    similarity = [[1.0, 0.5], [0.5, 1.0]]
    assert sentence_sar(np.log([0.4, 0.1]), similarity) == pytest.approx(-4.6094042083, abs=1e-9)


def test_diagonal_is_not_read():
    assert sentence_sar([-1.0, -2.0], [[0, 0.5], [0.5, 0]]) == sentence_sar(
        [-1.0, -2.0], [[1, 0.5], [0.5, 1]]
    )


def test_unlike_samples_stay_alone():
    assert sentence_sar([-1.0, -3.0], np.eye(2)) == pytest.approx(2)


def test_no_underflow():
    assert sentence_sar([-2000.0, -3000.0], np.eye(2)) == pytest.approx(2500)


def test_bad_input():
    assert math.isnan(sentence_sar([-1.0, np.nan], np.eye(2)))
    for log_probs, similarity, temperature in (
        ([-1.0], np.eye(2), 1),
        ([], np.empty((0, 0)), 1),
        ([-1.0], [[2.0]], 1),
        ([-1.0], [[1.0]], 0),
        ([-1.0], [[1.0]], math.nan),
    ):
        with pytest.raises(InputError):
            sentence_sar(log_probs, similarity, temperature=temperature)
