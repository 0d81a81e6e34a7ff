import itertools
import math

import numpy as np
import pytest

from franq_guard.errors import InputError
from franq_guard.uncertainty.num_semantic_sets import num_semantic_sets

ENTAILED = np.array([[0.9, 0.8, 0.1], [0.7, 0.9, 0.2], [0.1, 0.1, 0.9]])
CONTRADICTED = np.array([[0, 0.1, 0.6], [0.1, 0, 0.5], [0.6, 0.7, 0]])


def test_edges_need_both_directions():
    assert num_semantic_sets(ENTAILED, CONTRADICTED) == 2


def test_one_direction_is_no_edge():
    entailed, contradicted = ENTAILED.copy(), CONTRADICTED.copy()
    entailed[1, 2], contradicted[1, 2] = 0.6, 0.2
    assert num_semantic_sets(entailed, contradicted) == 2


def test_chains_merge():
    entailed, contradicted = ENTAILED.copy(), CONTRADICTED.copy()
    entailed[1, 2], contradicted[1, 2] = 0.6, 0.2
    entailed[2, 1], contradicted[2, 1] = 0.7, 0.1
    assert num_semantic_sets(entailed, contradicted) == 1


@pytest.mark.parametrize("order", [range(40), range(39, -1, -1)])
def test_a_long_chain_is_one_set(order):
    order = list(order)
    entailed = np.zeros((40, 40))
    for a, b in itertools.pairwise(order):
        entailed[a, b] = entailed[b, a] = 1
    assert num_semantic_sets(entailed, np.zeros((40, 40))) == 1


def test_every_sample_is_linked_to_itself():
    assert num_semantic_sets(np.zeros((3, 3)), np.ones((3, 3))) == 3


def test_bad_input():
    assert math.isnan(num_semantic_sets([[np.nan]], [[0.0]]))
    for shape in (0, 0), (1, 2), (2,):
        with pytest.raises(InputError):
            num_semantic_sets(np.zeros(shape), np.zeros(shape))
    with pytest.raises(InputError):
        num_semantic_sets(ENTAILED, CONTRADICTED[:2, :2])
