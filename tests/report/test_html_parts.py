"""Pure parts of the pages: cutting, comparing, counting."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.report.html.changes import changes
from franq_guard.report.html.charts import histogram, reliability_view
from franq_guard.report.html.segments import MAX_COVERING, segments, windows

RANGES = st.lists(st.tuples(st.integers(-5, 60), st.integers(-5, 60)), max_size=4)
WORDS = st.lists(st.sampled_from(["a", "b", "the", "cat", ",", ".", " ", "\n", "é", "x1"]), max_size=30).map(
    "".join
)


def covered(ranges, position):
    return any(start <= position < end for start, end in ranges)


@given(st.text(max_size=50), st.dictionaries(st.integers(0, 9), RANGES, max_size=6))
def test_segments_are_the_text_and_say_what_covers_it(text, marks):
    found = list(segments(text, marks, [(0, len(text))] if text else []))
    assert "".join(segment.text for segment in found) == text
    position = 0
    for segment in found:
        assert segment.gap == 0
        for offset in range(len(segment.text)):
            expected = [mark for mark, ranges in marks.items() if covered(ranges, position + offset)]
            assert list(segment.covering) == expected
        position += len(segment.text)
    ended = [mark for segment in found for mark in segment.ending]
    assert sorted(ended) == sorted(
        m for m, r in marks.items() if any(covered(r, i) for i in range(len(text)))
    )


def test_what_is_not_shown_is_a_gap_of_its_length():
    found = list(segments("0123456789", {1: [(2, 5)]}, [(1, 4), (8, 9)]))
    assert [(s.text, s.gap, s.covering) for s in found] == [
        ("", 1, ()),
        ("1", 0, ()),
        ("23", 0, (1,)),
        ("", 4, ()),
        ("8", 0, ()),
        ("", 1, ()),
    ]


def test_only_so_many_marks_are_named_in_one_place():
    (segment,) = segments("abc", {mark: [(0, 3)] for mark in range(50)}, [(0, 3)])
    assert segment.covering == tuple(range(MAX_COVERING))
    assert segment.ending == tuple(range(50))


@given(st.integers(0, 5000), RANGES, st.integers(1, 1000), st.integers(0, 50))
def test_windows_are_disjoint_and_within_their_limit(length, ranges, limit, margin):
    found = windows(length, ranges, limit, margin)
    assert all(0 <= start < end <= length for start, end in found)
    assert all(a[1] < b[0] for a, b in itertools.pairwise(found))
    assert sum(end - start for start, end in found) <= max(limit, 1)


def test_windows_lie_around_the_ranges():
    assert windows(10_000, [(5000, 5010)], 500, 50) == [(0, 50), (4950, 5060)]
    assert windows(10_000, [], 500, 50) == [(0, 500)]
    assert windows(100, [(5, 6)], 500, 50) == [(0, 100)]


@given(WORDS, WORDS)
def test_changes_lead_from_one_text_to_the_other(before, after):
    found = changes(before, after)
    assert "".join(change.text for change in found if change.kind != "added") == before
    assert "".join(change.text for change in found if change.kind != "removed") == after


def test_replaced_sentences_are_not_woven_together():
    before = "Fine. It was painted bright green in 1968. The end."
    after = "Fine. This statement was removed: it is probably wrong. The end."
    assert [(c.kind, c.text) for c in changes(before, after)] == [
        ("same", "Fine. "),
        ("removed", "It was painted bright green in 1968"),
        ("added", "This statement was removed: it is probably wrong"),
        ("same", ". The end."),
    ]


def test_texts_that_are_too_long_are_not_compared():
    assert changes("word " * 10_000, "other " * 10_000) is None


@given(st.lists(st.floats(0, 1), max_size=50))
def test_a_histogram_counts_every_claim_once(values):
    bars = histogram(values)
    assert sum(bar.count for bar in bars) == len(values)
    assert len(bars) == 10
    for bar in bars:
        assert bar.y + bar.height == pytest.approx(180)
        expected = sum(bar.low <= value < bar.high or value == bar.high == 1 for value in values)
        assert abs(bar.count - expected) <= sum(
            math.isclose(v, bar.low) or math.isclose(v, bar.high) for v in values
        )


def test_a_reliability_diagram_has_a_point_for_every_filled_bin():
    view = reliability_view([0.05, 0.05, 0.95, 0.95], [False, True, True, True])
    assert [(p.count, p.predicted, p.observed) for p in view.points] == [
        (2, pytest.approx(0.05), 0.5),
        (2, pytest.approx(0.95), 1.0),
    ]
    assert view.error == pytest.approx(0.25)
    assert reliability_view([], []) is None
