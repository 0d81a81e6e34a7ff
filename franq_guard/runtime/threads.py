"""Threads for work that is awaited on event loops, or only as long as there is time."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Generic, ParamSpec, TypeVar

from franq_guard.errors import FranqGuardError
from franq_guard.runtime.locks import ForkLock
from franq_guard.runtime.time_limit import TimeLimit

Value = TypeVar("Value")
Arguments = ParamSpec("Arguments")


class Threads:
    """A pool that starts with the first piece of work, ends when it is closed, and then may start again.

    A forked process starts its own: a pool that was begun before the fork has no threads there.

    Args:
        most: pieces of work that are under way at once; others wait.
        name: of the threads.
    """

    def __init__(self, most: int, *, name: str) -> None:
        self._most = most
        self._name = name
        self._lock = ForkLock()  # held on event loops, so never while something is waited for
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def submit(
        self, call: Callable[Arguments, Value], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Future[Value]:
        """Has something done. `close` cancels it if it was not begun by then."""
        with self._lock:
            if self._pool is None or self._process != os.getpid():
                self._pool = ThreadPoolExecutor(self._most, thread_name_prefix=self._name)
                self._process = os.getpid()
            return self._pool.submit(call, *args, **kwargs)

    async def run(
        self, call: Callable[Arguments, Value], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Value:
        """Has something done and waits for it.

        Raises:
            ClosedError: if the threads were closed before it was begun.
        """
        work = self.submit(call, *args, **kwargs)
        waiting = asyncio.wrap_future(work)
        try:
            await asyncio.wait({waiting})
        except asyncio.CancelledError:
            work.cancel()
            raise
        return result_of(waiting)

    def close(self) -> None:
        """Lets what is under way finish, and cancels the rest; returns at once."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None and self._process == os.getpid():
            pool.shutdown(wait=False, cancel_futures=True)


class ClosedError(FranqGuardError):
    """The guard was closed before the work was begun."""


def result_of(work: asyncio.Future[Value]) -> Value:
    """The result of work that is done.

    Raises:
        ClosedError: if its threads were closed before it was begun; whoever waits was not cancelled.
    """
    if work.cancelled():
        raise ClosedError("the guard was closed before this check was begun")
    return work.result()


class BackgroundCall(Generic[Value]):
    """A call that takes long, and that several may wait for, each only as long as it has time.

    It goes on when nobody waits any more; while it runs it is not made again. The outcome is not kept.

    Args:
        call: is made on a thread of its own.
        name: of the thread.
    """

    def __init__(self, call: Callable[[], Value], *, name: str) -> None:
        self._call = call
        self._name = name
        self._lock = ForkLock()
        self._running: Future[Value] | None = None
        self._process = 0

    def wait(self, limit: TimeLimit) -> Value:
        """Makes the call if it is not under way, and waits for its outcome.

        Raises:
            CheckTimeoutError: if the limit passes first.
        """
        with self._lock:
            if self._running is None or self._process != os.getpid():
                self._running, self._process = Future(), os.getpid()
                # Daemonic: a process that wants to end must not wait for it.
                threading.Thread(target=self._run, args=[self._running], name=self._name, daemon=True).start()
            running = self._running
        while not wait([running], limit.left()).done:
            limit.check()
        return running.result()

    def _run(self, outcome: Future[Value]) -> None:
        try:
            value = self._call()
        except BaseException as error:
            self._end()
            outcome.set_exception(error)
        else:
            self._end()
            outcome.set_result(value)

    def _end(self) -> None:
        with self._lock:
            self._running = None
