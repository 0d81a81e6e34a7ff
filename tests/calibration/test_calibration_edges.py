"""Bounds, what the card says, and what goes into which map."""

from dataclasses import replace

import numpy as np
import pytest

from franq_guard.calibration import Calibrator
from franq_guard.calibration.isotonic import FLOOR, MonotoneMap
from franq_guard.drift.sketch import SignalSketch
from franq_guard.errors import ConfigError, InputError
from franq_guard.evaluation.metrics import brier_score, expected_calibration_error
from franq_guard.franq import LONG_FORM, long_form, mix, short_form

RNG = np.random.default_rng(5)
ALIGNMENT = RNG.random(60)
FAITH = -4 * RNG.random(60)
UNFAITH = -12 * RNG.random(60)
TRUE = (RNG.random(60) < np.where(ALIGNMENT > 0.5, np.exp(FAITH / 4), np.exp(UNFAITH / 12))).astype(float)
ROWS = (ALIGNMENT, FAITH, UNFAITH, TRUE)
SIDE = ALIGNMENT > 0.5


# Which rows each map is fitted on.


@pytest.mark.parametrize("min_rows", [1, 8])
def test_each_mode_fits_on_its_own_rows(min_rows):
    condition = Calibrator.fit(*ROWS, min_rows=min_rows)
    assert condition.if_faithful == MonotoneMap.fit(FAITH[SIDE], TRUE[SIDE], min_rows=min_rows)
    assert condition.if_unfaithful == MonotoneMap.fit(UNFAITH[~SIDE], TRUE[~SIDE], min_rows=min_rows)
    everything = Calibrator.fit(*ROWS, mode="calibrated", min_rows=min_rows)
    assert everything.if_faithful == MonotoneMap.fit(FAITH, TRUE, min_rows=min_rows)
    assert everything.if_unfaithful == MonotoneMap.fit(UNFAITH, TRUE, min_rows=min_rows)
    lonely = Calibrator.fit(np.where(np.arange(60) == 7, 0.9, 0.1), *ROWS[1:], min_rows=min_rows)
    assert lonely.if_faithful == everything.if_faithful


def test_the_card_says_how_small_a_step_may_be():
    assert Calibrator.fit(*ROWS).card.notes == ()
    assert any("8 rows" in note for note in Calibrator.fit(*ROWS, min_rows=8).card.notes)
    assert any("2 rows" in note for note in Calibrator.fit(*ROWS, min_rows=2).card.notes)


def test_two_rows_make_a_side():
    alignment = np.array([0.9, 0.8, *[0.1] * 8])
    true = np.array([0, 1, 1, 0, 1, 0, 1, 0, 1, 0])
    fitted = Calibrator.fit(alignment, FAITH[:10], UNFAITH[:10], true)
    assert fitted.card.n_faithful == 2
    assert fitted.card.notes == ()
    assert fitted.if_faithful == MonotoneMap.fit(FAITH[:2], true[:2].astype(float))


def test_each_side_that_is_too_small_is_named():
    all_faithful = Calibrator.fit(np.full(60, 0.9), *ROWS[1:])
    assert [note.split(":")[0] for note in all_faithful.card.notes] == ["only 0 unfaithful rows"]
    labels = np.where(SIDE, TRUE, 0.0)
    assert Calibrator.fit(*ROWS[:3], labels).card.notes == ("all unfaithful rows have one label: constant",)


def test_three_rows_are_enough():
    assert Calibrator.fit([0.9, 0.8, 0.1], [-1, -2, -3], [-1, -2, -3], [1, 0, 1]).card.n == 3


@pytest.mark.parametrize(("threshold", "faithful"), [(0, 60), (1, 0)])
def test_any_threshold_from_0_to_1_will_do(threshold, faithful):
    fitted = Calibrator.fit(*ROWS, threshold=threshold)
    assert (fitted.threshold, fitted.card.n_faithful) == (threshold, faithful)


def test_faithfulness_is_calibrated_on_gold_labels_of_the_rows_that_are_kept():
    gold = (ALIGNMENT > 0.3).astype(float)
    alignment = ALIGNMENT.copy()
    alignment[3] = np.nan
    fitted = Calibrator.fit(alignment, *ROWS[1:], calibrate_faithfulness=True, faithful_labels=gold)
    kept = np.arange(60) != 3
    assert fitted.faithful == MonotoneMap.fit(ALIGNMENT[kept], gold[kept])
    # The split is still that of the alignment score.
    assert fitted.card.n_faithful == (ALIGNMENT[kept] > 0.5).sum()
    with_gold_split = Calibrator.fit(*ROWS, split="gold", faithful_labels=gold)
    assert with_gold_split.card.n_faithful == gold.sum()
    assert with_gold_split.faithful is None


# What it was fitted for is written down.


