"""Fits the long-form calibrator of the `mini` preset, and reports how it does on questions held out.

Reads the rows that `benchmarks.long_form_claims` scored. They stand for answers by a capable generator over
encyclopaedic passages: each true sentence once as it is (`extract`) and once with its answer exchanged
(`swapped`); where retrieval failed, guesses (`blind`) and, for one question in five, a true answer all the
same (`misfiled`). Answers that the preset's own 135M model gives from the gold passage (`own`) are not fitted
on: most are wrong, and few users have such a generator. How the calibrator does on them is printed too.

P(faithful) is taken as it is. Calibrating it here looks better in the table, but only because the true
sentences stand in the passages word for word; on the claims of `data/faithfulness.jsonl` it would do harm.

    python -m benchmarks.fit_long_form_calibrator --out franq_guard/models/calibrators/mini-long.json
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from franq_guard.calibration import Calibrator
from franq_guard.evaluation import metrics
from franq_guard.franq import LONG_FORM, long_form
from franq_guard.models.loading import load_alignment_model
from franq_guard.models.presets import PRESETS
from franq_guard.models.sources import parse

Row = dict[str, Any]
FloatArray = NDArray[np.float64]

DATA = Path(__file__).parent / "data" / "long_form_claims.jsonl"
SHARES = {"extract": 1.0, "swapped": 1.0, "blind": 1.0, "misfiled": 0.2}
METRICS: dict[str, Callable[[FloatArray, FloatArray], float]] = {
    "ROC-AUC": metrics.roc_auc,
    "PR-AUC": metrics.average_precision,
    "PRR": metrics.prediction_rejection_ratio,
    "ECE": metrics.expected_calibration_error,
    "Brier": metrics.brier_score,
}
SPLITS = 20
MIN_ROWS = 25


def main() -> None:
    """Reports on held-out questions, then fits on all rows and saves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, help="save the calibrator there")
    parser.add_argument("--date", help="date for its card, YYYY-MM-DD; today if left out")
    options = parser.parse_args()

    rows = [json.loads(line) for line in options.data.read_text(encoding="utf-8").splitlines()]
    chosen = [row for row in rows if chance_of(row) < SHARES.get(row["kind"], 0.0)]
    own = [row for row in rows if row["kind"] == "own"]
    Console().print(_table(chosen, own))
    if options.out is not None:
        calibrator = _fit(chosen, date=options.date)
        options.out.parent.mkdir(parents=True, exist_ok=True)
        calibrator.save(options.out)
        print(f"{options.out}: {options.out.stat().st_size} bytes, {calibrator.card}")


def chance_of(row: Row) -> float:
    """A number in [0, 1) that depends on the question and kind alone."""
    digest = hashlib.sha256(f"{row['question_id']}{row['kind']}".encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32


def _columns(rows: Sequence[Row]) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    names = ("alignment", *LONG_FORM, "true")
    alignment, faithful, unfaithful, true = (
        np.array([row[name] for row in rows], dtype=np.float64) for name in names
    )
    return alignment, faithful, unfaithful, true


def _fit(
    rows: Sequence[Row], mode: str = "condition", *, faithfulness: bool = False, date: str | None = None
) -> Calibrator:
    from franq_guard.alignment import embedded_aligner

    aligner = embedded_aligner(load_alignment_model("align_mini"))
    alignment, faithful, unfaithful, true = _columns(rows)
    options: dict[str, Any] = {} if date is None else {"date": date}
    return Calibrator.fit(
        alignment,
        faithful,
        unfaithful,
        true,
        mode=mode,  # type: ignore[arg-type]
        signals=LONG_FORM,
        min_rows=MIN_ROWS,
        faithful_labels=np.array([row["kind"] == "extract" for row in rows]) if faithfulness else None,
        calibrate_faithfulness=faithfulness,
        language_model=parse(PRESETS["mini"].language_model).text.partition("#")[0],
        alignment_model=aligner.id,
        groups=[row["question_id"] for row in rows],
        **options,
    )


def _table(rows: Sequence[Row], own: Sequence[Row]) -> Table:
    true = np.mean([row["true"] for row in rows])
    table = Table(
        "method",
        *METRICS,
        title=f"{len(rows)} claims, {true:.1%} true; mean over {SPLITS} splits of the questions, 60 % to fit",
    )
    methods: dict[str, list[list[float]]] = {}
    for seed in range(SPLITS):
        for name, scores, labels in _split_scores(rows, seed):
            methods.setdefault(name, []).append([float(m(scores, labels)) for m in METRICS.values()])
    for name, values in methods.items():
        table.add_row(name, *(f"{value:.3f}" for value in np.mean(values, axis=0)))
    alignment, faithful, unfaithful, labels = _columns(own)
    scores = long_form(alignment, faithful, unfaithful, calibrator=_fit(rows)).p_true
    table.add_section()
    name = f"own answers: {len(own)}, {labels.mean():.1%} true (not fitted on)"
    table.add_row(name, *(f"{float(m(scores, labels)):.3f}" for m in METRICS.values()))
    return table


def _split_scores(rows: Sequence[Row], seed: int) -> list[tuple[str, FloatArray, FloatArray]]:
    questions = sorted({row["question_id"] for row in rows})
    np.random.default_rng(seed).shuffle(questions)
    fitting = set(questions[: int(0.6 * len(questions))])
    train = [row for row in rows if row["question_id"] in fitting]
    test = [row for row in rows if row["question_id"] not in fitting]
    alignment, faithful, unfaithful, labels = _columns(test)
    found = [("alignment alone", alignment, labels)]
    calibrators = {
        "FRANQ, none": None,
        "FRANQ, calibrated": _fit(train, "calibrated"),
        "FRANQ, condition": _fit(train),
        "FRANQ, condition, P(faithful) too": _fit(train, faithfulness=True),
    }
    for name, calibrator in calibrators.items():
        found.append((name, long_form(alignment, faithful, unfaithful, calibrator=calibrator).p_true, labels))
    return found


if __name__ == "__main__":
    main()
