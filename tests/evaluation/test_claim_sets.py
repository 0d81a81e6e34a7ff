from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.evaluation.claim_sets import hold_out, merge_annotators, require_one_setup
from franq_guard.evaluation.labels import LabelledClaim

ROW = LabelledClaim(id="1", question_id="q", true=True, faithful=True, annotator="ada", place="a, row 1")


@pytest.mark.parametrize(
    "change",
    [{"form": "short"}, {"language_model": "other"}, {"alignment_model": "other"}, {"samples": 5}],
)
def test_rows_of_different_set_ups_are_not_mixed(change):
    require_one_setup([ROW, ROW])
    [column] = change
    with pytest.raises(InputError, match=rf"b, row 2, column {column}: .* in a, row 1"):
        require_one_setup([ROW, replace(ROW, place="b, row 2", **change)])


def test_who_cannot_tell_does_not_outvote_who_can():
    rows = [replace(ROW, true=None, annotator="ben"), ROW, replace(ROW, id="2", true=None)]
    merged, disputed = merge_annotators(rows)
    assert [(row.id, row.true) for row in merged] == [("1", True), ("2", None)]
    assert disputed == 0


def test_disputed_claims_are_left_out_and_counted():
    rows = [ROW, replace(ROW, true=False, annotator="ben"), replace(ROW, id="2")]
    merged, disputed = merge_annotators(rows)
    assert [row.id for row in merged] == ["2"]
    assert disputed == 1


def test_disputed_faithfulness_becomes_unknown():
    merged, disputed = merge_annotators([ROW, replace(ROW, faithful=False, annotator="ben")])
    assert [row.faithful for row in merged] == [None]
    assert disputed == 0


@pytest.mark.parametrize("change", [{"question_id": "r"}, {"alignment": 0.3}, {"signals": {"own": 1.0}}])
def test_one_id_with_different_numbers_is_an_error(change):
    with pytest.raises(InputError, match=r"b, row 9, column .* differs from a, row 1"):
        merge_annotators([ROW, replace(ROW, annotator="ben", place="b, row 9", **change)])


@given(
    st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=30),
    st.floats(0, 0.99),
    st.integers(0, 5),
    st.randoms(use_true_random=False),
)
def test_no_question_is_on_both_sides(questions, share, seed, random):
    held = hold_out(questions, share, seed)
    inside = {question for question, out in zip(questions, held, strict=True) if out}
    outside = {question for question, out in zip(questions, held, strict=True) if not out}
    assert not inside & outside
    assert outside
    if len(outside | inside) > 1 and share > 0:
        assert inside
    order = list(range(len(questions)))
    random.shuffle(order)
    np.testing.assert_array_equal(hold_out([questions[i] for i in order], share, seed), held[order])


def test_the_share_is_of_the_questions():
    questions = [str(number) for number in range(100) for _ in range(number % 3 + 1)]
    held = hold_out(questions, 0.3, 0)
    assert len({question for question, out in zip(questions, held, strict=True) if out}) == 30
    assert not np.array_equal(held, hold_out(questions, 0.3, 1))
    assert not hold_out(questions, 0, 0).any()
