from dataclasses import replace

import numpy as np
import pytest

from franq_guard.errors import CalibrationError, ConfigError, InputError
from franq_guard.evaluation.ablations import ABLATIONS, grid, threshold, training_size
from franq_guard.evaluation.baselines import BASELINES
from franq_guard.evaluation.measuring import Settings, best, measure
from franq_guard.evaluation.methods import METHODS, choose_methods, score_method
from franq_guard.evaluation.metrics import average_precision, roc_auc
from tests.evaluation.synthetic import make_claims

FEW = Settings(resamples=50)


@pytest.fixture(scope="module", params=["long", "short"])
def evaluation(request):
    return measure(make_claims(form=request.param), FEW)


def by_name(evaluation):
    return {row.scores.name: row for row in evaluation.methods}


def test_all_methods_of_the_form_are_measured(evaluation):
    wanted = [
        name for name in METHODS if name not in BASELINES or evaluation.data.form in BASELINES[name].forms
    ]
    assert [row.scores.name for row in evaluation.methods] == wanted
    assert not evaluation.notes


def test_as_many_baselines_as_the_paper_has_in_each_form():
    # And beside them the language model as a judge.
    assert len([name for name, one in BASELINES.items() if "long" in one.forms]) == 8 + 1
    assert len([name for name, one in BASELINES.items() if "short" in one.forms]) == 16 + 1


def test_calibration_and_test_share_no_question(evaluation):
    sides = [
        {row.question_id for row in rows} for rows in (evaluation.data.calibration, evaluation.data.test)
    ]
    assert not sides[0] & sides[1] and len(sides[0]) == 32 and len(sides[1]) == 48
    counts = evaluation.counts
    assert counts["calibration_claims"] + counts["test_claims"] == 240


def test_the_method_that_fits_the_story_finds_it(evaluation):
    rows = by_name(evaluation)
    condition = rows["franq_condition"].metrics
    assert condition["roc_auc"].value > 0.85
    for name in ("alignment", "franq_none", "p_true", "max_claim_probability"):
        assert condition["roc_auc"].value > rows[name].metrics["roc_auc"].value
    assert condition["ece"].value < 0.15
    assert best(evaluation.methods, "franq").scores.name.startswith("franq_c")


def test_numbers_are_those_of_the_metrics_on_the_test_claims(evaluation):
    row = by_name(evaluation)["perplexity"]
    confidence = [-claim.signals["perplexity"] for claim in evaluation.data.test]
    labels = [claim.true for claim in evaluation.data.test]
    assert row.metrics["roc_auc"].value == pytest.approx(roc_auc(confidence, labels))
    assert row.metrics["average_precision"].value == pytest.approx(average_precision(confidence, labels))
    assert evaluation.false_rate == pytest.approx(1 - np.mean(labels))
    assert row.metrics["roc_auc"].low < row.metrics["roc_auc"].value < row.metrics["roc_auc"].high


def test_the_leader_is_held_against_every_other_method(evaluation):
    methods = by_name(evaluation)
    leader = methods.pop("franq_condition")
    assert leader.lead == {}
    for row in methods.values():
        assert set(row.lead) == {"roc_auc", "average_precision", "prr"}
        for name, found in row.lead.items():
            assert found.value == pytest.approx(leader.metrics[name].value - row.metrics[name].value)
    assert methods["alignment"].lead["roc_auc"].low > 0


def test_without_the_leader_nothing_is_held_against_it():
    evaluation = measure(
        make_claims(), Settings(methods=("alignment", "max_claim_probability"), resamples=20)
    )
    assert all(row.lead == {} for row in evaluation.methods)


def test_what_is_no_probability_has_no_calibration_error():
    rows = by_name(measure(make_claims(form="short"), FEW))
    assert "ece" not in rows["eccentricity"].metrics and "ece" in rows["semantic_entropy"].metrics


def test_the_same_seed_gives_the_same_numbers():
    first, again = (measure(make_claims(), FEW) for _ in range(2))
    for one, other in zip(first.methods, again.methods, strict=True):
        assert np.array_equal(one.scores.confidence, other.scores.confidence)
        assert one.metrics == other.metrics


def test_missing_signals_leave_methods_out_and_say_so():
    evaluation = measure(make_claims(signals=["max_claim_probability", "parametric_knowledge"]), FEW)
    names = list(by_name(evaluation))
    assert "p_true" not in names and {"alignment", "franq_condition", "xgboost_all"} <= set(names)
    assert "p_true" in evaluation.notes[0] and "lack a signal" in evaluation.notes[0]


