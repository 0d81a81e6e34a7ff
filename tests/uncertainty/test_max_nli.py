import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.uncertainty.max_nli import max_nli


def test_best_passage_counts():
    assert max_nli([0.2, 0.45, 0.01], [0.3, 0.05, 0.01]) == pytest.approx(0.9, abs=1e-9)
    assert max_nli([0.2], [0.3]) == pytest.approx(0.4, abs=1e-9)


def test_neutral_passage_gives_one_half():
    assert max_nli([0.01], [0.01]) == 0.5
    assert max_nli([0.0], [0.0]) == 0.5


def test_nan_in_nan_out():
    assert math.isnan(max_nli([0.9, float("nan")], [0.1, 0.1]))


@pytest.mark.parametrize(
    ("entailed", "contradicted"), [([], []), ([0.1], [0.1, 0.2]), ([1.5], [0.1]), ([0.5], [-0.5]), (0.5, 0.5)]
)
def test_bad_input(entailed, contradicted):
    with pytest.raises(InputError):
        max_nli(entailed, contradicted)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8))
def test_range_and_more_passages_never_lower_it(pairs):
    entailed, contradicted = zip(*pairs, strict=True)
    assert 0 <= max_nli(entailed[:1], contradicted[:1]) <= max_nli(entailed, contradicted) <= 1
