"""How many altered claims are caught, with and without the comparison of numbers, negations and names?

    python -m benchmarks.altered_claims [--json results.json]

Takes 200 claims of data/faithfulness.jsonl that their contexts bear out (label "aligned", at least four
words), and changes one thing in each: a date, a number, an entity, or a negation, whatever is scarcest and
possible. Every
claim, as it was and altered, goes through the aligner as it was before (align_mini with lexical evidence)
and as it is shipped. A claim is flagged if it is not "supported". "shipped, with triggers" also counts claims
whose best evidence differs in a number or negation, or that are over-specified.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.metrics import roc_auc_score

from benchmarks.alterations import KINDS, alter
from franq_guard.alignment import Aligner, AlignmentJob, ClaimAlignment, LexicalCombiner, embedded_aligner
from franq_guard.diagnosis import Case
from franq_guard.diagnosis.over_specified import over_specified
from franq_guard.models.align_mini import load_align_mini
from franq_guard.schema import ScoredClaim, Span, Verdict

DATA = Path(__file__).parent / "data" / "faithfulness.jsonl"
LEAST_WORDS = 4
METHODS = ("before", "shipped", "shipped, with triggers")

Row = dict[str, Any]


def altered_rows(rows: list[Row], count: int, seed: int) -> list[Row]:
    """Supported claims with an altered copy each; scarce kinds of alteration go first."""
    wanted = [row for row in rows if row["label"] == "aligned" and len(row["claim"].split()) >= LEAST_WORDS]
    random.Random(seed).shuffle(wanted)  # noqa: S311
    claims = [row["claim"] for row in wanted]
    made: dict[str, Row] = {}
    used: Counter[str] = Counter()
    for kind in KINDS:
        limit = count // 3 if kind == "entity" else count
        for row in wanted:
            if len(made) == count or used[kind] == limit:
                break
            chance = random.Random(f"{seed}{row['id']}{kind}")  # noqa: S311
            text = (
                alter(row["claim"], row["context"], kind, claims, chance) if row["id"] not in made else None
            )
            if text is not None:
                made[row["id"]] = row | {"altered": text, "kind": kind}
                used[kind] += 1
    return list(made.values())


def flags(alignment: ClaimAlignment, context: str) -> tuple[bool, bool]:
    """Whether a claim is not supported, and whether that or a trigger flags it."""
    unsupported = alignment.verdict is not Verdict.SUPPORTED
    best = alignment.evidence(top=1)
    span = Span.of(alignment.claim, 0, len(alignment.claim))
    scored = ScoredClaim(index=0, text=alignment.claim, spans=(span,), sentence=span)
    too_fine = over_specified(Case("", [context], scored, alignment)) is not None
    return unsupported, unsupported or bool(best and best[0].differs) or too_fine


def evaluate(rows: list[Row]) -> dict[str, Any]:
    model = load_align_mini(device="cpu", dtype="float32")
    before = Aligner(model, combiner=LexicalCombiner.embedded())
    jobs = [AlignmentJob([row["claim"], row["altered"]], [row["context"]]) for row in rows]
    old, new = before.align(jobs), embedded_aligner(model).align(jobs)
    flagged: dict[str, list[tuple[bool, bool]]] = {name: [] for name in METHODS}
    for row, first, second in zip(rows, old, new, strict=True):
        after = [flags(alignment, row["context"]) for alignment in second]
        flagged["before"].append((flags(first[0], row["context"])[0], flags(first[1], row["context"])[0]))
        flagged["shipped"].append((after[0][0], after[1][0]))
        flagged["shipped, with triggers"].append((after[0][1], after[1][1]))
    kinds = np.asarray([row["kind"] for row in rows])
    supported = ~np.asarray(flagged["before"])[:, 0]
    results: dict[str, Any] = {}
    for kind in (*KINDS, "all"):
        inside = np.ones(len(rows), dtype=bool) if kind == "all" else kinds == kind
        if not inside.any():
            continue
        entry: dict[str, Any] = {
            "claims": int(inside.sum()),
            "supported_before": int((inside & supported).sum()),
        }
        for name in METHODS:
            values = np.asarray(flagged[name])
            entry[name] = {
                "altered_caught": int(values[inside, 1].sum()),
                "altered_caught_of_supported": int(values[inside & supported, 1].sum()),
                "unaltered_flagged": int(values[inside, 0].sum()),
                "unaltered_newly_flagged": int(values[inside & supported, 0].sum()),
            }
        for name, found in (("before", old), ("shipped", new)):
            scores = np.asarray([[a.p_faithful for a in pair] for pair in found])[inside]
            truth = np.asarray([[1, 0]] * len(scores)).ravel()
            entry[name]["roc_auc"] = round(float(roc_auc_score(truth, scores.ravel())), 4)
        results[kind] = entry
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.data.read_text(encoding="utf-8").splitlines()]
    results = evaluate(altered_rows(rows, options.count, options.seed))
    table = Table(
        "altered",
        "claims",
        "supported",
        title="altered caught / of those supported / unaltered newly flagged",
    )
    for name in METHODS:
        table.add_column(name, justify="right")
    for kind, entry in results.items():
        cells = [
            f"{entry[n]['altered_caught']} / {entry[n]['altered_caught_of_supported']} / "
            f"{entry[n]['unaltered_newly_flagged']}"
            for n in METHODS
        ]
        table.add_row(kind, str(entry["claims"]), str(entry["supported_before"]), *cells)
    Console(width=110).print(table)
    print(
        {kind: (entry["before"]["roc_auc"], entry["shipped"]["roc_auc"]) for kind, entry in results.items()}
    )
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
