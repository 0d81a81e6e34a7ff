"""How much time the work that is done here may still take: known to models without being handed through."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class TimeLimit(Protocol):
    """When work must be done."""

    def left(self) -> float | None:
        """Seconds that are left, at least 0; None if there is no limit."""
        ...

    def check(self) -> None:
        """Raises CheckTimeoutError once the limit has passed."""
        ...


_in_force: ContextVar[TimeLimit | None] = ContextVar("franq_guard_time_limit", default=None)


def time_limit() -> TimeLimit | None:
    """The limit that the calling thread or task works under; None if there is none."""
    return _in_force.get()


@contextmanager
def limited(limit: TimeLimit) -> Iterator[None]:
    """Puts a limit in force for what is called inside, on this thread or task."""
    token = _in_force.set(limit)
    try:
        yield
    finally:
        _in_force.reset(token)
