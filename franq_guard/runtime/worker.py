"""One thread for each model: it gathers what is asked from many threads, and runs it together."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from franq_guard.errors import ModelError
from franq_guard.runtime.jobs import FairQueue, Job, Requests, Share, Task
from franq_guard.runtime.memory import run_within_memory
from franq_guard.runtime.time_limit import time_limit

logger = logging.getLogger(__name__)

Request = TypeVar("Request")
Result = TypeVar("Result")
Value = TypeVar("Value")

_MOST_JOBS = 1024
_STEPS_TO_RECOVER = 32
_SECONDS_IDLE = 10.0
_SECONDS_AT_EXIT = 5.0

_workers: weakref.WeakSet[ModelWorker[Any, Any]] = weakref.WeakSet()


class ModelWorker(Generic[Request, Result]):
    """Runs the requests of all callers on one thread, several at a time, and each caller in its turn.

    A caller waits until its results are there, or its time is up (`time_limit`): then it gets
    CheckTimeoutError at once, also while its requests run, and what was not started is dropped. A request
    that fails takes nobody else's with it. When memory runs out, fewer requests run at once.

    The thread starts with the first request and ends when there was nothing to do for a while, or with the
    process. A forked process gets a thread of its own.

    Args:
        run: gives one result for each request, in order; results must not depend on what runs together.
        size: of a request, in the unit of `budget`, say tokens.
        budget: the most that runs together; a single larger request goes alone. After each such batch,
            whoever came meanwhile has a turn.
        linger: seconds to wait for others before a batch is begun; only if the last batch was for several
            callers, and only until as many are there again.
        most_jobs: callers that may wait; beyond it they are refused.
        name: of the thread.
    """

    def __init__(
        self,
        run: Callable[[Sequence[Request]], Sequence[Result]],
        *,
        size: Callable[[Request], int],
        budget: int,
        linger: float = 0.002,
        most_jobs: int = _MOST_JOBS,
        name: str = "model",
    ) -> None:
        self._run = run
        self._size = size
        self._budget = self._room = budget
        self._linger = linger
        self._most_jobs = most_jobs
        self._name = name
        self._forked = False
        self._reset()
        _workers.add(self)

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._queue = FairQueue()
        self._thread: threading.Thread | None = None
        self._callers = 0
        self._ending = False

    def score(self, requests: Sequence[Request]) -> list[Result]:
        """Has requests run, and waits for their results; order is kept.

        Raises:
            CheckTimeoutError: if the time limit in force passes.
            ModelError: if too many callers wait, or a single request does not fit the memory.
        """
        if not requests:
            return []
        if self._is_here():
            return run_within_memory(self._run, requests)
        return self._wait(Requests(requests, [self._size(request) for request in requests]))

    def exclusively(self, call: Callable[[], Value]) -> Value:
        """Has something else done with the model while nobody else uses it, and waits for its result.

        Raises:
            CheckTimeoutError: as `score`.
            ModelError: as `score`.
        """
        return call() if self._is_here() else self._wait(Task(lambda: _alone(call)))

    def _is_here(self) -> bool:
        return self._thread is threading.current_thread()

    def _wait(self, job: Job[Value]) -> Value:
        limit = time_limit()
        if limit is not None:
            limit.check()
        self._add(job)
        try:
            while not job.done.wait(None if limit is None else limit.left()):
                if limit is not None:
                    limit.check()
            return job.outcome()
        finally:
            job.dropped = True

    def _add(self, job: Job[Any]) -> None:
        with self._changed:
            if len(self._queue) >= self._most_jobs:
                raise ModelError(
                    f"{self._most_jobs} callers already wait for the {self._name}: check fewer answers at "
                    "once, or use more processes"
                )
            if self._thread is None:
                # Daemonic: a process that wants to end must not wait until the thread is idle.
                thread = threading.Thread(target=self._work, name=f"franq-guard {self._name}", daemon=True)
                thread.start()  # fails where the system allows no more threads, and as an interpreter ends
                self._thread = thread
            self._queue.add(job)
            self._changed.notify_all()

    def _work(self) -> None:
        if self._forked:
            _use_one_core()
        while True:
            with self._changed:
                if not self._changed.wait_for(lambda: self._ending or len(self._queue), _SECONDS_IDLE):
                    self._thread = None
                    return
                if self._ending:
                    return
                if self._callers > 1 and self._linger:
                    self._changed.wait_for(lambda: len(self._queue) >= self._callers, self._linger)
                    if not len(self._queue):
                        continue
                piece = self._queue.take(self._room)
            if isinstance(piece, Task):
                piece.run()
            else:
                self._callers = len({id(job) for job, _ in piece})
                # What did not fit the memory may fit later: other programs come and go.
                self._room = min(self._budget, self._room + self._budget // _STEPS_TO_RECOVER)
                self._run_share(piece)
            # What was run is held by its callers alone, also while this thread waits.
            del piece

    def _run_share(self, share: Share) -> None:
        jobs = {id(job): job for job, _ in share}
        try:
            results = run_within_memory(
                self._run, [job.requests[index] for job, index in share], self._take_less
            )
        except BaseException as error:
            if len(jobs) == 1:
                share[0][0].fail(error)
                return
        else:
            for (job, index), result in zip(share, results, strict=True):
                job.deliver(index, result)
            return
        for only in jobs.values():
            self._run_share([(job, index) for job, index in share if job is only])

    def _take_less(self) -> None:
        self._room = max(1, self._room // 2)

    def end(self) -> None:
        """Ends the thread after what it runs now; for the end of the process."""
        with self._changed:
            self._ending = True
            thread = self._thread
            self._changed.notify_all()
        if thread is not None:
            thread.join(_SECONDS_AT_EXIT)

    def _after_fork(self) -> None:
        # Whoever held the lock, and whoever waited, is not there any more.
        self._reset()
        self._forked = True


def _alone(call: Callable[[], Value]) -> Value:
    [value] = run_within_memory(lambda _: [call()], [None])
    return value


def _use_one_core() -> None:
    """A process that was forked off one that ran parallel loops must not run any: its threads are missing."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


def _after_fork() -> None:
    for worker in list(_workers):
        worker._after_fork()


def _end_all() -> None:
    for worker in list(_workers):
        worker.end()


atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
