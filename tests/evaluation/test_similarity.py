import numpy as np
from fakes import WordAligner, WordLM

from franq_guard.evaluation.similarity import AlignmentSimilarity, as_matrix, sample_pairs, token_pairs


def test_the_mean_of_both_directions_and_equal_texts_are_not_asked():
    model = WordAligner()
    found = AlignmentSimilarity(model).score([("a b c d", "a"), ("same", "same"), ("x", "y")])
    assert found.tolist() == [(1 + 0.25) / 2, 1.0, 0.0]
    assert len(model.pairs) == 4


def test_no_pairs():
    assert AlignmentSimilarity(WordAligner()).score([]).shape == (0,)


def test_each_token_is_left_out_once():
    pairs = token_pairs("How tall?", WordLM().tokenize("330 metres"))
    assert pairs == [
        ("How tall? 330 metres", "How tall?  metres"),
        ("How tall? 330 metres", "How tall? 330 "),
    ]


def test_a_long_question_is_left_out():
    [(whole, _)] = token_pairs("word " * 300, WordLM().tokenize("330"))
    assert whole == "330"


def test_pairs_of_samples_fill_a_symmetric_matrix():
    assert sample_pairs("Q", ["a", "b", "c"]) == [("Q a", "Q b"), ("Q a", "Q c"), ("Q b", "Q c")]
    matrix = as_matrix(np.array([0.1, 0.2, 0.3]), 3)
    assert (matrix == matrix.T).all() and matrix.diagonal().tolist() == [1, 1, 1]
    assert matrix[0, 1] == 0.1 and matrix[2, 1] == 0.3
