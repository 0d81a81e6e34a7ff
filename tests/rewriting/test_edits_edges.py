"""Edits that touch, and who caused what comes of them."""

import pytest

from franq_guard.rewriting.edits import Edit, apply_edits, apply_within, merge_edits

TEXT = "0123456789"


@pytest.mark.parametrize(
    ("edits", "merged", "text"),
    [
        # Ranges that touch stay two, in order.
        ([Edit(4, 6, "b", 2), Edit(2, 4, "a", 1)], (Edit(2, 4, "a", 1), Edit(4, 6, "b", 2)), "01ab6789"),
        # Insertions at either end of a range stay their own.
        ([Edit(2, 5, "x", 1), Edit(2, 2, "<", 0)], (Edit(2, 2, "<", 0), Edit(2, 5, "x", 1)), "01<x56789"),
        ([Edit(2, 5, "x", 1), Edit(5, 5, ">", 0)], (Edit(2, 5, "x", 1), Edit(5, 5, ">", 0)), "01x>56789"),
        # One cause stays the cause, two become none.
        ([Edit(3, 3, "a", 1), Edit(3, 3, "b", 1)], (Edit(3, 3, "ab", 1),), "012ab3456789"),
        ([Edit(3, 3, "a", 1), Edit(3, 3, "b", 2)], (Edit(3, 3, "ab", None),), "012ab3456789"),
        ([Edit(2, 8, "a", 1), Edit(3, 5, "b", 2)], (Edit(2, 8, "ab", None),), "01ab89"),
        ([Edit(2, 4, "a", 1), Edit(2, 8, "b", 1)], (Edit(2, 8, "ab", 1),), "01ab89"),
        # What is nothing changes nothing, wherever it stands.
        ([Edit(0, 0, "", 1), Edit(1, 2, "a", 0), Edit(2, 2, "", 3)], (Edit(1, 2, "a", 0),), "0a23456789"),
        ([Edit(0, 0, "a", 0), Edit(10, 10, "b", 1)], (Edit(0, 0, "a", 0), Edit(10, 10, "b", 1)), f"a{TEXT}b"),
        ([], (), TEXT),
    ],
)
def test_merging(edits: list[Edit], merged: tuple[Edit, ...], text: str) -> None:
    assert merge_edits(edits) == merged
    assert apply_edits(TEXT, merged) == text


def test_a_part_takes_unsorted_edits_and_leaves_the_rest_out() -> None:
    assert apply_within(TEXT, [Edit(6, 6, "y"), Edit(3, 4, "x")], 3, 6) == "x45y"
    assert apply_within(TEXT, [Edit(4, 5, "x"), Edit(4, 6, "z")], 3, 8) == "3xz67"
    assert apply_within(TEXT, [], 3, 6) == "345"
