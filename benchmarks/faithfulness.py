"""How well do the embedded aligner and its parts tell faithful claims from others?

    python benchmarks/faithfulness.py
    python benchmarks/faithfulness.py --data rows.jsonl --json results.json

Each row has `context`, `claim`, `label` ("aligned" against anything else) and `source`. Five scorers:

- one pass: P(aligned) of align_mini, whole context and claim at once
- windows: AlignScore's aggregation of P(aligned) over windows of 3 sentences
- lexical: the same with the lexical combiner
- shipped: the same again with the penalty for numbers and negations that differ, as the package does it
- words: share of the claim's distinct words that occur in the context
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from franq_guard.alignment import (
    Aligner,
    AlignmentJob,
    ClaimAlignment,
    LexicalCombiner,
    alignscore,
    embedded_aligner,
)
from franq_guard.models.align_mini import load_align_mini
from franq_guard.models.base import FloatArray

DATA = Path(__file__).parent / "data" / "faithfulness.jsonl"
METRICS = ("roc_auc", "balanced_accuracy")


def word_overlap(row: dict[str, Any]) -> float:
    claim, context = (set(re.findall(r"\w+", row[key].lower())) for key in ("claim", "context"))
    return len(claim & context) / max(len(claim), 1)


def align(aligner: Aligner, rows: list[dict[str, Any]], bar: Progress, name: str) -> list[ClaimAlignment]:
    task = bar.add_task(name, total=None)
    jobs = [AlignmentJob([row["claim"]], [row["context"]]) for row in rows]
    results = aligner.align(jobs, progress=lambda done, total: bar.update(task, completed=done, total=total))
    return [result for (result,) in results]


def score(rows: list[dict[str, Any]]) -> dict[str, FloatArray]:
    model = load_align_mini(device="cpu", dtype="float32")
    with Progress(transient=True) as bar:
        whole = align(Aligner(model, windowing="whole"), rows, bar, "one pass")
        lexical = align(Aligner(model, combiner=LexicalCombiner.embedded()), rows, bar, "windows")
        shipped = align(embedded_aligner(model), rows, bar, "shipped")
    return {
        "one pass": np.asarray([result.p_faithful for result in whole]),
        "windows": np.asarray([alignscore(result.probabilities[..., 0]) for result in lexical]),
        "lexical": np.asarray([result.p_faithful for result in lexical]),
        "shipped": np.asarray([result.p_faithful for result in shipped]),
        "words": np.asarray([word_overlap(row) for row in rows]),
    }


def evaluate(rows: list[dict[str, Any]], scores: dict[str, FloatArray]) -> dict[str, dict[str, Any]]:
    truth = np.asarray([row["label"] == "aligned" for row in rows])
    sources = np.asarray([row["source"] for row in rows])
    results: dict[str, dict[str, Any]] = {}
    for source in ["all", *sorted(set(sources.tolist()))]:
        inside = np.ones(len(rows), dtype=bool) if source == "all" else sources == source
        results[source] = {"rows": int(inside.sum())}
        for name, values in scores.items():
            results[source][name] = {
                "roc_auc": float(roc_auc_score(truth[inside], values[inside])),
                "balanced_accuracy": float(balanced_accuracy_score(truth[inside], values[inside] > 0.5)),
            }
    results["mean of sources"] = {"rows": len(rows)} | {
        name: {
            metric: float(np.mean([entry[name][metric] for key, entry in results.items() if key != "all"]))
            for metric in METRICS
        }
        for name in scores
    }
    return results


def show(results: dict[str, dict[str, Any]], names: list[str]) -> None:
    table = Table("source", "rows", title="ROC-AUC / balanced accuracy at 0.5")
    for name in names:
        table.add_column(name, justify="right")
    for source, entry in results.items():
        cells = [f"{entry[name]['roc_auc']:.3f} / {entry[name]['balanced_accuracy']:.3f}" for name in names]
        table.add_row(source, str(entry["rows"]), *cells)
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="JSON Lines; the rows beside this script")
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    options = parser.parse_args()
    rows = [
        json.loads(line) for line in options.data.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    scores = score(rows)
    results = evaluate(rows, scores)
    show(results, list(scores))
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
