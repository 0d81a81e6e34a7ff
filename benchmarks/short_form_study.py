"""Short answers by the `mini` models: every method, and FRANQ's calibrator, from saved signals.

The signals are collected first, once for each kind of retrieval; a run that was stopped goes on where it was:

    E="franq-guard evaluate benchmarks/data/short_qa.jsonl --preset mini --passages 2 --limit 300"
    $E --out runs/gold
    $E --out runs/irrelevant --corrupt irrelevant:1.0
    $E --out runs/corrupted --corrupt factual:1.0
    python -m benchmarks.short_form_study --runs runs --save

With --save, P(faithful) is computed anew by the aligner of this version, the rows are pooled and written to
`data/short_form_claims.jsonl`; without it, they are read from there, and no model runs. Both then write
`results/short_form/`, and with --calibrator the calibrator that was fitted on the calibration questions.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import track

from franq_guard.assembly import assemble
from franq_guard.config import GuardConfig
from franq_guard.evaluation.ablations import ABLATIONS
from franq_guard.evaluation.answers import is_right
from franq_guard.evaluation.bootstrap import evaluate
from franq_guard.evaluation.calibrating import Settings as Calibrating
from franq_guard.evaluation.calibrating import calibrate
from franq_guard.evaluation.labels import LabelledClaim, read_labels
from franq_guard.evaluation.measuring import Settings, measure
from franq_guard.evaluation.output import write_results
from franq_guard.evaluation.results import to_table
from franq_guard.inputs import as_input
from franq_guard.pipeline.deadline import Deadline
from franq_guard.pipeline.stages import Stages

HERE = Path(__file__).parent
DATA = HERE / "data" / "short_form_claims.jsonl"
RESULTS = HERE / "results" / "short_form"
CONDITIONS = ("gold", "irrelevant", "corrupted")
CALIBRATION_SHARE = 0.4
SEED = 0


def main() -> None:
    """Pools if asked to, measures, and fits the calibrator."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=Path, help="folder with one run for each kind of retrieval")
    parser.add_argument("--save", action="store_true", help=f"pool the runs into {DATA.name}")
    parser.add_argument("--calibrator", type=Path, help="save the calibrator there")
    options = parser.parse_args()
    if options.save:
        if options.runs is None:
            parser.error("--save needs --runs")
        _save(_aligned(_pooled(options.runs)))
    rows = read_labels([DATA])
    console = Console()
    _report(rows, RESULTS, console, ablations=tuple(ABLATIONS))
    for condition in CONDITIONS:
        chosen = [row for row in rows if row.extra["retrieved"] == condition]
        if chosen:
            _report(chosen, RESULTS / condition, console)
    _calibrate(rows, options.calibrator, console)


def _pooled(runs: Path) -> list[LabelledClaim]:
    rows = []
    for condition in CONDITIONS:
        for row in read_labels([runs / condition / "signals.jsonl"]):
            if row.true is not None:
                extra = dict(row.extra) | {"retrieved": condition}
                true = is_right(row.claim, row.question, row.extra["accepted"])
                rows.append(replace(row, id=f"{row.id}-{condition}", true=true, extra=extra))
    return rows


def _aligned(rows: Sequence[LabelledClaim]) -> list[LabelledClaim]:
    """P(faithful) by this version; what the language model said stays as it was collected."""
    config = GuardConfig.load(preset="mini", calibration="none", form="short")
    pipeline = assemble(config)
    scorer = pipeline.short_form_scorer()
    found = []
    for row in track(rows, description="P(faithful)"):
        item = as_input(row.question, row.extra["passages"], row.extra["answer"])
        [alignment] = scorer.align([pipeline.draft(item)], Stages(Deadline(None), {}))
        if alignment is not None:
            aligned = replace(row, alignment=alignment.p_faithful, alignment_model=pipeline.aligner.id)
            found.append(aligned)
    return found


def _save(rows: Sequence[LabelledClaim]) -> None:
    kept = ("retrieved", "accepted", "answer")
    lines = []
    for row in rows:
        slim = replace(row, extra={name: row.extra[name] for name in kept})
        signals = {name: round(value, 6) for name, value in slim.signals.items()}
        slim = replace(slim, signals=signals, alignment=round(slim.alignment or 0.0, 6))
        lines.append(json.dumps(slim.to_dict(), ensure_ascii=False, allow_nan=False) + "\n")
    DATA.write_text("".join(lines), encoding="utf-8")


def _report(
    rows: Sequence[LabelledClaim], folder: Path, console: Console, *, ablations: Sequence[str] = ()
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    evaluation = measure(rows, Settings(calibration_share=CALIBRATION_SHARE, seed=SEED))
    tables = [ABLATIONS[name](evaluation.data, SEED) for name in ablations]
    console.print(to_table(evaluation))
    write_results(
        evaluation, tables, folder, about={"retrieved": sorted({r.extra["retrieved"] for r in rows})}
    )


def _calibrate(rows: Sequence[LabelledClaim], path: Path | None, console: Console) -> None:
    """The calibrator is not fitted again on all questions: what is said of it holds for what is used."""
    settings = Calibrating(test_share=1 - CALIBRATION_SHARE, seed=SEED, refit=False)
    found = calibrate(rows, settings)
    if found.held_out is not None:
        held = found.held_out
        metrics = evaluate(held.after, held.true, groups=held.questions, seed=SEED)
        values = {name: [round(v, 4) for v in (m.value, m.low, m.high)] for name, m in metrics.items()}
        summary = {"fitted_on": found.claims - len(held.true), "measured_on": len(held.true), **values}
        console.print(f"calibrator: {summary}")
        (RESULTS / "calibrator.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    for warning in found.warnings:
        console.print(f"warning: {warning}")
    if path is not None:
        found.calibrator.save(path)
        console.print(f"{path}: {path.stat().st_size} bytes, {found.calibrator.card}")


if __name__ == "__main__":
    main()
