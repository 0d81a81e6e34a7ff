"""Fits the weights that lower a window's score where numbers or negations differ from the claim's.

    python -m benchmarks.fit_mismatch_penalty

Logistic regression on the log-odds of the shipped score and the mismatch features; the features' weights are
divided by that of the log-odds, so that they are in its units. The rows are those of
data/lexical_combiner_fit.jsonl, and of each aligned row one altered copy for every kind of alteration that
fits (`benchmarks.alterations`), as rows that are not aligned. Half of the weight lies on aligned rows, a
quarter on other rows, and a quarter on altered ones. Weights above 0 are set to 0. The printed numbers are
for contexts held out, five folds.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.optimize import minimize
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

import franq_guard.alignment
from benchmarks.alterations import KINDS, alter
from franq_guard.alignment import Aligner, AlignmentJob, LexicalCombiner
from franq_guard.alignment.mismatch import FEATURES, MismatchIndex, MismatchPenalty
from franq_guard.claims import split_sentences
from franq_guard.models.align_mini import load_align_mini
from franq_guard.models.base import FloatArray

DATA = Path(__file__).parent / "data" / "lexical_combiner_fit.jsonl"
TARGET = Path(franq_guard.alignment.__file__).parent / "mismatch_penalty.json"
PENALTY = 0.1
FOLDS = 5
ROUNDS = 10

Row = dict[str, Any]


def rows_with_alterations(path: Path, seed: int) -> list[Row]:
    rows: list[Row] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    aligned = [row for row in rows if row["label"] == "aligned" and not row["source"].startswith("numbers")]
    claims = [row["claim"] for row in aligned]
    altered = []
    for row in aligned:
        for kind in KINDS:
            chance = random.Random(f"{seed}{row['claim']}{kind}")  # noqa: S311
            claim = alter(row["claim"], row["context"], kind, claims, chance)
            if claim is not None:
                altered.append(row | {"claim": claim, "label": "altered", "altered": kind, "original": row})
    return rows + altered


def gather(rows: list[Row]) -> list[tuple[list[FloatArray], list[FloatArray]]]:
    """For each row and sentence of its claim: scores (W,) and features (W, 3)."""
    aligner = Aligner(load_align_mini(device="cpu", dtype="float32"), combiner=LexicalCombiner.embedded())
    results = aligner.align([AlignmentJob([row["claim"]], [row["context"]]) for row in rows])
    gathered = []
    for (result,) in results:
        every = np.arange(len(result.windows))
        numbers = MismatchIndex(result.windows, split_sentences)
        features = [numbers.features(part, every) for part in result.sentences]
        gathered.append((list(result.scores), features))
    return gathered


def logit(p: FloatArray) -> FloatArray:
    clipped = np.clip(p, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))


def importance(rows: list[Row]) -> FloatArray:
    """Weight of each row: original data and alterations count the same, and so do the classes in each."""
    classes = [
        "altered" if "altered" in row else "aligned" if row["label"] == "aligned" else "other" for row in rows
    ]
    shares = {"altered": 0.25, "aligned": 0.5, "other": 0.25}
    return np.asarray([shares[c] / classes.count(c) for c in classes]) * len(rows)


def fit(gathered: list[Any], labels: FloatArray, weight: FloatArray) -> FloatArray:
    weights = np.zeros(len(FEATURES))
    for _ in range(ROUNDS):
        offsets, inputs, targets, shares = [], [], [], []
        for (scores, features), label, share in zip(gathered, labels, weight, strict=True):
            for s, f in zip(scores, features, strict=True):
                chosen = int((logit(s) + f @ weights).argmax())
                offsets.append(logit(s[chosen]))
                inputs.append(f[chosen])
                targets.append(2 * label - 1)
                shares.append(share / len(scores))
        x, o, t, w = (np.asarray(values) for values in (inputs, offsets, targets, shares))

        def loss(p: FloatArray, x: Any = x, o: Any = o, t: Any = t, w: Any = w) -> float:
            margin = t * (p[-1] + p[-2] * o + x @ p[:-2])
            return float(np.sum(w * np.logaddexp(0, -margin)) + PENALTY * np.sum(p[:-2] ** 2))

        bounds = [(None, 0.0)] * len(FEATURES) + [(0.1, None), (None, None)]
        best = minimize(loss, np.append(weights, [1.0, 0.0]), bounds=bounds, method="L-BFGS-B").x
        found = best[:-2] / best[-2]
        settled = np.allclose(found, weights, atol=1e-4)
        weights = found
        if settled:
            break
    return np.asarray(weights)


def predict(gathered: list[Any], weights: FloatArray) -> FloatArray:
    penalty = MismatchPenalty(tuple(weights))
    return np.asarray(
        [
            np.mean([penalty.apply(s, f).max() for s, f in zip(scores, features, strict=True)])
            if scores
            else 0.0
            for scores, features in gathered
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, default=TARGET)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    rows = rows_with_alterations(options.data, options.seed)
    gathered = gather(rows)
    labels = np.asarray([float(row["label"] == "aligned") for row in rows])
    weight = importance(rows)
    contexts = {text: i for i, text in enumerate(dict.fromkeys(row["context"] for row in rows))}
    fold = np.asarray([contexts[row["context"]] for row in rows]) % FOLDS

    held_out = np.zeros(len(rows))
    for k in range(FOLDS):
        inside = np.flatnonzero(fold != k)
        weights = fit([gathered[i] for i in inside], labels[inside], weight[inside])
        for i in np.flatnonzero(fold == k):
            held_out[i] = predict([gathered[i]], weights)[0]
    before = predict(gathered, np.zeros(len(FEATURES)))
    view = Table("rows", "n", "ROC-AUC before", "after", "bal. acc. before", "after", title="held out")
    summary: dict[str, list[float]] = {}
    plain = np.asarray(["altered" not in row for row in rows])
    groups = {"as they are": plain} | {
        f"aligned against {kind} altered": np.asarray(
            [row.get("altered") == kind or (row["label"] == "aligned") for row in rows]
        )
        for kind in KINDS
    }
    for name, inside_ in groups.items():
        values = [
            float(metric(labels[inside_], scores))
            for metric, scores in (
                (roc_auc_score, before[inside_]),
                (roc_auc_score, held_out[inside_]),
                (balanced_accuracy_score, before[inside_] > 0.5),
                (balanced_accuracy_score, held_out[inside_] > 0.5),
            )
        ]
        summary[name] = [round(value, 4) for value in values]
        view.add_row(name, str(int(inside_.sum())), *(f"{value:.3f}" for value in values))
    Console().print(view)
    weights = fit(gathered, labels, weight)
    print(dict(zip(FEATURES, np.round(weights, 3).tolist(), strict=True)))
    card = {
        "weights": dict(zip(FEATURES, np.round(weights, 4).tolist(), strict=True)),
        "card": {
            "fitted_by": "benchmarks/fit_mismatch_penalty.py",
            "data": f"benchmarks/data/{options.data.name}, and alterations of its aligned rows",
            "rows": {"as they are": int(plain.sum())}
            | {kind: sum(row.get("altered") == kind for row in rows) for kind in KINDS},
            "regularisation": f"L2, {PENALTY}",
            "offset": "log-odds of align_mini with the lexical combiner",
            "held_out": {
                "columns": ["auc_before", "auc_after", "balanced_accuracy_before", "balanced_accuracy_after"],
                **summary,
            },
            "not_used": "the rows of benchmarks/data/faithfulness.jsonl",
        },
    }
    options.out.write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
