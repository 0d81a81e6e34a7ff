import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from franq_guard.calibration.isotonic import FLOOR, MonotoneMap


def fit(signal, labels):
    return MonotoneMap.fit(np.array(signal, dtype=float), np.array(labels, dtype=float))


def test_pools_violators_and_interpolates():
    f = fit([0.1, 0.2, 0.3, 0.4, 0.5], [0, 1, 0, 1, 1])
    assert f([0.1, 0.2, 0.3, 0.4, 0.5]) == pytest.approx([0, 0.5, 0.5, 1, 1], abs=1e-9)
    assert f([0.15, 0.35, 0.05, 0.9]) == pytest.approx([0.25, 0.75, 0, 1], abs=1e-9)


def test_equal_signals_are_averaged():
    f = fit([0.2, 0.2, 0.6, 0.8], [0, 1, 0, 1])
    assert f([0.2, 0.6, 0.7, 0.8]) == pytest.approx([1 / 3, 1 / 3, 2 / 3, 1], abs=1e-9)


def test_single_class_is_constant():
    assert fit([0.2, 0.4], [1, 1])([-5, 0.3, 5]).tolist() == [1, 1, 1]


def test_decreasing_data_is_constant():
    f = fit([0.2, 0.4, 0.6], [1, 0, 0])
    assert f([0, 0.5, 1]) == pytest.approx([1 / 3] * 3, abs=1e-9)
    assert len(f.x) == 1


def test_the_scale_of_the_signal_matters_between_knots():
    linear = fit([1e-6, 1e-2], [0, 1])
    logarithmic = fit(np.log([1e-6, 1e-2]), [0, 1])
    assert linear(1e-4) == pytest.approx(0.0099009901, abs=1e-9)
    assert logarithmic(np.log(1e-4)) == pytest.approx(0.5, abs=1e-9)


def test_impossible_signals_count_as_the_floor():
    f = fit([-np.inf, FLOOR - 5, -1.0, 0.0], [0, 0, 1, 1])
    assert f.x[0] == FLOOR
    np.testing.assert_array_equal(f([-np.inf, np.nan, 0.0]), [0, np.nan, 1])


def test_constant_keeps_nan():
    np.testing.assert_array_equal(fit([0.2, 0.4], [1, 1])([np.nan, 0.1]), [np.nan, 1])


def test_redundant_knots_are_dropped():
    rng = np.random.default_rng(0)
    signal = rng.normal(size=2000)
    f = fit(signal, rng.random(2000) < 1 / (1 + np.exp(-signal)))
    y = np.array(f.y)
    assert not np.any((y[1:-1] == y[:-2]) & (y[1:-1] == y[2:]))
    assert len(f.x) < 100


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ((), (), "at least one"),
        ((1.0,), (0.5, 0.6), "as many x as y"),
        ((0.0, float("nan")), (0.0, 1.0), "x must be finite, but knot 1"),
        ((0.0, float("inf")), (0.0, 1.0), "x must be finite"),
        ((0.0, 0.0), (0.0, 1.0), "x must increase, but knot 1"),
        ((0.0, 1.0, 2.0), (0.2, 0.5, 0.4), "y must not decrease, but knot 2"),
        ((0.0, 1.0), (0.0, 1.1), r"y must lie in \[0, 1\], but knot 1"),
        ((0.0,), (float("nan"),), r"y must lie in \[0, 1\]"),
    ],
)
def test_bad_knots(x, y, message):
    with pytest.raises(ValueError, match=message):
        MonotoneMap(x, y)


rows = st.lists(st.tuples(st.floats(-60, 0), st.booleans()), min_size=1, max_size=60)


@settings(deadline=None)
@given(rows, st.lists(st.floats(-80, 10), min_size=1, max_size=20))
def test_predictions_are_scikit_learns_to_1e_9(data, queries):
    signal, labels = (np.array(column, dtype=float) for column in zip(*data, strict=True))
    reference = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(signal, labels)
    midpoints = (signal[:-1] + signal[1:]) / 2
    points = np.concatenate([queries, signal, midpoints])
    np.testing.assert_allclose(fit(signal, labels)(points), reference.predict(points), atol=1e-9, rtol=0)


@settings(deadline=None)
@given(rows, st.lists(st.floats(-80, 10), min_size=2, max_size=20))
def test_monotone_and_in_range(data, queries):
    f = fit(*zip(*data, strict=True))
    values = f(sorted(queries))
    assert np.all((values >= 0) & (values <= 1))
    assert np.all(np.diff(values) >= -1e-12)


def test_small_steps_are_merged():
    signal = np.arange(101.0)
    labels = (np.arange(101) % 4 == 0).astype(float)
    labels[-2:] = 1.0  # two lucky rows at the end
    assert MonotoneMap.fit(signal, labels)(1000.0) == 1.0
    merged = MonotoneMap.fit(signal, labels, min_rows=25)
    assert merged(1000.0) < 0.4
    assert np.all(np.diff(merged(signal)) >= 0)
    assert merged(signal).mean() == pytest.approx(labels.mean(), abs=0.02)


@given(
    st.lists(st.tuples(st.integers(-20, 0), st.booleans()), min_size=1, max_size=60),
    st.integers(1, 30),
)
def test_merged_steps_rest_on_enough_rows(rows, min_rows):
    signal = np.array([row[0] for row in rows], dtype=float)
    labels = np.array([row[1] for row in rows], dtype=float)
    fitted = MonotoneMap.fit(signal, labels, min_rows=min_rows)(signal)
    assert np.all(np.diff(fitted[np.argsort(signal, kind="stable")]) >= -1e-9)
    counts = np.unique(fitted.round(8), return_counts=True)[1]
    assert counts.min() >= min(min_rows, len(rows))
