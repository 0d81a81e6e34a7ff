"""Many mixed requests at once, for a while: is each answered as if it were alone, and does nothing leak?

Threads and event loops send checks, batches and streams; among them are inputs that make the model fail,
checks that run out of time, and checks that are cancelled. Every result is compared with its own from before.

    python benchmarks/soak.py --minutes 20
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.weightless import weightless_guard
from franq_guard import Guard, GuardReport

QUESTION = "How tall is the tower?"
PASSAGES = ["The tower is 330 metres tall.", "The tower was built by Gustave Eiffel in 1889."]
POISON = "poison"
_CASES = 60


@dataclass
class Outcome:
    """What happened.

    Attributes:
        requests: by kind.
        wrong: results that differ from their own, one line each.
        threads: alive before the first request, and after the last.
        memory: (seconds, resident bytes), now and then.
    """

    requests: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    threads: tuple[int, int] = (0, 0)
    memory: list[tuple[float, int]] = field(default_factory=list)

    @property
    def growth(self) -> int:
        """Bytes between the end of the first quarter and the end."""
        return self.memory[-1][1] - self.memory[len(self.memory) // 4][1]


class Soak:
    """Sends requests until it is told to stop.

    Args:
        requests: stop after so many.
        seconds: stop after so long.
        callers: threads, and as many tasks on an event loop.
        seed: of what is asked.
    """

    def __init__(
        self, *, requests: int | None = None, seconds: float | None = None, callers: int = 4, seed: int = 0
    ) -> None:
        self.outcome = Outcome()
        self._left = requests
        self._seconds = seconds
        self._end: float | None = None
        self._callers = callers
        self._random = random.Random(seed)  # noqa: S311
        self._lock = threading.Lock()
        self._guard = weightless_guard(seconds=0.0005, poison=POISON, form="long", drift_window=50)
        self._hurried = weightless_guard(seconds=0.02, form="long", timeout=0.001)
        self._cases = [_answer(number) for number in range(_CASES)]
        self._expected = [self._guard.check(QUESTION, PASSAGES, answer) for answer in self._cases]
        self._streamed = [_streamed(self._guard, answer) for answer in self._cases]

    def run(self) -> Outcome:
        """Sends them, and waits for all."""
        begun = time.monotonic()
        self._end = None if self._seconds is None else begun + self._seconds
        before = threading.active_count()
        threads = [threading.Thread(target=self._thread) for _ in range(self._callers)]
        threads.append(threading.Thread(target=lambda: asyncio.run(self._loop())))
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            self.outcome.memory.append((time.monotonic() - begun, resident_bytes()))
            threads[0].join(0.25 if self._end is None else 2.0)
        for thread in threads:
            thread.join()
        self._guard.close()
        self._hurried.close()
        gc.collect()
        self.outcome.memory.append((time.monotonic() - begun, resident_bytes()))
        # Pools end soon, and model workers when they were idle for some seconds.
        patience = time.monotonic() + 20
        while threading.active_count() > before and time.monotonic() < patience:
            time.sleep(0.1)
        self.outcome.threads = before, threading.active_count()
        return self.outcome

    def _next(self, kinds: tuple[str, ...]) -> tuple[str, int] | None:
        with self._lock:
            if self._left is not None:
                self._left -= 1
                if self._left < 0:
                    return None
            if self._end is not None and time.monotonic() > self._end:
                return None
            kind = self._random.choice(kinds)
            self.outcome.requests[kind] += 1
            return kind, self._random.randrange(_CASES)

    def _thread(self) -> None:
        calls: dict[str, Callable[[int], None]] = {
            "check": lambda at: self._compare(self._guard.check(QUESTION, PASSAGES, self._cases[at]), at),
            "check_many": self._many,
            "stream": lambda at: self._same(_streamed(self._guard, self._cases[at]), self._streamed[at], at),
            "timeout": lambda at: self._late(self._hurried.check(QUESTION, PASSAGES, self._cases[at])),
        }
        while (chosen := self._next(tuple(calls))) is not None:
            self._guarded(chosen[0], lambda chosen=chosen: calls[chosen[0]](chosen[1]))  # type: ignore[misc]

    def _guarded(self, kind: str, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception as error:
            self.outcome.wrong.append(f"{kind} raised {type(error).__name__}: {error}")

    async def _loop(self) -> None:
        tasks = [asyncio.create_task(self._caller()) for _ in range(self._callers)]
        await asyncio.gather(*tasks)
        left = len(asyncio.all_tasks()) - 1
        if left:
            self.outcome.wrong.append(f"{left} tasks are left on the loop")

    async def _caller(self) -> None:
        calls = {
            "acheck": self._awaited,
            "astream": self._astream,
            "cancel": self._cancel,
            "late": self._alate,
        }
        while (chosen := self._next(tuple(calls))) is not None:
            try:
                await calls[chosen[0]](chosen[1])
            except Exception as error:
                self.outcome.wrong.append(f"{chosen[0]} raised {type(error).__name__}: {error}")

    async def _awaited(self, at: int) -> None:
        self._compare(await self._guard.acheck(QUESTION, PASSAGES, self._cases[at]), at)

    async def _astream(self, at: int) -> None:
        async def pieces() -> Any:
            for piece in _pieces(self._cases[at]):
                await asyncio.sleep(0)
                yield piece

        found = [piece async for piece in self._guard.astream(QUESTION, PASSAGES, pieces())]
        self._same(_essence(found[-1].report), self._streamed[at], at)

    async def _cancel(self, at: int) -> None:
        task = asyncio.create_task(self._guard.acheck(QUESTION, PASSAGES, self._cases[at]))
        await asyncio.sleep(0.001 * (at % 5))
        task.cancel()
        try:
            self._compare(await task, at)
        except asyncio.CancelledError:
            pass

    async def _alate(self, at: int) -> None:
        self._late(await self._hurried.acheck(QUESTION, PASSAGES, self._cases[at]))

    def _many(self, at: int) -> None:
        chosen = [index for index in range(at, min(at + 4, _CASES)) if POISON not in self._cases[index]]
        items = [
            {"question": QUESTION, "passages": PASSAGES, "answer": self._cases[index]} for index in chosen
        ]
        for report, index in zip(self._guard.check_many(items), chosen, strict=True):
            self._compare(report, index)

    def _late(self, report: GuardReport) -> None:
        if not (report.error or "").startswith("CheckTimeoutError") or report.coverage.scored:
            self.outcome.wrong.append(f"had too little time, and gave {report.error}")

    def _compare(self, report: GuardReport, at: int) -> None:
        self._same(_essence(report), _essence(self._expected[at]), at)

    def _same(self, found: Any, expected: Any, at: int) -> None:
        if found != expected:
            self.outcome.wrong.append(f"case {at}: {found} instead of {expected}"[:400])


def resident_bytes() -> int:
    """Memory of this process that is in use."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * 4096


