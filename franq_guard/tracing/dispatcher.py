"""What a guard holds: its sinks, each behind a thread and a queue of its own."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections.abc import Iterable

from franq_guard.schema import GuardReport
from franq_guard.tracing.correlation import Correlation
from franq_guard.tracing.record import record_of
from franq_guard.tracing.sink import Sink
from franq_guard.tracing.worker import SinkStats, Worker, flush_all

logger = logging.getLogger(__name__)

_SHARED: weakref.WeakValueDictionary[int, Worker] = weakref.WeakValueDictionary()
"""Workers by the identity of their sink, so that guards that share a sink share its thread."""
_SHARING = threading.Lock()


class Tracing:
    """Hands reports to sinks. Safe to share between threads; true if there is any sink.

    Args:
        sinks: where reports go; a sink that several guards are given gets one thread for all of them.
    """

    def __init__(self, sinks: Iterable[Sink] = ()) -> None:
        self._workers = tuple(_worker(sink) for sink in sinks)

    def __bool__(self) -> bool:
        return bool(self._workers)

    @property
    def sinks(self) -> tuple[Sink, ...]:
        """The sinks, in order."""
        return tuple(worker.sink for worker in self._workers)

    def emit(self, report: GuardReport, correlation: Correlation | None = None) -> None:
        """Queues a report for every sink and returns; never raises, never waits for a sink.

        Args:
            report: of one answer, finished.
            correlation: the runs and spans that the answer belongs to.
        """
        if not self._workers:
            return
        try:
            record = record_of(report, correlation, end_time=time.time_ns())
            for worker in self._workers:
                worker.put(record, report)
        except Exception:  # tracing must never cost an answer
            logger.warning("a report could not be traced", exc_info=True)

    def flush(self, timeout: float = 5.0) -> bool:
        """Waits until everything emitted so far is sent.

        Args:
            timeout: seconds for all sinks together.

        Returns:
            False if a sink took longer, or records still wait for their trace to end.
        """
        return all(flush_all(self._workers, timeout).values())

    def stats(self) -> list[SinkStats]:
        """What became of the records, for each sink in order."""
        return [worker.stats for worker in self._workers]


def _worker(sink: Sink) -> Worker:
    with _SHARING:
        worker = _SHARED.get(id(sink))
        if worker is None:
            worker = _SHARED[id(sink)] = Worker(sink)
        return worker
