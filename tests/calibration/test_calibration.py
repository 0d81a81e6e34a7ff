import sys
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from franq_guard.calibration import Calibrator
from franq_guard.errors import CalibrationError, ConfigError, InputError
from franq_guard.franq import long_form, mix, short_form

# alignment, log p(claim | question, passages), log p(claim | question), true
ROWS = np.array(
    [
        (0.9, -1, -9, 1),
        (0.8, -2, -8, 1),
        (0.7, -3, -7, 0),
        (0.95, -1.5, -6, 1),
        (0.6, -2.5, -5, 0),
        (0.1, -1, -2, 1),
        (0.2, -2, -6, 0),
        (0.3, -3, -4, 1),
        (0.05, -1.5, -8, 0),
        (0.4, -2.5, -5, 0),
    ]
).T
QUERIES = np.array([(0.8, -2.2, -7.5), (0.2, -1.2, -4.5), (0.5, -2.75, -3)]).T


def rows(count=300, seed=0):
    """Claims whose truth depends on the passages if faithful, and on the model's knowledge if not."""
    rng = np.random.default_rng(seed)
    alignment, faith, unfaith = rng.random(count), -5 * rng.random(count), -20 * rng.random(count)
    chance = np.where(alignment > 0.5, np.exp(faith / 5), np.exp(unfaith / 20))
    return alignment, faith, unfaith, (rng.random(count) < chance).astype(float)


@pytest.mark.parametrize(
    ("mode", "threshold", "expected"),
    [
        ("none", None, [0.088753, 0.069126, 0.056857]),
        ("calibrated", None, [0.395, 0.71, 0.625]),
        ("condition", None, [0.48, 0.6, 0.5]),
        ("condition", 0.5, [0.6, 0.5, 1.0]),
    ],
)
def test_end_to_end(mode, threshold, expected):
    calibrator = Calibrator.fit(*ROWS, mode=mode)
    assert long_form(*QUERIES, calibrator=calibrator, threshold=threshold).p_true == pytest.approx(
        expected, abs=1e-6
    )


def test_knots():
    condition = Calibrator.fit(*ROWS)
    assert dict(zip(condition.if_faithful.x, condition.if_faithful.y, strict=True)) == {
        -3: 0,
        -2.5: 0,
        -2: 1,
        -1: 1,
    }
    assert dict(zip(condition.if_unfaithful.x, condition.if_unfaithful.y, strict=True)) == {
        -8: 0,
        -5: 0,
        -4: 1,
        -2: 1,
    }
    everything = Calibrator.fit(*ROWS, mode="calibrated")
    assert everything.if_faithful([-3, -2.5, -2, -1.5, -1]) == pytest.approx([0.25, 0.25, 0.5, 0.5, 1])
    assert everything.if_unfaithful([-9, -5, -4, -2]) == pytest.approx([0.375, 0.375, 1, 1])


def test_no_calibrator_and_mode_none_agree():
    without = long_form(*QUERIES).p_true
    np.testing.assert_array_equal(
        long_form(*QUERIES, calibrator=Calibrator.fit(*ROWS, mode="none")).p_true, without
    )


def test_gold_split():
    gold = ROWS[0] > 0.5
    assert (
        Calibrator.fit(*ROWS, split="gold", faithful_labels=gold).if_faithful
        == Calibrator.fit(*ROWS).if_faithful
    )
    flipped = Calibrator.fit(*ROWS, split="gold", faithful_labels=~gold)
    assert flipped.if_faithful != Calibrator.fit(*ROWS).if_faithful
    assert flipped.card.n_faithful == 5


def test_split_threshold_is_strict():
    alignment = ROWS[0].copy()
    alignment[0] = 0.5
    assert Calibrator.fit(alignment, *ROWS[1:]).card.n_faithful == 4


