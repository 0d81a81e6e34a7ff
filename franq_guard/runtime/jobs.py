"""Work that waits for a model, and whose turn it is."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

Request = TypeVar("Request")
Result = TypeVar("Result")


class Job(Generic[Result]):
    """Something to be done by another thread; `done` is set when there is a result or an error."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.dropped = False
        self._error: BaseException | None = None

    @property
    def closed(self) -> bool:
        """True if nothing more needs to be done for it."""
        return self.dropped or self.done.is_set()

    def fail(self, error: BaseException) -> None:
        """Ends the job with an error."""
        self._error = error
        self.done.set()

    def outcome(self) -> Result:
        """The result of a job that is done; raises its error if it failed."""
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # breaks the cycle error -> traceback -> this frame -> error
        return self._result()

    def _result(self) -> Result:
        raise NotImplementedError


class Task(Job[Result]):
    """A call that has the model to itself."""

    def __init__(self, call: Callable[[], Result]) -> None:
        super().__init__()
        self.call = call
        self._value: list[Result] = []

    def run(self) -> None:
        """Makes the call."""
        try:
            self._value.append(self.call())
        except BaseException as error:
            self.fail(error)
        else:
            self.done.set()

    def _result(self) -> Result:
        return self._value[0]


class Requests(Job[list[Result]], Generic[Request, Result]):
    """Requests that may run together with those of others.

    Args:
        requests: at least one.
        sizes: of each, in the unit of the queue's budget.
    """

    def __init__(self, requests: Sequence[Request], sizes: Sequence[int]) -> None:
        super().__init__()
        self.requests = requests
        self.sizes = sizes
        self.next = 0
        self._results: dict[int, Result] = {}

    @property
    def all_started(self) -> bool:
        """True if no request waits any more."""
        return self.next == len(self.requests)

    def deliver(self, index: int, result: Result) -> None:
        """Stores the result of one request; the last one ends the job."""
        self._results[index] = result
        if len(self._results) == len(self.requests):
            self.done.set()

    def _result(self) -> list[Result]:
        return [self._results[index] for index in range(len(self.requests))]


Share = list[tuple[Requests[Any, Any], int]]
"""Which request of which job; what runs together."""


class FairQueue:
    """Jobs in the order of their turns; not safe to share by itself."""

    def __init__(self) -> None:
        self._jobs: deque[Job[Any]] = deque()

    def __len__(self) -> int:
        self._jobs = deque(job for job in self._jobs if not job.closed)
        return len(self._jobs)

    def add(self, job: Job[Any]) -> None:
        """Puts a job last."""
        self._jobs.append(job)

    def take(self, budget: int) -> Task[Any] | Share:
        """The next thing to do: a task alone, or requests up to a total size, one of each job in turn.

        A single request larger than the budget goes alone. Jobs of which something is left go to the end, so
        that whoever came in between has a turn before them. There must be a job that is not closed.
        """
        first = self._jobs[0]
        if isinstance(first, Task):
            self._jobs.popleft()
            return first
        turns = deque(job for job in self._jobs if isinstance(job, Requests))
        share: Share = []
        served: dict[int, None] = {}
        room = budget
        while turns:
            job = turns.popleft()
            size = job.sizes[job.next]
            if share and size > room:
                turns.appendleft(job)
                break
            room -= size
            share.append((job, job.next))
            served[id(job)] = None
            job.next += 1
            if not job.all_started:
                turns.append(job)
        behind = [job for job in turns if id(job) in served]
        self._jobs = deque([*(job for job in self._jobs if id(job) not in served), *behind])
        return share
