"""The signals of one graph: sum of eigenvalues, degree matrix, eccentricity."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.uncertainty.degree_matrix import degree_matrix
from franq_guard.uncertainty.eccentricity import eccentricity
from franq_guard.uncertainty.similarity_graph import entailment_graph, jaccard_graph
from franq_guard.uncertainty.sum_eigenvalues import sum_eigenvalues, sum_eigenvalues_to_probability

ONES = np.ones((3, 3))
BLOCK = [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
SOFT = [[1, 0.8, 0.1], [0.6, 1, 0.2], [0.1, 0, 1]]

matrices = st.integers(1, 6).flatmap(
    lambda n: st.lists(
        st.lists(st.floats(0, 1), min_size=n, max_size=n),
        min_size=n,
        max_size=n,
    )
)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [(ONES, 1), (np.eye(3), 3), (BLOCK, 2), (SOFT, 1.9444444444), ([[0.2, 0.9], [0.9, 0.2]], 1)],
)
def test_sum_eigenvalues(weights, expected):
    assert sum_eigenvalues(weights) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [(["Paris", "paris", "Lyon France"], 2), (["in Paris", "paris", "Lyon"], 2.3333333333)],
)
def test_sum_eigenvalues_of_words(texts, expected):
    assert sum_eigenvalues(jaccard_graph(texts)) == pytest.approx(expected, abs=1e-9)


def test_one_sample_is_one_meaning():
    assert sum_eigenvalues([[1.0]]) == 1


@pytest.mark.parametrize(
    ("weights", "degree", "ecc"),
    [
        (ONES, 0, 0),
        (np.eye(3), 2 / 3, 1.4142135624),
        (BLOCK, 0.4444444444, 1),
        (SOFT, 0.4666666667, 1.4142135624),
    ],
)
def test_degree_matrix_and_eccentricity(weights, degree, ecc):
    assert degree_matrix(weights) == pytest.approx(degree, abs=1e-9)
    assert eccentricity(weights) == pytest.approx(ecc, abs=1e-9)


@pytest.mark.parametrize("signal", [sum_eigenvalues, degree_matrix, eccentricity])
def test_nan_in_nan_out(signal):
    assert math.isnan(signal([[1.0, np.nan], [0.5, 1.0]]))


@pytest.mark.parametrize("signal", [sum_eigenvalues, degree_matrix, eccentricity])
@pytest.mark.parametrize("weights", [[[0.5, 0.5]], [], [[1.5]]])
def test_bad_matrices(signal, weights):
    with pytest.raises(InputError):
        signal(weights)


@given(matrices, st.randoms())
def test_ranges_and_order_of_samples(entailed, random):
    weights = entailment_graph(entailed)
    size = len(weights)
    order = list(range(size))
    random.shuffle(order)
    shuffled = weights[np.ix_(order, order)]
    assert 1 <= sum_eigenvalues(weights) <= size
    assert sum_eigenvalues(shuffled) == pytest.approx(sum_eigenvalues(weights), abs=1e-9)
    assert -1e-12 <= degree_matrix(weights) <= 1 - 1 / size + 1e-12
    assert degree_matrix(shuffled) == pytest.approx(degree_matrix(weights), abs=1e-9)
    assert 0 <= eccentricity(weights) <= math.sqrt(size) + 1e-9


def test_uncalibrated_probability():
    assert sum_eigenvalues_to_probability([1.9444444444], 3) == pytest.approx([0.5277777778], abs=1e-9)
    np.testing.assert_array_equal(sum_eigenvalues_to_probability([1.0, 3.0, np.nan], 3), [1, 0, np.nan])
    np.testing.assert_array_equal(sum_eigenvalues_to_probability([1.0, np.nan], 1), [1, np.nan])
    with pytest.raises(InputError):
        sum_eigenvalues_to_probability([1.0], 0)
