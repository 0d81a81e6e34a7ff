"""`franq-guard calibrate`: labelled claims in, calibrator, table and picture out."""

import json
import sys

import numpy as np
import pytest

from franq_guard import Calibrator


def row(number, rng, **change):
    alignment, told, untold = rng.beta(0.7, 0.7), -rng.gamma(2, 3), -rng.gamma(2, 6)
    p_true = alignment * np.exp(told / 20) + (1 - alignment) * np.exp(untold / 10)
    return {
        "id": number,
        "question_id": number // 4,
        "claim": f"claim {number}",
        "true": bool(rng.random() < p_true),
        "faithful": bool(rng.random() < alignment),
        "annotator": "ada",
        "alignment": alignment,
        "signals": {"max_claim_probability": told, "parametric_knowledge": untold, "max_nli": alignment},
        "language_model": "lm",
        "alignment_model": "am",
    } | change


@pytest.fixture
def labels(tmp_path, monkeypatch):
    """Writes a file of labelled claims into the working directory."""
    monkeypatch.chdir(tmp_path)

    def write(n=160, name="labels.jsonl", **change):
        rng = np.random.default_rng(1)
        rows = [row(number, rng, **change) for number in range(n)]
        (tmp_path / name).write_text("".join(json.dumps(item) + "\n" for item in rows))
        return name

    return write


def one_line(err):
    return err.count("\n") == 1 and err.startswith("franq-guard: ")


def test_a_calibrator_a_table_and_the_next_step(cli, labels, tmp_path):
    code, out, err = cli("calibrate", labels(), "--resamples", 50)
    assert (code, err) == (0, "")
    calibrator = Calibrator.load(tmp_path / "calibration.json")
    assert (calibrator.mode, calibrator.split, calibrator.card.n) == ("condition", "alignment", 160)
    assert (calibrator.language_model, calibrator.alignment_model) == ("lm", "am")
    for words in ("160 of 40 questions", "before", "after", "ECE", "Brier", "ROC-AUC", "PR-AUC", "PRR"):
        assert words in out
    assert "On 48 held-out claims of 12 questions" in out
    assert out.count("[") >= 10  # an interval for every metric, before and after
    assert "warning" not in out
    assert "Guard(..., calibration='calibration.json')" in out
    assert (tmp_path / "calibration.json").stat().st_size < 2000


def test_it_can_be_run_again_with_the_same_result(cli, labels, tmp_path):
    file = labels()
    first = cli("calibrate", file, "--resamples", 20)
    saved = (tmp_path / "calibration.json").read_bytes()
    assert cli("calibrate", file, "--resamples", 20) == first
    assert (tmp_path / "calibration.json").read_bytes() == saved
    assert cli("calibrate", file, "--resamples", 20, "--seed", 1)[1] != first[1]


def test_options_reach_the_calibrator(cli, labels, tmp_path):
    options = "--mode calibrated --split gold --faithful-signal max_nli --calibrate-faithfulness --no-refit"
    code, out, _ = cli(
        "calibrate", labels(), *options.split(), "--out", "own.json", "--resamples", 5, "--threshold", 0.4
    )
    assert code == 0
    calibrator = Calibrator.load(tmp_path / "own.json")
    assert (calibrator.mode, calibrator.split, calibrator.threshold) == ("calibrated", "gold", 0.4)
    assert calibrator.signals[0] == "max_nli"
    assert calibrator.faithful is not None
    assert calibrator.card.n == 112
    assert "the claims that were not held out" in out
    assert "calibration='own.json', faithful_signal='max_nli'" in out


@pytest.mark.parametrize("name", ["reliability.png", "reliability.svg"])
def test_a_picture(cli, labels, tmp_path, name):
    pytest.importorskip("matplotlib")
    code, out, _ = cli("calibrate", labels(), "--plot", name, "--resamples", 5)
    assert code == 0
    assert f"Drew {name}" in out
    assert (tmp_path / name).stat().st_size > 1000


def test_several_annotators(cli, labels, tmp_path):
    ada, ben = labels(), labels(name="ben.jsonl", annotator="ben")
    rows = [json.loads(line) for line in (tmp_path / ben).read_text().splitlines()]
    rows[0]["true"], rows[1]["true"], rows[2]["true"] = not rows[0]["true"], None, "unverifiable"
    (tmp_path / ben).write_text("".join(json.dumps(item) + "\r\n" for item in rows))
    code, out, _ = cli("calibrate", ada, ben, "--resamples", 5)
    assert code == 0
    assert "159 of 40 questions" in out
    assert "0 nobody could tell, 1 on which annotators differ" in out


def test_few_claims_are_warned_about(cli, labels):
    code, out, _ = cli("calibrate", labels(24), "--resamples", 5)
    assert code == 0
    assert "warning: only 24 labelled claims" in out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 3}, "3 labelled claims"),
        ({"n": 0}, "is empty"),
        ({"true": True}, "all 160 claims are labelled true"),
        ({"true": None}, "0 labelled claims (160 without a label"),
        ({"true": "perhaps"}, "row 1, column true"),
        ({"alignment": float("nan")}, "row 1, column alignment"),
        (
            {"signals": {"max_claim_probability": float("-inf")}},
            "row 1, column signals.max_claim_probability",
        ),
        ({"signals": {}}, "no row has the signal 'max_claim_probability'"),
        ({"id": "same"}, "row 2, column id: 'same'"),
    ],
)
def test_bad_labels(cli, labels, tmp_path, change, message):
    code, out, err = cli("calibrate", labels(**change))
    assert code == 2
    assert message in err
    assert one_line(err)
    assert out == ""
    assert not (tmp_path / "calibration.json").exists()


@pytest.mark.parametrize("change", [{"language_model": "b"}, {"alignment_model": "b"}, {"form": "short"}])
def test_mixed_set_ups(cli, labels, change):
    code, _, err = cli("calibrate", labels(), labels(name="other.jsonl", annotator="ben", **change))
    assert code == 2
    assert f"other.jsonl, row 1, column {next(iter(change))}" in err
    assert one_line(err)


def test_answers_without_numbers(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = {"id": 1, "question_id": 1, "question": "?", "passages": ["p"], "answer": "a", "true": True}
    (tmp_path / "answers.jsonl").write_text(json.dumps(answer))
    code, _, err = cli("calibrate", "answers.jsonl")
    assert code == 2
    assert "franq-guard check FILE --format json" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "none/calibration.json"], "folder that exists"),
        (["--plot", "reliability.gif"], ".png or .svg"),
        (["--plot", "reliability.png", "--test-share", 0], "--test-share"),
        (["--faithful-signal", "nonsense"], "'nonsense'"),
        (["--out", "."], "cannot write"),
    ],
)
def test_bad_options(cli, labels, options, message):
    pytest.importorskip("matplotlib")
    code, _, err = cli("calibrate", labels(), *options)
    assert code == 2
    assert message in err
    assert one_line(err)


def test_without_matplotlib(cli, labels, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, _, err = cli("calibrate", labels(), "--plot", "reliability.png")
    assert code == 2
    assert "franq-guard[plot]" in err
    assert not (tmp_path / "calibration.json").exists()