def test_calibrated_faithfulness():
    calibrator = Calibrator.fit(
        *ROWS, calibrate_faithfulness=True, faithful_labels=[1, 0, 1, 1, 0, 0, 0, 1, 0, 0]
    )
    parts = calibrator.apply(*QUERIES)
    assert calibrator.faithful([0.05, 0.95]).tolist() == [0, 1]
    np.testing.assert_array_equal(parts.p_faithful, calibrator.faithful(QUERIES[0]))
    assert Calibrator.from_json(calibrator.to_json()) == calibrator


def test_both_maps_apply_to_every_claim():
    parts = Calibrator.fit(*ROWS).apply(*QUERIES)
    assert np.isfinite(parts.p_true_if_faithful).all() and np.isfinite(parts.p_true_if_unfaithful).all()
    np.testing.assert_array_equal(parts.p_faithful, QUERIES[0])


def test_short_form():
    entropies, eigenvalues = -ROWS[1], -ROWS[2] / 2
    calibrator = Calibrator.fit(ROWS[0], -entropies, -eigenvalues, ROWS[3], form="short", samples=10)
    assert calibrator.signals == ("semantic_entropy", "sum_eigenvalues")
    assert calibrator.card.ece_before is not None
    scores = short_form(QUERIES[0], QUERIES[1], QUERIES[2] / 2, samples=10, calibrator=calibrator)
    assert scores.p_true == pytest.approx([0.48, 0.6, 0.5], abs=1e-6)
    without_samples = Calibrator.fit(ROWS[0], -entropies, -eigenvalues, ROWS[3], form="short")
    assert without_samples.card.ece_before is None


def test_unbounded_and_home_made_signals_have_no_error_before():
    for signals in ("eccentricity", "degree_matrix"), ("my_signal", "constant"):
        card = Calibrator.fit(*ROWS, form="short", signals=signals).card
        assert card.ece_before is None and card.brier_before is None
        with pytest.raises(InputError):
            Calibrator.fit(*ROWS, form="short", signals=signals, mode="none")


def test_constant_branch():
    calibrator = Calibrator.fit(ROWS[0], np.ones(10), *ROWS[2:], signals=("constant", "parametric_knowledge"))
    assert calibrator.apply([0.5], [1.0], [-4.0]).p_true_if_faithful == pytest.approx([0.6])


def test_missing_values_are_dropped_and_counted():
    table = [[*row, extra] for row, extra in zip(ROWS.tolist(), (None, -1.0, np.nan, 1), strict=True)]
    calibrator = Calibrator.fit(*table)
    assert (calibrator.card.n, calibrator.card.dropped) == (10, 1)
    assert calibrator.if_faithful == Calibrator.fit(*ROWS).if_faithful
    labels = ROWS[3].copy()
    labels[:2] = np.nan
    assert Calibrator.fit(*ROWS[:3], labels).card.dropped == 2


def test_missing_gold_labels_matter_only_when_read():
    gold = [None, *(ROWS[0][1:] > 0.5)]
    assert Calibrator.fit(*ROWS, faithful_labels=gold).card.dropped == 0
    assert Calibrator.fit(*ROWS, faithful_labels=gold, split="gold").card.dropped == 1


def test_nan_at_prediction_stays_nan():
    parts = Calibrator.fit(*ROWS).apply([np.nan, 0.5, 0.5], [-1, np.nan, -1], [-1, -1, np.nan])
    assert [np.isnan(part).tolist() for part in parts] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]
    assert np.isnan(mix(*parts)).all()


def test_a_side_too_small_is_fitted_on_all_rows():
    alignment = np.where(np.arange(10) == 0, 0.9, 0.1)
    calibrator = Calibrator.fit(alignment, *ROWS[1:])
    assert calibrator.if_faithful == Calibrator.fit(*ROWS, mode="calibrated").if_faithful
    assert calibrator.card.notes == ("only 1 faithful rows: fitted on all rows instead",)
    empty = Calibrator.fit(np.zeros(10), *ROWS[1:])
    assert (empty.card.n_faithful, empty.card.n_unfaithful) == (0, 10)


