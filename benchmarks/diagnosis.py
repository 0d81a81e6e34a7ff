"""How often do the triggers fire where they should, and only there?

    python -m benchmarks.diagnosis [--json results.json]

Runs the `mini` preset over data/diagnosis_heldout.jsonl: question, passages, answer, one trigger, and
whether it
should fire on the answer. The cases were written before the rules, by the same hand. Each case counts for
its own trigger only.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from franq_guard import Guard, TriggerName

DATA = Path(__file__).parent / "data" / "diagnosis_heldout.jsonl"


def run(cases: list[dict[str, Any]], guard: Guard) -> list[dict[str, Any]]:
    """Each case with the names of the triggers that fired on any claim of its answer."""
    reports = guard.check_many(
        [{key: case[key] for key in ("question", "passages", "answer")} for case in cases]
    )
    return [
        case | {"found": sorted({t.name.value for claim in report.claims for t in claim.triggers})}
        for case, report in zip(cases, reports, strict=True)
    ]


def evaluate(results: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Precision, recall and counts by trigger, and over all."""
    table = {}
    for name in (*TriggerName, "all"):
        rows = [row for row in results if name in ("all", row["trigger"])]
        counts = Counter((row["fires"], row["trigger"] in row["found"]) for row in rows)
        hits, misses, alarms = counts[True, True], counts[True, False], counts[False, True]
        table[str(name)] = {
            "positive": hits + misses,
            "negative": alarms + counts[False, False],
            "precision": hits / (hits + alarms) if hits + alarms else None,
            "recall": hits / (hits + misses) if hits + misses else None,
            "wrong": [row["id"] for row in rows if row["fires"] != (row["trigger"] in row["found"])],
        }
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--calibration", help="a calibrator's file, or none; the preset's if left out")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    cases = [json.loads(line) for line in options.data.read_text(encoding="utf-8").splitlines()]
    guard = Guard.from_preset(
        "mini", device="cpu", dtype="float32", form="long", on_error="raise", calibration=options.calibration
    )
    results = evaluate(run(cases, guard))
    table = Table("trigger", "positive", "negative", "precision", "recall", "wrong")
    for name, entry in results.items():
        rates = ["-" if entry[key] is None else f"{entry[key]:.2f}" for key in ("precision", "recall")]
        wrong = "" if name == "all" else " ".join(case.rpartition("-")[2] for case in entry["wrong"])
        table.add_row(name, str(entry["positive"]), str(entry["negative"]), *rates, wrong)
    Console().print(table)
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
