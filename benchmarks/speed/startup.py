"""Import, loading, and the first answer after `warm_up` against those after it; each round is a new process.

Run: python -m benchmarks.speed.startup [--rounds 5]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

from benchmarks.speed import measuring

_STEADY = 4


def child() -> None:
    """Times one process from the inside."""
    start = time.perf_counter()
    import franq_guard

    imported = time.perf_counter() - start
    light = not {"torch", "transformers"} & set(sys.modules)
    start = time.perf_counter()
    guard = franq_guard.Guard.from_preset("mini", device="cpu", dtype="float32", form="long").warm_up()
    warmed = time.perf_counter() - start
    from benchmarks.speed.workload import cases

    seconds = []
    for case in cases(_STEADY + 1):
        start = time.process_time()
        guard.check(case.question, case.passages, case.answer)
        seconds.append((time.process_time() - start) / len(case.answer.split()))
    print(json.dumps({"import": imported, "light": light, "warm_up": warmed, "answers": seconds}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child", action="store_true")
    options = parser.parse_args()
    if options.child:
        child()
        return
    command = [sys.executable, "-m", "benchmarks.speed.startup", "--child"]
    found = []
    for _ in range(options.rounds):
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
        found.append(json.loads(done.stdout.splitlines()[-1]))
    first = [row["answers"][0] / statistics.median(row["answers"][1:]) for row in found]
    measuring.write(
        "startup",
        {
            "rounds": options.rounds,
            "import seconds": round(statistics.median(row["import"] for row in found), 3),
            "import without torch and transformers": all(row["light"] for row in found),
            "warm_up seconds": round(statistics.median(row["warm_up"] for row in found), 2),
            "first answer, times the steady state": round(statistics.median(first), 3),
            "clock": "processor seconds for each word of the answer",
        },
    )


if __name__ == "__main__":
    main()