def test_a_side_of_one_class_is_constant():
    labels = np.where(ROWS[0] > 0.5, 1, ROWS[3])
    calibrator = Calibrator.fit(*ROWS[:3], labels)
    assert calibrator.if_faithful([-9, 0]).tolist() == [1, 1]
    assert calibrator.card.notes == ("all faithful rows have one label: constant",)


def test_card():
    card = Calibrator.fit(*ROWS, date="2025-06-01").card
    assert (card.n, card.n_faithful, card.n_unfaithful, card.dropped, card.true_rate) == (10, 5, 5, 0, 0.5)
    assert card.date == "2025-06-01"
    assert card.ece_after < card.ece_before
    assert card.brier_after < card.brier_before
    assert len(Calibrator.fit(*ROWS).card.date) == len("2025-06-01")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((3, 2, 2), r"true_labels\[2\] is 2"),
        ((3, 1, "yes"), r"true_labels\[1\] is 'yes'"),
        ((3, 1, "1"), r"true_labels\[1\] is '1'"),
        ((3, 1, 0.5), r"true_labels\[1\] is 0\.5"),
        ((1, 4, np.inf), "row 4 is inf"),
        ((1, 4, 0.3), "row 4 is 0.3.*logarithms"),
        ((2, 5, np.inf), "row 5 is inf"),
        ((0, 6, 1.5), r"alignment\[6\] is 1\.5"),
        ((0, 6, -np.inf), r"alignment\[6\] is -inf"),
        ((0, 6, "high"), "alignment must be numbers"),
    ],
)
def test_impossible_values_name_their_row(change, message):
    column, row, value = change
    table = [list(values) for values in ROWS]
    table[column][row] = value
    with pytest.raises(InputError, match=message):
        Calibrator.fit(*table)


def test_home_made_signals_must_not_be_infinite_either():
    table = ROWS.copy()
    table[1, 4] = np.inf
    with pytest.raises(InputError, match="row 4 is inf"):
        Calibrator.fit(*table, signals=("mine", "constant"))


def test_shapes():
    with pytest.raises(InputError, match="unfaith_signal has 9"):
        Calibrator.fit(ROWS[0], ROWS[1], ROWS[2][:9], ROWS[3])
    with pytest.raises(InputError, match="one-dimensional"):
        Calibrator.fit(ROWS[0], ROWS[1], ROWS[2], ROWS[3][:, None])
    with pytest.raises(InputError, match="one-dimensional"):
        Calibrator.fit(ROWS[0][:, None], *ROWS[1:])
    with pytest.raises(InputError, match="faith_signal has 2"):
        Calibrator.fit(*ROWS).apply([0.5], [-1, -1], [-1])


def test_too_few_rows_or_one_class():
    with pytest.raises(CalibrationError, match=r"2 complete rows \(0 left out"):
        Calibrator.fit(*ROWS[:, 1:3])
    with pytest.raises(CalibrationError, match="too few"):
        Calibrator.fit([], [], [], [])
    for label, name in (1, "true"), (0, "false"):
        with pytest.raises(CalibrationError, match=f"all 10 claims are labelled {name}"):
            Calibrator.fit(*ROWS[:3], np.full(10, label))


@pytest.mark.parametrize(
    "settings_",
    [
        {"mode": "all"},
        {"split": "half"},
        {"form": "medium"},
        {"threshold": 1.5},
        {"threshold": float("nan")},
        {"split": "gold"},
        {"calibrate_faithfulness": True},
    ],
)
def test_bad_settings(settings_):
    with pytest.raises(ConfigError):
        Calibrator.fit(*ROWS, **settings_)


def test_impossible_values_at_prediction():
    calibrator = Calibrator.fit(*ROWS)
    with pytest.raises(InputError, match="logarithms"):
        calibrator.apply([0.5], [0.9], [-1.0])
    assert calibrator.apply([0.5], [-np.inf], [-1.0]).p_true_if_faithful == [0]


SETUP = {
    "signals": ("max_claim_probability", "parametric_knowledge"),
    "language_model": "lm-a",
    "alignment_model": "align-a",
    "form": "long",
}


