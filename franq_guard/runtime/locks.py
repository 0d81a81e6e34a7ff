"""A lock that a forked process finds open, whoever held it in its parent."""

from __future__ import annotations

import os
import threading
import weakref
from types import TracebackType

_locks: weakref.WeakSet[ForkLock] = weakref.WeakSet()


class ForkLock:
    """`threading.Lock` for what a forked process goes on using: the thread that held it is not there."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _locks.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def locked(self) -> bool:
        """True if somebody holds it."""
        return self._lock.locked()

    def _open(self) -> None:
        self._lock = threading.Lock()


def _open_all() -> None:
    for lock in list(_locks):
        lock._open()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_all)
