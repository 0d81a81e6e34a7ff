"""Who is worked on, who waits, and who is told to come back: a busy service stays quick to say so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from franq_guard.errors import CheckTimeoutError
from franq_guard.serving.metrics import ServiceMetrics

Value = TypeVar("Value")


class Busy(Exception):
    """Too many requests wait already."""


class Turns:
    """Runs work on threads, some at a time; one for each event loop.

    Work whose request has timed out keeps its thread until it is done, so that no more than `concurrency`
    things are ever worked on.

    Args:
        concurrency: how much is worked on at once.
        max_waiting: how much more may wait.
        seconds: from asking to the result, waiting included.
        metrics: learns how many run and wait.
    """

    def __init__(
        self, *, concurrency: int, max_waiting: int, seconds: float, metrics: ServiceMetrics
    ) -> None:
        self._threads = ThreadPoolExecutor(max_workers=concurrency, thread_name_prefix="franq-guard serve")
        self._free = asyncio.Semaphore(concurrency)
        self._max_waiting = max_waiting
        self._seconds = seconds
        self._metrics = metrics
        self._running = self._waiting = 0

    async def run(self, work: Callable[[], Value]) -> Value:
        """Has work done in its turn.

        Raises:
            Busy: if too much waits already.
            CheckTimeoutError: if the time is over first.
        """
        if self._free.locked() and self._waiting >= self._max_waiting:
            raise Busy
        try:
            async with asyncio.timeout(self._seconds):
                await self._begin()
                done = asyncio.get_running_loop().run_in_executor(self._threads, work)
                done.add_done_callback(self._end)
                return await asyncio.shield(done)
        except TimeoutError as error:
            if isinstance(error, CheckTimeoutError):  # the work's own
                raise
            raise CheckTimeoutError(
                f"the request was not done within {self._seconds:g} s; send fewer or shorter answers at once"
            ) from None

    async def _begin(self) -> None:
        self._waiting += 1
        self._tell()
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1
        self._running += 1
        self._tell()

    def _end(self, done: asyncio.Future[Value]) -> None:
        self._free.release()
        self._running -= 1
        self._tell()
        if not done.cancelled():
            done.exception()  # whoever waited for it may be gone

    def _tell(self) -> None:
        self._metrics.load(self._running, self._waiting)

    def close(self) -> None:
        """Takes no more work; what runs is finished."""
        self._threads.shutdown(wait=False, cancel_futures=True)
