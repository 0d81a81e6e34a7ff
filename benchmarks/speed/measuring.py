"""Timing several ways of doing the same, in turns, and writing down what came out."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results"

Way = Callable[[int], Any]
"""Does the work of one round; gets the round's number, so that no round repeats another's work."""


def in_turns(
    ways: Mapping[str, Way],
    rounds: int,
    compare: Callable[[dict[str, Any]], None] | None = None,
    *,
    warm: bool = False,
) -> dict[str, dict[str, list[float]]]:
    """Runs every way once a round, each round in another order.

    Args:
        ways: by name.
        rounds: how many; one more, with other work, is done before and not timed.
        warm: everything has run before, so that no round need be done before.
        compare: given what the ways returned in a round; raises if they disagree.

    Returns:
        For each way the seconds of each round: on the clock ("wall"), and of the process, summed over threads
        ("cpu"), which neighbours on the machine disturb less.
    """
    seconds: dict[str, dict[str, list[float]]] = {name: {"wall": [], "cpu": []} for name in ways}
    names = list(ways)
    for name in [] if warm else names:
        ways[name](rounds)
    for number in range(rounds):
        found = {}
        for name in names[number % len(names) :] + names[: number % len(names)]:
            wall, cpu = time.perf_counter(), time.process_time()
            found[name] = ways[name](number)
            seconds[name]["cpu"].append(time.process_time() - cpu)
            seconds[name]["wall"].append(time.perf_counter() - wall)
        if compare is not None:
            compare(found)
    return seconds


def ratios(seconds: Mapping[str, Mapping[str, Sequence[float]]], of: str, to: str) -> dict[str, float]:
    """Medians over the rounds of how much longer `of` took than `to`, by each clock."""
    return {
        clock: round(
            statistics.median(a / b for a, b in zip(seconds[of][clock], seconds[to][clock], strict=True)),
            3,
        )
        for clock in ("wall", "cpu")
    }


def medians(seconds: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[str, dict[str, float]]:
    """Median seconds of each way, by each clock."""
    return {
        name: {clock: round(statistics.median(values), 4) for clock, values in clocks.items()}
        for name, clocks in seconds.items()
    }


def machine() -> dict[str, Any]:
    """Where this was measured, and how busy it was."""
    import torch
    import transformers

    return {
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "load": [round(value, 2) for value in os.getloadavg()],
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }


def write(name: str, result: Mapping[str, Any]) -> None:
    """Prints a result and keeps it as `benchmarks/results/speed_<name>.json`."""
    text = json.dumps({"benchmark": name, "machine": machine(), **result}, indent=1)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"speed_{name}.json").write_text(text + "\n", encoding="utf-8")
    print(text)
