from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from franq_guard.rewriting.edits import Edit, apply_edits, apply_within, merge_edits

TEXT = "0123456789"
EDITS = st.lists(
    st.tuples(st.integers(0, 10), st.integers(0, 10), st.sampled_from(["", "a", "bc"])).map(
        lambda edit: Edit(min(edit[:2]), max(edit[:2]), edit[2])
    ),
    max_size=6,
)


def test_insertions_at_one_place_keep_their_order() -> None:
    merged = merge_edits([Edit(3, 3, "a", 0), Edit(3, 3, "b", 1), Edit(1, 1, "c", 2)])
    assert merged == (Edit(1, 1, "c", 2), Edit(3, 3, "ab", None))
    assert apply_edits(TEXT, merged) == "0c12ab3456789"


def test_insertions_stay_at_the_edges_of_a_deletion_and_go_inside_it() -> None:
    merged = merge_edits([Edit(2, 5, ""), Edit(2, 2, "<"), Edit(5, 5, ">"), Edit(3, 3, "lost")])
    assert apply_edits(TEXT, merged) == "01<>56789"


def test_overlapping_ranges_become_one() -> None:
    merged = merge_edits([Edit(2, 5, "a", 1), Edit(4, 7, "b", 1), Edit(6, 6, "lost")])
    assert merged == (Edit(2, 7, "ab", 1),)


def test_a_part_can_be_edited_alone() -> None:
    assert apply_within(TEXT, [Edit(4, 5, "x"), Edit(6, 6, "y")], 3, 6) == "3x5y"


def test_nothing_is_no_edit() -> None:
    assert merge_edits([Edit(2, 2, "")]) == ()


@given(EDITS)
def test_merged_edits_are_sorted_disjoint_and_delete_the_same(edits: list[Edit]) -> None:
    merged = merge_edits(edits)
    for edit, following in pairwise(merged):
        assert edit.end <= following.start
        assert not edit.start == edit.end == following.start == following.end
    deleted = {at for edit in edits for at in range(edit.start, edit.end)}
    assert {at for edit in merged for at in range(edit.start, edit.end)} == deleted
    left = apply_edits(TEXT, merged)
    assert [char for char in left if char.isdigit()] == [c for c in TEXT if int(c) not in deleted]
