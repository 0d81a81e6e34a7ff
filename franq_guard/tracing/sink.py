"""What a sink is, and what it may raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from franq_guard.errors import ConfigError, FranqGuardError
from franq_guard.tracing.record import Record

Mask = Callable[[str], str]
"""Replaces what must not leave in a text; called off the hot path."""

QUEUE_SIZE = 1000
"""Records that wait for a sink; those beyond are dropped and counted."""


@runtime_checkable
class Sink(Protocol):
    """Sends records somewhere.

    All calls come from one background thread, never two at a time. A sink may be slow, raise or hang:
    neither an answer nor another sink notices.
    """

    def emit(self, record: Record) -> None:
        """Sends one record.

        Raises:
            UncorrelatedError: if the record names nothing that this sink could attach scores to.
            RetryLaterError: if it should be tried again, because what scores attach to is not there yet.
            Exception: anything else counts as a failure; the record is lost.
        """

    def flush(self) -> None:
        """Sends what `emit` only collected."""

    def close(self) -> None:
        """Lets go of files and connections; called when the interpreter ends."""


class BaseSink:
    """Base of the sinks here, and a convenient one for your own: override `emit`.

    Args:
        capture_content: whether records bring the texts of question, passages and answer.
        mask: called with every text that records bring.
        queue_size: records that wait at most; those beyond are dropped and counted.

    Raises:
        ConfigError: if a mask is given that is not a function, or `queue_size` is not positive.
    """

    def __init__(
        self, *, capture_content: bool = False, mask: Mask | None = None, queue_size: int = QUEUE_SIZE
    ) -> None:
        if mask is not None and not callable(mask):
            raise ConfigError(f"mask must be a function from str to str, not {type(mask).__name__}")
        if queue_size < 1:
            raise ConfigError(f"queue_size must be at least 1, not {queue_size}")
        self.capture_content = capture_content
        self.mask = mask
        self.queue_size = queue_size

    def emit(self, record: Record) -> None:
        """Sends one record; see `Sink`."""
        raise NotImplementedError(f"{type(self).__name__} must define emit")

    def flush(self) -> None:
        """Nothing to do where `emit` sends at once."""

    def close(self) -> None:
        """Nothing to do where nothing is held."""


class UncorrelatedError(FranqGuardError):
    """A record names no run or span that the sink could attach scores to."""


class RetryLaterError(FranqGuardError):
    """What the scores belong to has not arrived yet."""


def missing_package(sink: str, extra: str, error: ImportError) -> ConfigError:
    """The error for a sink whose library is not installed."""
    return ConfigError(
        f"the tracing sink {sink!r} needs a package that is missing ({error}): "
        f"pip install 'franq-guard[{extra}]'"
    )
