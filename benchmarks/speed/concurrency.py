"""Many answers at once against one after the other: time, identical scores, memory beyond the weights.

Run: python -m benchmarks.speed.concurrency [--answers 8 32] [--rounds 3] [--all]

The sequential side calls `Guard.check` for each answer; the concurrent side awaits `Guard.acheck` for all at
once. With `--all` also from as many threads, and all together in `Guard.check_many`. Nothing is remembered
between rounds. Memory is the peak of the process's resident set while the concurrent side runs, minus what it
held with the models loaded and one answer checked before.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import gc
import statistics
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed import measuring, models
from benchmarks.speed.workload import Case, cases
from franq_guard import Guard, GuardReport

_PAGE = 4096


def resident_bytes() -> int:
    """Resident set of this process (Linux)."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE


class Peak:
    """Watches the resident set from another thread."""

    def __enter__(self) -> Peak:
        gc.collect()
        if sys.platform == "linux":
            ctypes.CDLL("libc.so.6").malloc_trim(0)
        self.before = self.highest = resident_bytes()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._ended.wait(0.002):
            self.highest = max(self.highest, resident_bytes())

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def mebibytes(self) -> float:
        """Highest minus first."""
        return round((self.highest - self.before) / 2**20, 1)


def numbers(reports: list[GuardReport]) -> list[list[float]]:
    return [
        [
            value
            for claim in report.claims
            if claim.p_true is not None
            for value in (
                claim.signals.max_claim_log_prob or 0.0,
                claim.signals.parametric_log_prob or 0.0,
                claim.signals.alignment or 0.0,
            )
        ]
        for report in reports
    ]


def largest_difference(one: list[GuardReport], other: list[GuardReport]) -> float:
    gaps = [
        float((np.abs(np.subtract(a, b)) / np.maximum(np.abs(b), 1.0)).max(initial=0.0))
        for a, b in zip(numbers(one), numbers(other), strict=True)
    ]
    return max(gaps)


async def _awaited(guard: Guard, work: list[Case]) -> list[GuardReport]:
    return list(await asyncio.gather(*(guard.acheck(c.question, c.passages, c.answer) for c in work)))


def run(guard: Guard, answers: int, rounds: int, passages: int, *, every: bool = False) -> dict[str, Any]:
    """The table for one number of answers."""
    peaks: list[float] = []
    gaps: list[float] = []

    def work(number: int) -> list[Case]:
        return cases(answers, first=answers * number, passages=passages)

    def one_by_one(number: int) -> list[GuardReport]:
        return [guard.check(c.question, c.passages, c.answer) for c in work(number)]

    def at_once(number: int) -> list[GuardReport]:
        with Peak() as peak:
            found = asyncio.run(_awaited(guard, work(number)))
        peaks.append(peak.mebibytes)
        return found

    def threads(number: int) -> list[GuardReport]:
        with ThreadPoolExecutor(answers) as pool:
            return list(pool.map(lambda c: guard.check(c.question, c.passages, c.answer), work(number)))

    def together(number: int) -> list[GuardReport]:
        return guard.check_many([case.item() for case in work(number)])

    def compare(found: dict[str, Any]) -> None:
        gaps.extend(largest_difference(found[name], found["one by one"]) for name in found)
        assert max(gaps) < 1e-4, f"scores depend on what runs beside them: {max(gaps)}"

    ways: dict[str, measuring.Way] = {"one by one": one_by_one, "awaited at once": at_once}
    if every:
        ways |= {"threads": threads, "check_many": together}
    seconds = measuring.in_turns(ways, rounds, compare, warm=True)
    return {
        "answers": answers,
        "passages": passages,
        "rounds": rounds,
        "seconds": measuring.medians(seconds),
        "share of the sequential time": {
            name: measuring.ratios(seconds, name, "one by one") for name in seconds if name != "one by one"
        },
        "largest difference of a score, relative": max(gaps),
        "peak MiB beyond the loaded models": {"median": statistics.median(peaks), "largest": max(peaks)},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, nargs="+", default=[8, 32])
    parser.add_argument("--passages", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    guard = models.mini_guard(models.language_model(), models.alignment_model())
    [case] = cases(1, first=10_000)
    guard.check(case.question, case.passages, case.answer)
    tables = [
        run(guard, answers, options.rounds, options.passages, every=options.all)
        for answers in options.answers
    ]
    guard.close()
    measuring.write("concurrency", {"tables": tables})


if __name__ == "__main__":
    main()
