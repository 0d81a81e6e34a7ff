"""Fits the lexical combiner of the embedded alignment model and writes it into the package.

    python benchmarks/fit_lexical_combiner.py

Logistic regression over one window per claim sentence: the one with the highest score. Fitting and choosing
windows alternate until nothing changes. Every source counts the same, and so does every class within it. The
printed table holds each source out in turn; the weights written are those of all sources together.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

import franq_guard.alignment
from franq_guard.alignment import Aligner, AlignmentJob
from franq_guard.alignment.combiner import combiner_inputs
from franq_guard.alignment.lexical import terms
from franq_guard.alignment.lexical_index import FEATURES, LexicalIndex
from franq_guard.models.align_mini import load_align_mini
from franq_guard.models.base import FloatArray, IntArray

DATA = Path(__file__).parent / "data" / "lexical_combiner_fit.jsonl"
TARGET = Path(franq_guard.alignment.__file__).parent / "lexical_combiner.json"
PENALTY = 10.0
ROUNDS = 20

Windows = list[FloatArray]
"""For each sentence of a claim the inputs of every window, shape (W, 1 + features)."""


def gather(rows: list[dict[str, Any]]) -> list[Windows]:
    aligner = Aligner(load_align_mini(device="cpu", dtype="float32"))
    jobs = [AlignmentJob([row["claim"]], [row["context"]]) for row in rows]
    with Progress(transient=True) as bar:
        task = bar.add_task("scoring windows", total=None)
        results = aligner.align(
            jobs, progress=lambda done, all_: bar.update(task, completed=done, total=all_)
        )
    inputs = []
    for (result,) in results:
        wanted = [terms(sentence) for sentence in result.sentences]
        index = LexicalIndex(result.windows, wanted)
        every = np.arange(len(result.windows))
        inputs.append(
            [
                combiner_inputs(scores, index.features(found, every))
                for scores, found in zip(result.probabilities, wanted, strict=True)
            ]
        )
    return inputs


def fit(inputs: list[Windows], labels: IntArray, sources: list[str]) -> tuple[FloatArray, float]:
    weights = np.concatenate([[1.0], np.full(len(FEATURES), 0.01)])
    bias = 0.0
    cells = list(zip(sources, labels, strict=True))
    share = [1.0 / (cells.count(cell) * len(parts)) for cell, parts in zip(cells, inputs, strict=True)]
    importance = np.repeat(share, [len(parts) for parts in inputs])
    targets = np.repeat(labels, [len(parts) for parts in inputs])
    for _ in range(ROUNDS):
        best = np.stack([part[np.argmax(part @ weights)] for parts in inputs for part in parts])
        model = LogisticRegression(C=1.0 / PENALTY)
        model.fit(best, targets, sample_weight=importance / importance.mean())
        settled = np.allclose(model.coef_[0], weights, atol=1e-9)
        weights, bias = model.coef_[0], float(model.intercept_[0])
        if settled:
            break
    return weights, bias


def predict(inputs: list[Windows], weights: FloatArray, bias: float) -> FloatArray:
    return np.asarray(
        [np.mean([np.max(1 / (1 + np.exp(-(part @ weights + bias)))) for part in parts]) for parts in inputs]
    )


def held_out(inputs: list[Windows], labels: IntArray, sources: list[str]) -> dict[str, list[float]]:
    """ROC-AUC of the combiner fitted without the source, of the model, of the words; balanced accuracy."""
    table = {}
    for source in sorted(set(sources)):
        inside = [i for i, name in enumerate(sources) if name == source]
        outside = [i for i, name in enumerate(sources) if name != source]
        fitted = fit([inputs[i] for i in outside], labels[outside], [sources[i] for i in outside])
        rows, truth = [inputs[i] for i in inside], labels[inside]
        combined = predict(rows, *fitted)
        model, words = (
            [float(np.mean([part[:, column].max() for part in parts])) for parts in rows] for column in (0, 1)
        )
        table[source] = [
            *(float(roc_auc_score(truth, scores)) for scores in (combined, model, words)),
            float(balanced_accuracy_score(truth, combined > 0.5)),
        ]
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, default=TARGET)
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.data.read_text(encoding="utf-8").splitlines()]
    labels = np.asarray([row["label"] == "aligned" for row in rows], dtype=np.int64)
    sources = [
        row["source"].partition("_")[0] if row["source"].startswith("nli") else row["source"] for row in rows
    ]
    inputs = gather(rows)
    table = held_out(inputs, labels, sources)
    weights, bias = fit(inputs, labels, sources)

    view = Table("held-out source", "AUC combined", "AUC model", "AUC words", "bal. acc. combined")
    for source, values in table.items():
        view.add_row(source, *(f"{value:.3f}" for value in values))
    means: FloatArray = np.asarray(list(table.values())).mean(axis=0)
    view.add_row("mean", *(f"{value:.3f}" for value in means))
    Console().print(view)

    card = {
        "model": "align_mini",
        "bias": round(bias, 4),
        "weights": dict(zip(("aligned_logit", *FEATURES), np.round(weights, 4).tolist(), strict=True)),
        "card": {
            "fitted_by": "benchmarks/fit_lexical_combiner.py",
            "data": f"benchmarks/data/{options.data.name}; origin and licences in benchmarks/data/README.md",
            "rows": {source: sources.count(source) for source in sorted(set(sources))},
            "regularisation": f"L2, C = {1 / PENALTY}",
            "windows": "3 sentences, stride 2, rules splitter",
            "leave_one_source_out": dict(
                zip(
                    ("auc_combined", "auc_model_alone", "auc_words_alone", "balanced_accuracy_combined"),
                    np.round(means, 4).tolist(),
                    strict=True,
                )
            ),
            "not_used": "align_mini's training rows; the rows of benchmarks/data/faithfulness.jsonl",
        },
    }
    options.out.write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