def test_the_set_up_is_recorded():
    fitted = Calibrator.fit(
        *ROWS,
        split="gold",
        faithful_labels=SIDE,
        threshold=0.25,
        form="short",
        signals=["mine", "constant"],
        samples=np.int64(7),
        language_model="lm",
        alignment_model="aligner",
        date="2025-06-01",
    )
    assert (fitted.split, fitted.threshold, fitted.form) == ("gold", 0.25, "short")
    assert (fitted.signals, fitted.samples) == (("mine", "constant"), 7)
    assert (fitted.language_model, fitted.alignment_model) == ("lm", "aligner")
    assert Calibrator.from_json(fitted.to_json()) == fitted


# How well it fits.


def test_errors_in_the_card_are_those_of_the_score():
    gold = (ALIGNMENT > 0.3).astype(float)
    fitted = Calibrator.fit(*ROWS, calibrate_faithfulness=True, faithful_labels=gold)
    before = long_form(*ROWS[:3]).p_true
    after = mix(*fitted.apply(*ROWS[:3]))
    card = fitted.card
    assert card.ece_before == round(expected_calibration_error(before, TRUE), 4)
    assert card.brier_before == round(brier_score(before, TRUE), 4)
    assert card.ece_after == round(expected_calibration_error(after, TRUE), 4)
    assert card.brier_after == round(brier_score(after, TRUE), 4)
    assert card.true_rate == round(TRUE.mean(), 4)


def test_the_error_before_needs_both_signals_to_be_probabilities():
    long_and_count = Calibrator.fit(*ROWS, form="short", signals=("max_claim_probability", "sum_eigenvalues"))
    assert long_and_count.card.brier_before is None
    counted = Calibrator.fit(
        *ROWS, form="short", signals=("max_claim_probability", "sum_eigenvalues"), samples=13
    )
    assert counted.card.brier_before is not None
    assert Calibrator.fit(*ROWS, signals=("mine", "parametric_knowledge")).card.brier_before is None


# How the signals are distributed.


def test_the_reference_holds_every_signal_and_the_score():
    fitted = Calibrator.fit(*ROWS)
    values = (ALIGNMENT, FAITH, UNFAITH, mix(*fitted.apply(*ROWS[:3])))
    names = ("alignment", *LONG_FORM, "p_true")
    assert fitted.card.reference.signals == tuple(map(SignalSketch.of, names, values))
    assert fitted.card.reference.answers == 60


def test_impossible_signals_are_sketched_at_the_floor():
    faith, unfaith = FAITH.copy(), UNFAITH.copy()
    faith[:30], unfaith[30:] = -np.inf, -np.inf
    sketches = Calibrator.fit(ALIGNMENT, faith, unfaith, TRUE).card.reference.signals
    assert sketches[1] == SignalSketch.of(LONG_FORM[0], np.maximum(faith, FLOOR))
    assert sketches[2] == SignalSketch.of(LONG_FORM[1], np.maximum(unfaith, FLOOR))


def test_claims_of_one_answer_are_worth_less():
    halves = np.arange(60) % 2
    assert Calibrator.fit(*ROWS, groups=halves).card.reference.answers == 2
    assert Calibrator.fit(*ROWS, groups=np.arange(60) < 40).card.reference.answers == 1.8
    # A row that is left out takes its answer with it.
    alignment = np.where(halves == 0, ALIGNMENT, np.nan)
    assert Calibrator.fit(alignment, *ROWS[1:], groups=halves).card.reference.answers == 1


@pytest.mark.parametrize("groups", [[0] * 59, 3, [[0]] * 60, [None, "a"] * 30, [[1], [1, 2]] * 30])
def test_groups_that_name_no_question_are_refused(groups):
    with pytest.raises(InputError, match="groups"):
        Calibrator.fit(*ROWS, groups=groups)


# Bad input.


def test_impossible_gold_labels_name_their_row():
    gold = [1] * 59 + [2]
    with pytest.raises(InputError, match=r"faithful_labels\[59\] is 2"):
        Calibrator.fit(*ROWS, split="gold", faithful_labels=gold)
    with pytest.raises(InputError, match="faithful_labels has 3"):
        Calibrator.fit(*ROWS, split="gold", faithful_labels=[1, 0, 1])


@pytest.mark.parametrize("name", ["alignment", "faith_signal", "unfaith_signal", "true_labels"])
def test_a_part_that_is_no_number_is_named(name):
    parts = dict(zip(("alignment", "faith_signal", "unfaith_signal", "true_labels"), ROWS, strict=True))
    with pytest.raises(InputError, match=name):
        Calibrator.fit(**(parts | {name: ["high"] * 60}))
    if name != "true_labels":
        del parts["true_labels"]
        with pytest.raises(InputError, match=name):
            Calibrator.fit(*ROWS).apply(**(parts | {name: ["high"] * 60}))


@pytest.mark.parametrize("min_rows", [0, -3])
def test_a_step_needs_a_row(min_rows):
    with pytest.raises(ConfigError, match="min_rows"):
        Calibrator.fit(*ROWS, min_rows=min_rows)


