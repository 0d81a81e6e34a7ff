import io
import json
import sys
from dataclasses import replace

import pytest

from franq_guard.errors import InputError
from franq_guard.evaluation.ablations import threshold
from franq_guard.evaluation.measuring import Settings, measure
from franq_guard.evaluation.output import write_results
from franq_guard.evaluation.results import to_dict, to_markdown, to_table
from tests.evaluation.synthetic import make_claims


@pytest.fixture(scope="module")
def evaluation():
    return measure(make_claims(), Settings(resamples=20))


def test_json_says_how_it_was_made_and_holds_no_nan(evaluation):
    data = to_dict(evaluation, [threshold(evaluation.data)], about={"seed": 0})
    text = json.dumps(data, allow_nan=False)
    assert json.loads(text) == data
    assert data["false_rate"] == round(evaluation.false_rate, 4)
    assert data["settings"] == {"calibration_share": 0.4, "seed": 0, "resamples": 20, "level": 0.95}
    assert (data["language_model"], data["alignment_model"], data["form"]) == ("lm", "am", "long")
    assert data["xgboost"]["seed"] == 0 and data["signals"] == {"seed": 0}
    condition = next(row for row in data["methods"] if row["name"] == "franq_condition")
    assert set(condition["metrics"]) == {"roc_auc", "average_precision", "prr", "ece", "brier"}
    assert len(data["ablations"]["threshold"]) == 30


def test_markdown_has_a_row_for_every_method_and_the_false_rate(evaluation):
    text = to_markdown(evaluation, [threshold(evaluation.data)])
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 2 + len(evaluation.methods) + 2 + (len(evaluation.methods) - 1) + 2 + 30
    assert f"PR-AUC of {evaluation.false_rate:.3f}" in text
    assert len({line.count("|") for line in rows[: 2 + len(evaluation.methods)]}) == 1


def test_the_table_fits_a_narrow_console(evaluation):
    from rich.console import Console

    console = Console(width=80, record=True, file=io.StringIO())
    console.print(to_table(evaluation))
    text = console.export_text()
    assert "…" not in text and "AlignScore" in text


def test_files(evaluation, tmp_path):
    written = write_results(evaluation, [], tmp_path)
    assert [path.name for path in written] == [
        "results.json",
        "results.md",
        "precision-recall.png",
        "rejection.png",
        "reliability.png",
    ]
    assert all(path.stat().st_size > 500 for path in written)


def test_without_matplotlib_there_are_no_pictures(evaluation, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert [path.suffix for path in write_results(evaluation, [], tmp_path)] == [".json", ".md"]


def test_one_class_has_no_pictures(tmp_path):
    rows = [replace(row, true=True) for row in make_claims(60)]
    written = write_results(measure(rows, Settings(resamples=5)), [], tmp_path)
    assert [path.suffix for path in written] == [".json", ".md"]


def test_a_folder_that_cannot_be_written(evaluation, tmp_path):
    with pytest.raises(InputError, match="cannot write into"):
        write_results(evaluation, [], tmp_path / "none")