def _answer(number: int) -> str:
    if number % 10 == 9:
        return f"The {POISON} number {number} is strong. It is green."
    return f"The tower is {300 + number} metres tall. It was built in {1850 + number}. The castle is old."


def _pieces(answer: str) -> list[str]:
    return [answer[at : at + 7] for at in range(0, len(answer), 7)]


def _streamed(guard: Guard, answer: str) -> Any:
    *_, last = guard.stream(QUESTION, PASSAGES, _pieces(answer))
    return _essence(last.report)


def _essence(report: GuardReport | None) -> Any:
    """All of a report but its timings."""
    if report is None:
        raise AssertionError("a stream ended without a report")
    return report.answer, report.text, report.claims, report.error, report.coverage, report.notes


def main() -> None:
    """Runs, prints what was found, and exits with 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--callers", type=int, default=4, help="threads, and as many tasks")
    parser.add_argument("--growth", type=float, default=30.0, help="MiB of growth that pass")
    options = parser.parse_args()
    import logging

    logging.getLogger("franq_guard").setLevel(logging.CRITICAL)
    outcome = Soak(seconds=60 * options.minutes, callers=options.callers).run()
    for kind, count in sorted(outcome.requests.items()):
        print(f"{count:9,}  {kind}")
    print(f"{sum(outcome.requests.values()):9,}  requests, {len(outcome.wrong)} wrong results")
    step = max(1, len(outcome.memory) // 10)
    print("memory in MiB: " + " ".join(f"{size / 2**20:.0f}" for _, size in outcome.memory[::step]))
    print(f"growth after the first quarter: {outcome.growth / 2**20:.1f} MiB; threads {outcome.threads}")
    for line in outcome.wrong[:10]:
        print(line)
    sys.exit(bool(outcome.wrong) or outcome.growth > options.growth * 2**20)


if __name__ == "__main__":
    main()
