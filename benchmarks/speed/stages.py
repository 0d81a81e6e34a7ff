"""Where the time of a check goes: every stage at 1, 5 and 20 passages, and answers of 1, 10 and 50 sentences.

Run: python -m benchmarks.speed.stages [--checks 5]

For each size the median and the 95th percentile of the seconds on the clock, the tokens that the models read
in a second, and the peak of the process's resident set above what it held before. Nothing is remembered
between checks.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.speed import measuring, models
from benchmarks.speed.concurrency import Peak
from benchmarks.speed.growth import answer_of
from benchmarks.speed.workload import Case, cases
from franq_guard import Guard
from franq_guard.models.pair_classifier import PairClassifier
from franq_guard.models.transformers_lm import TransformersLM

PASSAGES = (1, 5, 20)
SENTENCES = (1, 10, 50)
STAGES = ("claims", "alignment", "log_probs", "scoring", "rewriting", "total")


class TokenCount:
    """Counts the tokens that both networks read, padding left out."""

    def __init__(self, lm: TransformersLM, aligner: PairClassifier) -> None:
        self.read: Counter[str] = Counter()
        for name, network in (("log_probs", lm._model), ("alignment", aligner._model)):
            network.register_forward_pre_hook(self._counter(name), with_kwargs=True)

    def _counter(self, name: str) -> Callable[..., None]:
        def count(_: Any, args: Any, given: dict[str, Any]) -> None:
            mask = given.get("attention_mask")
            ids = given["input_ids"]
            self.read[name] += int(mask.sum()) if mask is not None and mask.ndim == 2 else ids.numel()

        return count


def percentiles(rows: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Seconds of each stage."""
    return {
        stage: {
            f"p{share}": round(float(np.percentile([row[stage] for row in rows], share)), 4)
            for share in (50, 95)
        }
        for stage in STAGES
    }


def measured(guard: Guard, work: Sequence[Case], tokens: TokenCount) -> dict[str, Any]:
    """Checks each case once."""
    tokens.read.clear()
    rows, claims = [], []
    with Peak() as peak:
        for case in work:
            report = guard.check(case.question, case.passages, case.answer)
            rows.append(report.timings)
            claims.append(sum(claim.checkworthy for claim in report.claims))
    seconds = {stage: sum(row[stage] for row in rows) for stage in tokens.read}
    return {
        "claims": float(np.median(claims)),
        "checks": len(rows),
        "seconds": percentiles(rows),
        "tokens of a check": {stage: round(count / len(rows)) for stage, count in tokens.read.items()},
        "tokens a second": {stage: round(count / seconds[stage]) for stage, count in tokens.read.items()},
        "peak MiB": peak.mebibytes,
    }


def run(checks: int) -> dict[str, Any]:
    lm, aligner = models.language_model(), models.alignment_model()
    tokens = TokenCount(lm, aligner)
    guard = models.mini_guard(lm, aligner, max_prompt_tokens=4000)
    grid = []
    for passages in PASSAGES:
        for sentences in SENTENCES:
            # The largest take a minute each; they vary least.
            count = max(2, checks // (1 + passages * sentences // 100))
            first = 1000 * passages + 100 * sentences
            work = [
                Case(case.question, case.passages, answer_of(sentences, first + 20 * number))
                for number, case in enumerate(cases(count, first=first, passages=passages))
            ]
            grid.append({"passages": passages, "sentences": sentences} | measured(guard, work, tokens))
    return {"grid": grid}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checks", type=int, default=5)
    options = parser.parse_args()
    measuring.write("stages", run(options.checks))


if __name__ == "__main__":
    main()
