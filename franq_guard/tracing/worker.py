"""One background thread for one sink: a bounded queue in front of it, and counters around it."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from franq_guard.schema import GuardReport
from franq_guard.tracing.masking import masked_report
from franq_guard.tracing.record import Record
from franq_guard.tracing.sink import QUEUE_SIZE, RetryLaterError, Sink, UncorrelatedError

logger = logging.getLogger(__name__)

AT_EXIT_S = 5.0
"""What all sinks together may take when the interpreter ends."""
LOG_EVERY_S = 60.0
IDLE_S = 30.0
"""A thread with nothing to do for this long ends; the next record starts another."""
RETRY_FIRST_S, RETRY_MOST_S, GIVE_UP_S = 0.5, 15.0, 90.0
"""A record whose trace has not arrived is tried again after the first time, then the double, up to the most;
after the last time it counts as failed."""


@dataclass(frozen=True, slots=True)
class SinkStats:
    """What became of the records for one sink.

    Attributes:
        emitted: handed to the sink without an error.
        failed: the sink, or the mask, raised.
        uncorrelated: belong to no run or span that the sink could attach scores to.
        dropped: came while the queue was full.
        waiting: in the queue, at the sink, or waiting for another try.
    """

    emitted: int = 0
    failed: int = 0
    uncorrelated: int = 0
    dropped: int = 0
    waiting: int = 0


@dataclass(slots=True)
class _Item:
    record: Record
    report: GuardReport | None
    since: float = field(default_factory=time.monotonic)
    tries: int = 0
    due: float = 0.0


class Worker:
    """Runs a sink. `put` never waits for it; the thread starts with the first record.

    Args:
        sink: where records go.
    """

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.name = str(getattr(sink, "name", type(sink).__name__))
        self._capture_content = bool(getattr(sink, "capture_content", False))
        self._mask = getattr(sink, "mask", None)
        self._capacity = int(getattr(sink, "queue_size", QUEUE_SIZE))
        self._stats = SinkStats()
        self._complained = -LOG_EVERY_S
        self._reset()
        _WORKERS.add(self)

    @property
    def stats(self) -> SinkStats:
        """The counters now."""
        with self._changed:
            return replace(self._stats, waiting=self._waiting())

    def put(self, record: Record, report: GuardReport) -> None:
        """Queues a record, or drops it if the queue is full."""
        with self._changed:
            fits = self._waiting() < self._capacity
            if fits:
                self._queue.append(_Item(record, report if self._capture_content else None))
                self._queued += 1
                self._start()
                self._changed.notify_all()
            else:
                self._count("dropped")
        if not fits:
            self._complain(f"is too slow: {self._stats.dropped} records were dropped so far")

    def start_flush(self) -> int:
        """Asks for all that was put before to be sent; gives the ticket to wait for."""
        with self._changed:
            self._queue.extend(self._later)
            self._queued += len(self._later)
            self._later.clear()
            if self._thread is not None or self._queue:
                self._flush_at = self._queued
                self._start()
                self._changed.notify_all()
            return self._flush_at

    def wait_flushed(self, ticket: int, timeout: float) -> bool:
        """Waits for a flush that was asked for; False if that takes longer than `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self._flushed_at >= ticket, timeout)

    def _waiting(self) -> int:
        return len(self._queue) + len(self._later) + self._busy

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._queue: deque[_Item] = deque()
        self._later: list[_Item] = []
        self._busy = False
        self._thread: threading.Thread | None = None
        # Ever put into the queue, and ever dealt with: a flush is due once the latter reaches the former
        # as it was when the flush was asked for.
        self._queued = self._handled = 0
        self._flush_at = self._flushed_at = 0

    def _start(self) -> None:
        if self._thread is not None:
            return
        thread = threading.Thread(target=self._run, name=f"franq-guard-{self.name}", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # the interpreter is ending, or there are too many threads
            logger.debug("no thread for the tracing sink %s: %s", self.name, error)
            self._count("dropped", len(self._queue))
            self._handled += len(self._queue)
            self._flushed_at = self._flush_at
            self._queue.clear()
            return
        self._thread = thread
        _register_exit()

    def _run(self) -> None:
        while True:
            with self._changed:
                flush = self._handled >= self._flush_at > self._flushed_at
                item = None if flush else self._next()
                self._busy = item is not None
                if item is None and not flush and self._handled >= self._flush_at <= self._flushed_at:
                    self._thread = None
                    return
            if item is not None:
                self._emit(item)
            elif flush:
                self._flush()

    def _next(self) -> _Item | None:
        """The next record; None if a flush is due first, or nothing came for long."""
        while not self._queue:
            if self._flush_at > self._flushed_at:
                return None
            now = time.monotonic()
            due = [item for item in self._later if item.due <= now]
            if due:
                self._later = [item for item in self._later if item.due > now]
                self._queue.extend(due)
                self._queued += len(due)
                break
            wait = min((item.due - now for item in self._later), default=IDLE_S)
            if not self._changed.wait(wait) and not self._later:
                break
        return self._queue.popleft() if self._queue else None

    def _emit(self, item: _Item) -> None:
        counter = "emitted"
        try:
            record = item.record
            if item.report is not None:
                record = replace(record, content=masked_report(item.report, self._mask))
            self.sink.emit(record)
        except RetryLaterError as error:
            counter = "" if time.monotonic() - item.since < GIVE_UP_S else "failed"
            if counter:
                self._complain(f"gave up on a record: {error}")
        except UncorrelatedError as error:
            counter = "uncorrelated"
            self._complain(f"cannot place a record: {error}")
        except BaseException as error:  # even SystemExit must not end the thread of a sink
            counter = "failed"
            self._complain(f"failed: {type(error).__name__}: {error}")
        with self._changed:
            self._busy = False
            self._handled += 1
            if counter:
                self._count(counter)
            else:
                item.due = time.monotonic() + min(RETRY_MOST_S, RETRY_FIRST_S * 2**item.tries)
                item.tries += 1
                self._later.append(item)

    def _flush(self) -> None:
        with self._changed:
            ticket = self._flush_at
        try:
            self.sink.flush()
        except BaseException as error:
            self._complain(f"could not be flushed: {type(error).__name__}: {error}")
        with self._changed:
            self._flushed_at = ticket
            self._changed.notify_all()

    def _count(self, counter: str, by: int = 1) -> None:
        self._stats = replace(self._stats, **{counter: getattr(self._stats, counter) + by})

    def _complain(self, what: str) -> None:
        now = time.monotonic()
        if now - self._complained >= LOG_EVERY_S:
            self._complained = now
            logger.warning("tracing sink %s %s (said at most once a minute)", self.name, what)


def flush_all(workers: Iterable[Worker], timeout: float) -> dict[Worker, bool]:
    """Flushes all at once, so that one that hangs costs the others nothing; says which sent everything."""
    end = time.monotonic() + timeout
    workers = list(workers)
    found = _flush_once(workers, end)
    # What a sink's library held back may have been what records waited for.
    again = [worker for worker in workers if found[worker] and worker.stats.waiting]
    return found | {
        worker: in_time and not worker.stats.waiting for worker, in_time in _flush_once(again, end).items()
    }


def _flush_once(workers: list[Worker], end: float) -> dict[Worker, bool]:
    tickets = {worker: worker.start_flush() for worker in workers}
    return {
        worker: worker.wait_flushed(ticket, max(0.0, end - time.monotonic()))
        for worker, ticket in tickets.items()
    }


_WORKERS: weakref.WeakSet[Worker] = weakref.WeakSet()
_exit_registered = False


def _register_exit() -> None:
    global _exit_registered
    if not _exit_registered:
        _exit_registered = True
        atexit.register(_finish)


def _finish() -> None:
    for worker, sent in flush_all(list(_WORKERS), AT_EXIT_S).items():
        if not sent:
            logger.warning("tracing sink %s: %d records were not sent", worker.name, worker.stats.waiting)
            continue
        try:
            worker.sink.close()
        except Exception as error:
            logger.warning("tracing sink %s could not be closed: %s", worker.name, error)


def _after_fork() -> None:
    # The parent's thread sends what is queued; its locks may be held by threads that are not here.
    for worker in list(_WORKERS):
        worker._reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
