from dataclasses import replace

import numpy as np
import pytest

from franq_guard import franq
from franq_guard.calibration import Calibrator
from franq_guard.errors import CalibrationError, ConfigError, InputError
from franq_guard.evaluation.calibrating import Settings, calibrate
from franq_guard.evaluation.labels import LabelledClaim


def claims(questions=60, each=6, seed=0, **more):
    """Claims whose truth follows from the signals, but not as the raw numbers say."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(questions * each):
        alignment, told, untold = rng.beta(0.7, 0.7), -rng.gamma(2, 3), -rng.gamma(2, 6)
        p_true = alignment * np.exp(told / 20) + (1 - alignment) * np.exp(untold / 10)
        rows.append(
            LabelledClaim(
                id=str(number),
                question_id=f"q{number // each}",
                true=bool(rng.random() < p_true),
                faithful=bool(rng.random() < alignment),
                alignment=float(alignment),
                signals={"max_claim_probability": told, "parametric_knowledge": untold, "max_nli": alignment},
                language_model="lm",
                alignment_model="am",
                place=f"labels.jsonl, row {number + 1}",
                **more,
            )
        )
    return rows


def arrays(rows):
    names = ("max_claim_probability", "parametric_knowledge")
    return (
        [row.alignment for row in rows],
        *([row.signals[name] for row in rows] for name in names),
        [row.true for row in rows],
    )


def fitted(rows):
    questions = [row.question_id for row in rows]
    return Calibrator.fit(*arrays(rows), language_model="lm", alignment_model="am", groups=questions)


def test_the_calibrator_is_fitted_on_all_claims_after_the_check():
    rows = claims()
    result = calibrate(rows)
    expected = fitted(rows)
    assert result.calibrator.id == expected.id
    assert (result.claims, result.questions, result.unlabelled, result.disputed) == (360, 60, 0, 0)
    assert result.warnings == ()


def test_held_out_scores_come_from_the_other_questions():
    rows = claims()
    result = calibrate(rows, Settings(refit=False))
    held = set(result.held_out.questions)
    assert len(held) == 18
    kept = [row for row in rows if row.question_id not in held]
    expected = fitted(kept)
    assert result.calibrator.id == expected.id
    tested = [row for row in rows if row.question_id in held]
    *signals, true = arrays(tested)
    np.testing.assert_array_equal(result.held_out.true, true)
    np.testing.assert_allclose(
        result.held_out.after, franq.long_form(*signals, calibrator=expected).p_true, atol=1e-12
    )
    np.testing.assert_allclose(result.held_out.before, franq.long_form(*signals).p_true, atol=1e-12)


def test_settings_reach_the_calibrator():
    result = calibrate(
        claims(),
        Settings(
            mode="calibrated",
            split="gold",
            threshold=0.4,
            faithful_signal="max_nli",
            calibrate_faithfulness=True,
            test_share=0,
        ),
    )
    calibrator = result.calibrator
    assert (calibrator.mode, calibrator.split, calibrator.threshold) == ("calibrated", "gold", 0.4)
    assert calibrator.signals == ("max_nli", "parametric_knowledge")
    assert calibrator.faithful is not None
    assert result.held_out is None


def test_raw_uncertainties_of_short_answers_become_confidences():
    rng = np.random.default_rng(3)
    rows = [
        replace(
            row,
            form="short",
            samples=10,
            signals={"semantic_entropy": 0.0 if row.true else 2.0, "sum_eigenvalues": rng.uniform(1, 5)},
        )
        for row in claims(questions=40, each=1)
    ]
    result = calibrate(rows)
    assert result.calibrator.form == "short"
    assert result.calibrator.samples == 10
    components = result.calibrator.apply([1.0, 1.0], [0.0, -2.0], [-1.0, -1.0])
    np.testing.assert_array_equal(components.p_true_if_faithful, [1.0, 0.0])


def test_a_signal_without_a_scale_has_no_score_before():
    rows = [replace(row, signals={**row.signals, "own": row.alignment * 7}) for row in claims()]
    result = calibrate(rows, Settings(faithful_signal="own"))
    assert result.held_out.before is None
    assert result.held_out.after.size


def test_unlabelled_and_disputed_claims_are_counted():
    rows = claims()
    rows[0] = replace(rows[0], true=None)
    rows.append(replace(rows[1], true=not rows[1].true, annotator="ben"))
    result = calibrate(rows)
    assert (result.claims, result.unlabelled, result.disputed) == (358, 1, 1)


@pytest.mark.parametrize("label", [True, False])
def test_one_class_only(label):
    with pytest.raises(CalibrationError, match=f"labelled {str(label).lower()} .*label some of the other"):
        calibrate([replace(row, true=label) for row in claims()])


def test_too_few_claims():
    with pytest.raises(CalibrationError, match=r"3 labelled claims .* too few"):
        calibrate(claims(questions=3, each=1))
    with pytest.raises(CalibrationError, match=r"0 labelled claims \(360 without a label"):
        calibrate([replace(row, true=None) for row in claims()])
    with pytest.raises(CalibrationError, match="too few"):
        calibrate([])


def test_few_claims_and_thin_sides_are_warned_about():
    rows = [replace(row, alignment=0.9 if number % 9 else 0.1) for number, row in enumerate(claims(15, 3))]
    warnings = " | ".join(calibrate(rows).warnings)
    assert "only 45 labelled claims" in warnings
    assert "only 5 claims are unfaithful" in warnings
    assert "are faithful" not in warnings


def test_a_mixture_of_models_is_refused():
    rows = claims()
    rows[7] = replace(rows[7], language_model="other")
    with pytest.raises(InputError, match=r"row 8, column language_model: 'other', but 'lm' in .*row 1"):
        calibrate(rows)


def test_unnamed_models_are_warned_about():
    rows = [replace(row, language_model=None) for row in claims()]
    assert "force_calibration" in calibrate(rows).warnings[0]


def test_an_unknown_signal_names_those_that_are_there():
    with pytest.raises(InputError, match="'ccp'; the rows have max_claim_probability, max_nli, parametric"):
        calibrate(claims(), Settings(faithful_signal="ccp"))
    with pytest.raises(InputError, match="the rows have none"):
        calibrate([replace(row, signals={}) for row in claims()])


def test_gold_split_needs_gold_labels():
    rows = [replace(row, faithful=None) for row in claims()]
    with pytest.raises(ConfigError, match="column faithful"):
        calibrate(rows, Settings(split="gold"))


def test_claims_without_a_number_are_left_out_with_a_warning():
    rows = [replace(row, alignment=None) if number < 40 else row for number, row in enumerate(claims())]
    result = calibrate(rows)
    assert result.calibrator.card.n == 320
    assert "40 labelled claims were left out because a number is missing" in result.warnings
    assert not np.isnan(result.held_out.after).any()


def test_one_question_cannot_be_held_out():
    result = calibrate([replace(row, question_id="q") for row in claims()])
    assert result.held_out is None
    assert "one question" in result.warnings[0]


def test_a_side_without_both_classes_gives_no_check_but_a_calibrator():
    # Every false claim answers question 0, which is held out or not.
    rows = [replace(row, true=row.question_id != "q0") for row in claims(questions=3, each=8)]
    seeds = [seed for seed in range(20) if calibrate(rows, Settings(seed=seed)).held_out is None]
    assert seeds
    result = calibrate(rows, Settings(seed=seeds[0]))
    assert any("nothing was checked" in warning for warning in result.warnings)
    with pytest.raises(CalibrationError):
        calibrate(rows, Settings(seed=seeds[0], refit=False))
    other = next(seed for seed in range(20) if seed not in seeds)
    assert any("one class" in warning for warning in calibrate(rows, Settings(seed=other)).warnings)


def test_settings_are_checked():
    with pytest.raises(ConfigError, match="test share"):
        Settings(test_share=1.0)
