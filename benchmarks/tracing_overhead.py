"""What tracing costs: the same check without sinks, and with sinks that work, are slow, raise, or hang.

    python benchmarks/tracing_overhead.py [--checks 20] [--out overhead.json]

All variants take turns in one process, in an order that is shuffled anew each round, so that what else the
machine does falls on all of them alike. Reported are ratios to the check without sinks, with a 95 % bootstrap
interval of the ratio of medians, and the time that `emit` itself takes.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from franq_guard import Guard, GuardReport
from franq_guard.tracing import BaseSink, JsonlSink, OpenTelemetrySink, Record, SinkStats, Tracing

# Short texts: the quicker the check, the more an overhead would show.
QUESTION = "How tall is the Eiffel Tower?"
PASSAGES = ["The Eiffel Tower is 330 metres tall."]
ANSWER = "The Eiffel Tower is 330 metres tall. Leonardo da Vinci designed it."


class Slow(BaseSink):
    """Takes 50 ms for each record, as a request would."""

    def emit(self, record: Record) -> None:
        """Waits."""
        time.sleep(0.05)


class Raising(BaseSink):
    """Fails on each record."""

    def emit(self, record: Record) -> None:
        """Raises."""
        raise OSError("connection refused")


class Hanging(BaseSink):
    """Never comes back."""

    def emit(self, record: Record) -> None:
        """Waits for ever."""
        time.sleep(1e6)


def _opentelemetry() -> OpenTelemetrySink:
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.trace import TracerProvider

    return OpenTelemetrySink(
        tracer_provider=TracerProvider(), logger_provider=LoggerProvider(), meter_provider=MeterProvider()
    )


def variants(folder: Path) -> dict[str, Tracing]:
    """Sinks by the name of the variant; "none" is what the others are compared with."""
    return {
        "none": Tracing(),
        "none, again": Tracing(),
        "jsonl": Tracing([JsonlSink(folder / "claims.jsonl")]),
        "jsonl with content": Tracing([JsonlSink(folder / "content.jsonl", capture_content=True)]),
        "opentelemetry": Tracing([_opentelemetry()]),
        "slow": Tracing([Slow()]),
        "raising": Tracing([Raising()]),
        "hanging": Tracing([Hanging(queue_size=10)]),
    }


def measure(guard: Guard, checks: int, seed: int) -> dict[str, Any]:
    """Runs all variants in turns.

    Args:
        guard: loaded.
        checks: how many for each variant.
        seed: of the order and the bootstrap.
    """
    order = random.Random(seed)  # noqa: S311
    with tempfile.TemporaryDirectory() as folder:
        found = variants(Path(folder))
        seconds: dict[str, list[float]] = {name: [] for name in found}
        texts: set[str] = set()
        report: GuardReport | None = None
        for _ in range(checks):
            for name in order.sample(list(found), len(found)):
                guard.tracing = found[name]
                start = time.perf_counter()
                report = guard.check(QUESTION, PASSAGES, ANSWER)
                seconds[name].append(time.perf_counter() - start)
                texts.add(report.text)
        assert report is not None
        assert len(texts) == 1, "a sink changed the answer"
        emit = _time_emit(found["hanging"], report)
        stats = {name: _plain(tracing.stats()) for name, tracing in found.items() if tracing}
        for name, tracing in found.items():
            if name != "hanging":
                tracing.flush(30)
        guard.tracing = found["none"]
    base = seconds["none"]
    return {
        "checks": checks,
        "median_seconds_without": statistics.median(base),
        "ratios": {name: _ratio(values, base, seed) for name, values in seconds.items() if name != "none"},
        "emit_median_ms": emit * 1e3,
        "stats_before_flush": stats,
    }


def _time_emit(tracing: Tracing, report: GuardReport) -> float:
    times = []
    for _ in range(500):
        start = time.perf_counter()
        tracing.emit(report)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _ratio(values: list[float], base: list[float], seed: int) -> dict[str, float]:
    generator = np.random.default_rng(seed)
    one, other = np.asarray(values), np.asarray(base)
    # Rounds are drawn together: both sides of a round saw the same machine.
    rows = generator.integers(0, len(one), size=(2000, len(one)))
    ratios = np.median(one[rows], axis=1) / np.median(other[rows], axis=1)
    low, high = np.quantile(ratios, [0.025, 0.975])
    return {"ratio": float(np.median(one) / np.median(other)), "low": float(low), "high": float(high)}


def _plain(stats: list[SinkStats]) -> dict[str, int]:
    [one] = stats
    return {"emitted": one.emitted, "failed": one.failed, "dropped": one.dropped, "waiting": one.waiting}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--checks", type=int, default=20, help="for each variant")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="JSON file for the numbers")
    arguments = parser.parse_args()
    logging.getLogger("franq_guard").setLevel(logging.ERROR)
    guard = Guard.from_preset("mini", device="cpu", form="long", calibration="none").warm_up()
    guard.check(QUESTION, PASSAGES, ANSWER)
    found = measure(guard, arguments.checks, arguments.seed)
    print(f"without sinks: {found['median_seconds_without'] * 1e3:.1f} ms (median of {found['checks']})")
    for name, ratio in found["ratios"].items():
        print(f"{name:>20}: x {ratio['ratio']:.3f}  [{ratio['low']:.3f}, {ratio['high']:.3f}]")
    print(f"emit itself: {found['emit_median_ms']:.3f} ms")
    for name, stats in found["stats_before_flush"].items():
        print(f"{name:>20}: {stats}")
    if arguments.out is not None:
        arguments.out.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