def test_require_accepts_the_set_up_it_was_fitted_for():
    calibrator = Calibrator.fit(*ROWS, language_model="lm-a", alignment_model="align-a")
    calibrator.require(**SETUP)
    calibrator.require()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("signals", ("max_nli", "parametric_knowledge")),
        ("language_model", "lm-b"),
        ("alignment_model", "align-b"),
        ("form", "short"),
        ("samples", 5),
    ],
)
def test_require_refuses_another_set_up(name, value):
    calibrator = Calibrator.fit(*ROWS, language_model="lm-a", alignment_model="align-a")
    other = SETUP | {name: value}
    with pytest.raises(CalibrationError, match=name.replace("_", " ")) as caught:
        calibrator.require(**other)
    assert "force_calibration=True" in str(caught.value)
    calibrator.require(**other, force=True)


def test_require_refuses_what_was_not_recorded_and_lists_every_difference():
    with pytest.raises(CalibrationError, match=r"language model.*None.*alignment model"):
        Calibrator.fit(*ROWS).require(**SETUP)


def test_id_depends_on_content_only():
    calibrator = Calibrator.fit(*ROWS, date="2025-06-01")
    assert calibrator.id == Calibrator.fit(*ROWS, date="2025-07-01").id
    assert calibrator.id != Calibrator.fit(*ROWS, mode="calibrated").id
    assert calibrator.id != Calibrator.fit(*ROWS, language_model="lm-a").id
    assert len(calibrator.id) == 12


def test_frozen_value():
    calibrator = Calibrator.fit(*ROWS, date="2025-06-01")
    assert calibrator == Calibrator.fit(*ROWS, date="2025-06-01")
    assert len({calibrator, Calibrator.fit(*ROWS, date="2025-06-01")}) == 1
    with pytest.raises(FrozenInstanceError):
        calibrator.mode = "none"


def test_inconsistent_construction():
    calibrator = Calibrator.fit(*ROWS)
    with pytest.raises(ValueError, match="mode"):
        replace(calibrator, mode="none")
    with pytest.raises(ValueError, match="mode"):
        replace(calibrator, if_faithful=None)
    with pytest.raises(ValueError, match="threshold"):
        replace(calibrator, threshold=2.0)
    with pytest.raises(ValueError, match="10 rows"):
        replace(calibrator.card, n_faithful=4)
    with pytest.raises(ValueError, match="rates"):
        replace(calibrator.card, ece_after=float("nan"))
    with pytest.raises(ValueError, match="negative"):
        replace(calibrator.card, dropped=-1)


def test_using_a_calibrator_needs_no_scikit_learn(monkeypatch):
    calibrator = Calibrator.fit(*rows())
    monkeypatch.setitem(sys.modules, "sklearn.isotonic", None)
    assert np.isfinite(mix(*Calibrator.from_json(calibrator.to_json()).apply(*QUERIES))).all()


def test_condition_wise_calibration_beats_none():
    train, test = rows(seed=0), rows(1000, seed=1)
    scores = {
        mode: long_form(*test[:3], calibrator=Calibrator.fit(*train, mode=mode)).p_true
        for mode in ("none", "calibrated", "condition")
    }
    brier = {mode: np.mean((score - test[3]) ** 2) for mode, score in scores.items()}
    assert brier["condition"] < brier["calibrated"] < brier["none"]


@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 10_000), st.sampled_from(["calibrated", "condition"]), st.floats(0, 1), st.floats(-30, 0)
)
def test_monotone_in_each_signal_and_in_range(seed, mode, alignment, other):
    calibrator = Calibrator.fit(*rows(40, seed), mode=mode)
    grid = np.linspace(-30, 0, 60)
    fixed = np.full(60, other)
    for first, second in (grid, fixed), (fixed, grid):
        values = mix(*calibrator.apply(np.full(60, alignment), first, second))
        assert np.all((values >= 0) & (values <= 1))
        assert np.all(np.diff(values) >= -1e-12)
