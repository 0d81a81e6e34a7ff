"""A time limit that long work asks now and then."""

from __future__ import annotations

import time

from franq_guard.errors import CheckTimeoutError, FranqGuardError


class Deadline:
    """Starts to run when it is made.

    Args:
        seconds: the limit; None for none.
        of: what it is the rest of, as it is named in the error; by default itself.
    """

    def __init__(self, seconds: float | None, *, of: float | None = None) -> None:
        self._seconds = seconds if of is None else of
        self._end = None if seconds is None else time.monotonic() + seconds
        self._cancelled: FranqGuardError | None = None

    def left(self) -> float | None:
        """Seconds that are left, at least 0; None if there is no limit."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    def cancel(self, error: FranqGuardError | None = None) -> None:
        """Lets the limit pass now, for the reason in `error`; by default, because nobody waits any more."""
        self._end = time.monotonic()
        self._cancelled = error or CheckTimeoutError("the check was cancelled: nobody waits for its result")

    def check(self) -> None:
        """Raises CheckTimeoutError once the limit has passed, or the error that it was cancelled with."""
        if self._cancelled is not None:
            raise self._cancelled
        if self._end is not None and time.monotonic() > self._end:
            raise CheckTimeoutError(
                f"the check did not finish within its {self._seconds:g} s; raise `timeout`, use a faster "
                "device or a smaller model, or pass fewer passages"
            )
