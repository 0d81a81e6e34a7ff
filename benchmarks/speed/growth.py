"""How time grows with the number of claims and of passages: exponents, stage by stage.

Run: python -m benchmarks.speed.growth [--rounds 3]

The exponent is the slope of a straight line through (log size, log seconds). Answers of 1 to 50 claims are
made of whole sentences of real answers.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.speed import measuring, models
from benchmarks.speed.workload import Case, cases
from franq_guard import Guard
from franq_guard.claims import split_sentences

_CLAIMS = (1, 3, 10, 25, 50)
_PASSAGES = (1, 2, 5, 10, 20)


def answer_of(claims: int, first: int) -> str:
    """So many sentences, no two alike."""
    sentences: list[str] = []
    for case in cases(20, first=first):
        spans = split_sentences(case.answer)
        sentences.extend(span.text for span in spans if 8 <= len(span.text.split()) <= 25)
    return " ".join(dict.fromkeys(sentences[:claims]))


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Slope on logarithmic scales."""
    return round(float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0]), 3)


def exponents(sizes: Sequence[float], seconds: Sequence[float]) -> dict[str, float]:
    """Of all sizes, and of the three largest, where what every check costs weighs least."""
    return {"all sizes": exponent(sizes, seconds), "three largest": exponent(sizes[-3:], seconds[-3:])}


def measured(guard: Guard, work: Sequence[Case], stages: dict[str, list[float]]) -> int:
    """Checks each case; notes the median seconds of each stage; returns the claims of the last."""
    rows: list[dict[str, float]] = []
    for case in work:
        start = time.process_time()
        report = guard.check(case.question, case.passages, case.answer)
        rows.append({**report.timings, "processor": time.process_time() - start})
    for name in ("processor", "claims", "alignment", "log_probs", "scoring", "rewriting"):
        stages.setdefault(name, []).append(float(np.median([row[name] for row in rows])))
    return sum(claim.checkworthy for claim in report.claims)


def run(rounds: int) -> dict[str, Any]:
    guard = models.mini_guard(models.language_model(), models.alignment_model(), max_prompt_tokens=4000)
    guard.check(*(lambda c: (c.question, c.passages, c.answer))(cases(1, first=5000)[0]))
    by_claims: dict[str, list[float]] = {}
    claims = [
        measured(
            guard,
            [
                Case(case.question, case.passages, answer_of(count, 20 * number))
                for number, case in enumerate(cases(rounds, first=100 * count))
            ],
            by_claims,
        )
        for count in _CLAIMS
    ]
    by_passages: dict[str, list[float]] = {}
    for count in _PASSAGES:
        measured(guard, cases(rounds, first=2000, passages=count), by_passages)
    return {
        "rounds": rounds,
        "claims": {"sizes": claims, "passages": 5, "seconds": by_claims},
        "passages": {"sizes": _PASSAGES, "seconds": by_passages},
        "exponent in claims": exponents(claims, by_claims["processor"]),
        "exponent in passages": exponents(_PASSAGES, by_passages["processor"]),
        "clock": "processor seconds; stages on the clock",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    measuring.write("growth", run(options.rounds))


if __name__ == "__main__":
    main()
