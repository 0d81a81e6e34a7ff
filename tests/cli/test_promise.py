"""`calibrate --target-false-rate` and `evaluate --target-false-rate`."""

import json

import pytest

from franq_guard import Calibrator
from tests.evaluation.synthetic import make_claims


@pytest.fixture
def labels(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(count, questions):
        rows = make_claims(count, questions=questions)
        (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row.to_dict()) + "\n" for row in rows))
        return "labels.jsonl"

    return write


def test_a_threshold_goes_into_the_card(cli, labels, tmp_path):
    file = labels(900, 300)
    code, out, err = cli("calibrate", file, "--target-false-rate", 0.15, "--resamples", 5)
    assert (code, err) == (0, "")
    promise = Calibrator.load(tmp_path / "calibration.json").card.promise
    assert (promise.target, promise.confidence, promise.questions) == (0.15, 0.95, 150)
    text = " ".join(out.replace("│", " ").split())
    assert f"block below P(true) = {promise.threshold:g}" in text
    assert "at most 15.0% of the claims let through are false, confidence 95%" in text
    assert "the claims that were not held out" in text
    assert "policy=Policy(keep_promise=True)" in text


def test_what_the_data_cannot_support_is_said(cli, labels, tmp_path):
    code, out, _ = cli("calibrate", labels(120, 40), "--target-false-rate", 0.02, "--resamples", 5)
    assert code == 1
    text = " ".join(out.replace("│", " ").split())
    assert "confidence 95%: not supported" in text
    assert "warning: the data do not support the target" in text
    assert "keep_promise" not in text
    assert Calibrator.load(tmp_path / "calibration.json").card.promise.threshold is None


@pytest.mark.parametrize(
    "options",
    [
        ("--target-false-rate", 0),
        ("--target-false-rate", 0.1, "--confidence", 1),
        ("--target-false-rate", 0.1, "--refit"),
        ("--target-false-rate", 0.1, "--test-share", 0),
    ],
)
def test_targets_that_cannot_be_promised(cli, labels, options):
    code, _, err = cli("calibrate", labels(120, 40), *options)
    assert code == 2
    assert err.startswith("franq-guard: ") and err.count("\n") == 1


def test_evaluate_checks_the_promise(cli, labels, tmp_path):
    code, out, _ = cli(
        "evaluate",
        *("--signals", labels(600, 200), "--out", tmp_path / "out", "--method", "franq_condition"),
        *("--resamples", 5, "--target-false-rate", 0.2, "--promise-resamples", 10),
    )
    assert code == 0
    found = json.loads((tmp_path / "out" / "promise.json").read_text())
    assert (found["target_false_rate"], found["resamples"], found["tested_questions"]) == (0.2, 10, 100)
    assert found["held"] >= 0.8
    text = " ".join(out.split())
    assert f"supported in {found['supported']:.1%} and kept in {found['held']:.1%}" in text
    assert "Where supported" in text
