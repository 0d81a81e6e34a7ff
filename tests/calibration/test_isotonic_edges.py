"""Merged steps knot by knot, and knots that lie close together."""

import numpy as np
import pytest

from franq_guard.calibration.isotonic import FLOOR, MonotoneMap


def steps(*sizes):
    """Signals 0, 1, 2, ..., each with so many rows, so many of them true."""
    signal = np.repeat(np.arange(len(sizes), dtype=float), [rows for rows, _ in sizes])
    labels = np.concatenate([np.arange(rows) < true for rows, true in sizes]).astype(float)
    return signal, labels


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        # A small step goes with the neighbour whose rate is nearer,
        ([(10, 1), (2, 1), (10, 8)], [0.1, 9 / 12, 9 / 12]),
        ([(10, 4), (2, 1), (10, 10)], [5 / 12, 5 / 12, 1]),
        ([(10, 0), (10, 4), (2, 1), (10, 8)], [0, 5 / 12, 5 / 12, 0.8]),
        ([(10, 0), (2, 1), (10, 6), (10, 10)], [0, 7 / 12, 7 / 12, 1]),
        # or with the only one that it has.
        ([(2, 0), (10, 5), (10, 9)], [5 / 12, 5 / 12, 0.9]),
        ([(10, 1), (10, 5), (2, 2)], [0.1, 7 / 12, 7 / 12]),
        ([(2, 0), (10, 9)], [0.75, 0.75]),
        # That goes on until all are large enough; just enough is enough.
        ([(2, 0), (2, 1), (10, 9)], [10 / 14, 10 / 14, 10 / 14]),
        ([(10, 1), (5, 3), (10, 8)], [0.1, 0.6, 0.8]),
    ],
)
def test_small_steps_go_with_the_nearer_neighbour(sizes, expected):
    fitted = MonotoneMap.fit(*steps(*sizes), min_rows=5)
    assert fitted(np.arange(len(sizes))) == pytest.approx(expected, abs=1e-9)


def test_two_rows_are_the_fewest_to_ask_for():
    signal, labels = steps((1, 0), (5, 2), (5, 5))
    assert MonotoneMap.fit(signal, labels, min_rows=1)(0.0) == 0
    assert MonotoneMap.fit(signal, labels, min_rows=2)(0.0) == pytest.approx(2 / 6, abs=1e-9)


def test_a_merged_step_is_flat_from_its_first_signal_to_its_last():
    signal = np.array([0.0] * 6 + [1.0, 2.0, 3.0, 4.0, 5.0] + [6.0] * 6)
    labels = np.array([0.0] * 6 + [1.0, 1.0, 0.0, 0.0, 0.0] + [1.0] * 6)
    fitted = MonotoneMap.fit(signal, labels, min_rows=5)
    assert fitted([0, 0.5, 1, 3, 5, 5.5, 6]) == pytest.approx([0, 0.2, 0.4, 0.4, 0.4, 0.7, 1], abs=1e-9)
    assert len(fitted.x) == 4


def test_impossible_signals_are_merged_at_the_floor():
    signal = np.array([-np.inf, -np.inf, *[-2.0] * 10, *[-1.0] * 10])
    labels = np.array([0.0] * 2 + [1.0] * 5 + [0.0] * 5 + [1.0] * 10)
    fitted = MonotoneMap.fit(signal, labels, min_rows=5)
    assert fitted.x == (FLOOR, -2, -1)
    assert fitted([-np.inf, -2, -1]) == pytest.approx([5 / 12, 5 / 12, 1], abs=1e-9)


CLOSE = 1.2e-10


@pytest.mark.parametrize(
    ("signal", "labels"),
    [
        ([-1 - CLOSE, -1, 0], [1, 0, 1]),
        ([-9, -1 - CLOSE, -1, 0], [0, 1, 0, 1]),
        ([-9, -1 - CLOSE, -1], [0, 1, 0]),
        ([-9, -1 - CLOSE, -1], [0, 0, 1]),
        ([-1 - CLOSE, -1], [0, 1]),
    ],
)
def test_signals_that_differ_by_next_to_nothing_stay_in_order(signal, labels):
    fitted = MonotoneMap.fit(np.array(signal), np.array(labels, dtype=float))
    assert np.all(np.diff(fitted.x) > 0)
    assert fitted.x == pytest.approx(signal, abs=CLOSE / 100, rel=0)


def test_knots_have_no_more_digits_than_their_slope_needs():
    gentle = MonotoneMap.fit(np.array([-1000.123456789123, 0.0]), np.array([0.0, 1.0]))
    assert gentle.x[0] == round(-1000.123456789123, 7)
    flat = MonotoneMap.fit(np.array([-3.123456789, -2.5, -1.0, -0.987654321]), np.array([1.0, 0, 1, 0]))
    assert (len(flat.x), flat.y) == (1, (0.5,))
    thirds = MonotoneMap.fit(*steps((3, 1), (3, 2)))
    assert thirds.y == (0.3333333333, 0.6666666667)


def test_the_shape_of_the_signal_is_kept():
    fitted = MonotoneMap((0.0, 1.0), (0.0, 1.0))
    assert fitted([[0.25, np.nan, 2.0], [-1.0, 1.0, 0.5]]) == pytest.approx(
        np.array([[0.25, np.nan, 1.0], [0.0, 1.0, 0.5]]), nan_ok=True
    )
    assert fitted(0.5).shape == ()
    assert fitted([]).shape == (0,)


def test_bounds_and_plateaus_are_sound():
    assert MonotoneMap((0.0,), (0.0,))(5.0) == 0
    assert MonotoneMap((0.0, 1.0, 2.0, 9.0), (0.0, 0.5, 0.5, 1.0))(1.5) == 0.5


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ((1.0, 2.0), (0.5,), "2 and 1"),
        ((0.0, 1.0, 2.0), (-0.1, 0.5, 1.2), "knot 0 is"),
        ((0.0, 1.0, 2.0), (0.1, 0.5, 1.2), "knot 2 is"),
        ((0.0, 2.0, 1.5), (0.1, 0.5, 0.9), "x must increase, but knot 2 is"),
    ],
)
def test_the_first_bad_knot_is_named(x, y, message):
    with pytest.raises(ValueError, match=message):
        MonotoneMap(x, y)
