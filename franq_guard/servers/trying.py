"""Trying again, with jitter and within the time there is."""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Callable
from typing import TypeVar

from franq_guard.errors import ModelError

Value = TypeVar("Value")

_ATTEMPTS = 5
_FIRST_WAIT, _LONGEST_WAIT = 0.25, 8.0


class ServerRefusal(ModelError):
    """A server understood the request and does not want it; the same request will fare no better.

    Attributes:
        status: HTTP status.
    """

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


class Later(Exception):
    """A request failed in a way that may pass.

    Args:
        reason: what the server did, as the end of a sentence that starts with the server.
        after: its `Retry-After` header, in seconds or as a date.
        final: no time is left for another attempt.
    """

    def __init__(self, reason: str, *, after: str | None = None, final: bool = False) -> None:
        super().__init__(reason)
        self.after = retry_after(after)
        self.final = final


def retry_after(header: str | None) -> float | None:
    """Seconds that a `Retry-After` header asks to wait, at least 0; None if missing or not understood."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def with_retries(attempt: Callable[[], Value], left: Callable[[], float]) -> Value:
    """Calls `attempt` until it does not raise `Later`, a few times at most.

    It waits as long as the server asks, else exponentially longer with full jitter, so that many guards do
    not come back at once. A wait that would not leave time for another attempt is not begun.

    Args:
        attempt: makes one attempt.
        left: seconds that are left for everything.

    Raises:
        Later: that of the last attempt.
    """
    from tenacity import RetryCallState, Retrying, retry_if_exception, wait_random_exponential

    jitter = wait_random_exponential(multiplier=_FIRST_WAIT, max=_LONGEST_WAIT)

    def wait(state: RetryCallState) -> float:
        error = None if state.outcome is None else state.outcome.exception()
        asked = error.after if isinstance(error, Later) else None
        # On top of what it asks: others were told the same.
        return float(jitter(state)) if asked is None else asked + float(jitter(state)) / 4

    def stop(state: RetryCallState) -> bool:
        return state.attempt_number >= _ATTEMPTS or state.upcoming_sleep >= left()

    retrying = Retrying(
        retry=retry_if_exception(lambda error: isinstance(error, Later) and not error.final),
        wait=wait,
        stop=stop,
        reraise=True,
    )
    return retrying(attempt)
