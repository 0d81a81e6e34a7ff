import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.uncertainty.semantic_classes import (
    Relation,
    first_member_classes,
    leader_classes,
    relations,
)

PAIRS = [[2, 2, 1, 0], [2, 2, 1, 1], [2, 1, 2, 1], [0, 1, 1, 2]]
TAKEOVER = [[2, 1, 2], [1, 2, 2], [2, 2, 2]]


def test_strict_rule_needs_entailment_both_ways():
    assert first_member_classes(PAIRS).tolist() == [0, 0, 1, 2]
    assert leader_classes(PAIRS).tolist() == [0, 0, 1, 2]


def test_lenient_rule_needs_no_contradiction_and_one_entailment():
    assert leader_classes(PAIRS, strict=False).tolist() == [0, 0, 0, 1]


def test_takeover_by_a_later_leader():
    assert first_member_classes(TAKEOVER).tolist() == [0, 1, 0]
    assert leader_classes(TAKEOVER).tolist() == [0, 1, 1]


def test_relations_from_an_alignment_models_columns():
    probabilities = [[[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]], [[0.1, 0.1, 0.8], [1, 0, 0]]]
    assert relations(probabilities).tolist() == [
        [Relation.ENTAILMENT, Relation.NEUTRAL],
        [Relation.CONTRADICTION, Relation.ENTAILMENT],
    ]


@pytest.mark.parametrize("pairs", [[[2, 2]], [], [[3]], 2, [[1.5]]])
def test_bad_pairs(pairs):
    for function in first_member_classes, leader_classes:
        with pytest.raises(InputError):
            function(pairs)


@pytest.mark.parametrize("probabilities", [0.5, [0.5, 0.5], [[0.2, 0.3, np.nan]], [2.0, 0.0, 0.0]])
def test_bad_probabilities(probabilities):
    with pytest.raises(InputError):
        relations(probabilities)


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 2), min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
def test_classes_are_numbered_by_first_appearance(pairs):
    first = first_member_classes(pairs).tolist()
    assert list(dict.fromkeys(first)) == list(range(max(first) + 1))
    assert min(leader_classes(pairs, strict=False)) == 0


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8))
def test_both_rules_find_clear_classes(meanings):
    array = np.array(meanings)
    pairs = np.where(array[:, None] == array[None, :], Relation.ENTAILMENT, Relation.CONTRADICTION)
    expected = [list(dict.fromkeys(meanings)).index(meaning) for meaning in meanings]
    assert first_member_classes(pairs).tolist() == expected
    assert leader_classes(pairs).tolist() == expected
    assert leader_classes(pairs, strict=False).tolist() == expected