@pytest.mark.parametrize("signals", [("max_nli",), ("a", "b", "c"), "ab", 5])
def test_there_are_two_signals(signals):
    with pytest.raises(ConfigError, match="signals"):
        Calibrator.fit(*ROWS, signals=signals)


def test_lengths_at_prediction_are_compared():
    fitted = Calibrator.fit(*ROWS)
    for sizes in (2, 1, 1), (1, 2, 1), (1, 1, 2):
        with pytest.raises(InputError, match="one value per row"):
            fitted.apply(*(np.full(size, -1.0) for size in sizes))


# Using it.


def test_alignment_beyond_its_range_is_clipped():
    fitted = Calibrator.fit(*ROWS)
    assert fitted.apply([-0.5, 0.3, 1.5], [-1] * 3, [-1] * 3).p_faithful.tolist() == [0, 0.3, 1]


def test_without_maps_signals_are_their_own_probabilities():
    counts = 1 + 9 * RNG.random(60)
    settings = {"form": "short", "mode": "none"}
    fitted = Calibrator.fit(ALIGNMENT, FAITH, -counts, TRUE, samples=10, **settings)
    expected = short_form(ALIGNMENT, FAITH, -counts, samples=10)
    parts = fitted.apply(ALIGNMENT, FAITH, -counts)
    np.testing.assert_array_equal(parts.p_true_if_faithful, expected.p_true_if_faithful)
    np.testing.assert_array_equal(parts.p_true_if_unfaithful, expected.p_true_if_unfaithful)


def test_each_signal_is_checked_as_what_it_is():
    home_made = Calibrator.fit(ALIGNMENT, 5 + FAITH, UNFAITH, TRUE, signals=("mine", "parametric_knowledge"))
    assert np.isfinite(home_made.apply([0.5], [4.0], [-1.0]).p_true_if_faithful).all()
    with pytest.raises(InputError, match="parametric_knowledge"):
        home_made.apply([0.5], [4.0], [1.0])


@pytest.mark.parametrize("as_path", [str, lambda path: path])
def test_a_path_may_be_text(tmp_path, as_path):
    fitted, path = Calibrator.fit(*ROWS), tmp_path / "calibration.json"
    fitted.save(as_path(path))
    assert path.read_bytes() == fitted.to_json().encode() + b"\n"
    assert Calibrator.load(as_path(path)) == fitted


def test_a_promise_alone_makes_a_file_of_version_two():
    fitted = Calibrator.fit(*ROWS)
    assert '"version":2' in fitted.to_json()
    assert '"version":1' in replace(fitted, card=replace(fitted.card, reference=None)).to_json()


# Values at the bounds are sound, those beyond are not.


def test_cards_at_their_bounds():
    card = Calibrator.fit(*ROWS).card
    edge = replace(
        card, true_rate=1.0, ece_before=0.0, ece_after=0.0, brier_before=1.0, brier_after=1.0, dropped=0
    )
    assert replace(edge, n_faithful=0, n_unfaithful=60).n == 60
    assert replace(edge, n_faithful=60, n_unfaithful=0).n == 60
    assert replace(edge, ece_before=None, brier_before=None).ece_before is None


@pytest.mark.parametrize(
    "change",
    [
        {"n_faithful": -1, "n_unfaithful": 61},
        {"n_faithful": 61, "n_unfaithful": -1},
        {"dropped": -1},
        {"n": 59},
        {"true_rate": -0.1},
        {"ece_before": 1.1},
        {"ece_after": -0.1},
        {"brier_before": 1.1},
        {"brier_after": 1.1},
    ],
)
def test_cards_beyond_their_bounds(change):
    with pytest.raises(ValueError):
        replace(Calibrator.fit(*ROWS).card, **change)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_thresholds_beyond_their_bounds(threshold):
    with pytest.raises(ValueError, match="threshold"):
        replace(Calibrator.fit(*ROWS), threshold=threshold)
    with pytest.raises(ConfigError, match="threshold"):
        Calibrator.fit(*ROWS, threshold=threshold)
    assert replace(Calibrator.fit(*ROWS), threshold=1.0).threshold == 1


def test_maps_must_go_with_the_mode():
    fitted, none = Calibrator.fit(*ROWS), Calibrator.fit(*ROWS, mode="none")
    for change in ({"if_faithful": None}, {"if_unfaithful": None}, {"mode": "none"}):
        with pytest.raises(ValueError, match="mode"):
            replace(fitted, **change)
    for name in "if_faithful", "if_unfaithful":
        with pytest.raises(ValueError, match="mode"):
            replace(none, **{name: getattr(fitted, name)})


def test_certain_alignment_is_taken_at_both_ends():
    certain = np.where(SIDE, 1.0, 0.0)
    fitted = Calibrator.fit(certain, *ROWS[1:])
    assert fitted.if_faithful == MonotoneMap.fit(FAITH[SIDE], TRUE[SIDE])
    assert fitted.card.n == 60