def test_a_few_incomplete_claims_are_left_out_for_all_and_counted():
    rows = make_claims()
    rows[3] = replace(rows[3], alignment=None)
    rows[9] = replace(rows[9], signals={**rows[9].signals, "p_true": None} | {})
    signals = dict(rows[9].signals)
    del signals["p_true"]
    rows[9] = replace(rows[9], signals=signals)
    evaluation = measure(rows, FEW)
    assert evaluation.counts["incomplete"] == 2
    assert "2 claims were left out" in evaluation.notes[0]
    ids = {row.id for row in (*evaluation.data.calibration, *evaluation.data.test)}
    assert ids == {row.id for row in rows} - {"3", "9"}


def test_unlabelled_claims_are_counted():
    rows = make_claims()
    rows[0] = replace(rows[0], true=None)
    assert measure(rows, FEW).counts["unlabelled"] == 1


def test_without_gold_labels_of_faithfulness():
    evaluation = measure(make_claims(gold=False), FEW)
    assert "franq_condition_faithfulness" not in by_name(evaluation)
    assert "no claim has a gold label" in evaluation.notes[0]


def test_chosen_methods_only():
    evaluation = measure(make_claims(), Settings(methods=("franq_condition", "alignment"), resamples=10))
    assert [row.scores.name for row in evaluation.methods] == ["alignment", "franq_condition"]


def test_unknown_and_unfitting_methods():
    with pytest.raises(ConfigError, match="no method 'magic'"):
        choose_methods(["magic"], "long")
    with pytest.raises(ConfigError, match="token_sar is no method for long form"):
        choose_methods(["token_sar"], "long")


@pytest.mark.parametrize("share", [0, 1, -0.1])
def test_a_share_that_leaves_one_side_empty(share):
    with pytest.raises(ConfigError, match="calibration share"):
        Settings(calibration_share=share)


def test_what_cannot_be_measured():
    with pytest.raises(InputError, match="no claim to measure"):
        measure([])
    with pytest.raises(InputError, match="no claim has a label"):
        measure([replace(row, true=None) for row in make_claims(5)])
    with pytest.raises(InputError, match="two questions"):
        measure(make_claims(20, questions=1), FEW)
    with pytest.raises(InputError, match="form"):
        measure([*make_claims(5), *make_claims(5, form="short")], FEW)


def test_one_class_still_gives_a_table_that_says_what_is_undefined():
    evaluation = measure([replace(row, true=True) for row in make_claims()], FEW)
    assert np.isnan(by_name(evaluation)["alignment"].metrics["roc_auc"].value)
    assert any("one class" in note for note in evaluation.notes)


def test_too_few_claims_to_fit():
    with pytest.raises(CalibrationError):
        score_method("franq_condition", replace(measure(make_claims(), FEW).data, calibration=make_claims(2)))


def test_grid_has_every_pair_and_prefers_the_right_one(evaluation):
    table = grid(evaluation.data)
    count = len([one for one in BASELINES.values() if evaluation.data.form in one.forms]) + 1
    assert len(table.rows) == count**2
    values = {keys: values["prr"] for keys, values in table.rows}
    right = (
        ("max_claim_probability", "parametric_knowledge")
        if evaluation.data.form == "long"
        else ("semantic_entropy", "sum_eigenvalues")
    )
    assert values[right] > values["constant", "constant"]
    assert values[right] == max(values.values())


def test_threshold_none_is_the_continuous_mix(evaluation):
    table = threshold(evaluation.data)
    values = {keys: values["roc_auc"] for keys, values in table.rows}
    assert len(values) == 30
    found = by_name(evaluation)
    assert values["condition", "none"] == pytest.approx(found["franq_condition"].metrics["roc_auc"].value)
    assert values["condition", "0.5"] == pytest.approx(
        found["franq_condition_threshold"].metrics["roc_auc"].value
    )


def test_training_sizes_end_at_the_calibration_claims():
    evaluation = measure(make_claims(480, questions=240, form="short"), FEW)
    table = training_size(evaluation.data, 0)
    sizes = sorted({int(size) for (size, _), _ in table.rows})
    assert sizes == list(range(40, len(evaluation.data.calibration) + 1, 20))
    first, last = table.rows[1][1], table.rows[-1][1]
    assert first["draws"] == 10
    assert last["roc_auc"] > first["roc_auc"] - 0.02 and last["roc_auc_sd"] < first["roc_auc_sd"] + 0.02


def test_ablations_by_name():
    assert list(ABLATIONS) == ["grid", "threshold", "training-size"]
