"""How far a check overruns its deadline when it comes in the midst of a batch, with the embedded models.

Run: python -m benchmarks.deadline [--rounds 5]

Checks of 20 passages and answers of 50 sentences take many times longer than any of the deadlines. The
overrun is the time from the call to the caller's answer, divided by the deadline, less one.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable
from typing import Any

from benchmarks.speed import measuring, models
from benchmarks.speed.growth import answer_of
from benchmarks.speed.workload import cases
from franq_guard import CheckTimeoutError, Guard

TIMEOUTS = (0.25, 0.5, 1.0, 2.0)


def ways(guard: Guard, given: tuple[Any, ...]) -> dict[str, Callable[[], Any]]:
    """How a check can be called."""
    question, passages, answer = given
    item = {"question": question, "passages": passages, "answer": answer}
    return {
        "check": lambda: guard.check(*given),
        "acheck": lambda: asyncio.run(guard.acheck(*given)),
        "check_many": lambda: guard.check_many([item, item]),
        "stream": lambda: list(guard.stream(question, passages, [answer])),
    }


def overrun(call: Callable[[], Any], timeout: float) -> float:
    """Of one call, as a share of the deadline."""
    begun = time.perf_counter()
    try:
        call()
    except CheckTimeoutError:
        return (time.perf_counter() - begun) / timeout - 1
    raise SystemExit("the check was done before its deadline: nothing was measured")


def run(rounds: int) -> dict[str, Any]:
    lm, aligner = models.language_model(), models.alignment_model()
    found: dict[str, dict[str, float]] = {}
    for timeout in TIMEOUTS:
        guard = models.mini_guard(lm, aligner, max_prompt_tokens=4000, timeout=timeout)
        worst: dict[str, list[float]] = {}
        for number in range(rounds):
            [case] = cases(1, first=number, passages=20)
            given = (case.question, list(case.passages), answer_of(50, 20 * number))
            for name, call in ways(guard, given).items():
                worst.setdefault(name, []).append(overrun(call, timeout))
                time.sleep(2.0)  # what was under way ends
        guard.close()
        found[f"{timeout:g} s"] = {name: round(max(values), 4) for name, values in worst.items()}
    return {"rounds": rounds, "largest overrun, share of the deadline": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    measuring.write("deadline", run(parser.parse_args().rounds))


if __name__ == "__main__":
    main()
