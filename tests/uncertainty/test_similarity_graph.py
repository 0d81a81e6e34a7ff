import numpy as np
import pytest

from franq_guard.errors import InputError
from franq_guard.uncertainty.similarity_graph import (
    contradiction_graph,
    entailment_graph,
    jaccard_graph,
    laplacian_spectrum,
    symmetric,
)


def test_entailment_graph_is_symmetric_with_unit_diagonal():
    np.testing.assert_allclose(entailment_graph([[0.2, 0.8], [0.6, 0.3]]), [[1, 0.7], [0.7, 1]])


def test_contradiction_graph():
    np.testing.assert_allclose(contradiction_graph([[0.2, 0.8], [0.6, 0.3]]), [[1, 0.3], [0.3, 1]])


def test_jaccard_graph():
    np.testing.assert_allclose(jaccard_graph(["in Paris", "PARIS"]), [[1, 0.5], [0.5, 1]])
    np.testing.assert_allclose(jaccard_graph(["", "paris", " "]), [[1, 0, 1], [0, 1, 0], [1, 0, 1]])


def test_spectrum():
    values, _ = laplacian_spectrum([[1, 0.8, 0.1], [0.6, 1, 0.2], [0.1, 0, 1]])
    np.testing.assert_allclose(values, [0, 2 / 9, 5 / 6], atol=1e-9)


def test_input_is_not_changed():
    weights = np.array([[0.2, 0.8], [0.6, 0.3]])
    before = weights.copy()
    entailment_graph(weights)
    laplacian_spectrum(weights)
    np.testing.assert_array_equal(weights, before)


@pytest.mark.parametrize("weights", [[[0.5, 0.5]], [], [[1.5]], [[-0.5]], 0.5])
def test_bad_matrices(weights):
    for function in symmetric, entailment_graph, contradiction_graph, laplacian_spectrum:
        with pytest.raises(InputError):
            function(weights)


def test_a_sample_unlike_itself():
    with pytest.raises(InputError, match="diagonal"):
        laplacian_spectrum([[0.0, 0.0], [0.0, 1.0]])


def test_no_texts():
    with pytest.raises(InputError):
        jaccard_graph([])
