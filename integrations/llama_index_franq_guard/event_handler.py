"""FranqEventHandler: scores the answers of engines that nobody has wrapped."""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import Context, copy_context
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from llama_index.core.base.response.schema import (
    RESPONSE_TYPE,
    AsyncStreamingResponse,
    StreamingResponse,
)
from llama_index.core.instrumentation.events.synthesis import SynthesizeEndEvent
from llama_index.core.schema import MetadataMode
from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.base import BaseEvent
from llama_index_instrumentation.dispatcher import Dispatcher
from llama_index_instrumentation.event_handlers import BaseEventHandler
from pydantic import PrivateAttr

from franq_guard import ConfigError, Guard, GuardReport, Passage

from .checks import Checks, is_guarded
from .responses import question_of, text_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What an answer is checked with, and the context that it was written in."""

    question: str
    passages: tuple[Passage, ...]
    context: Context


class FranqEventHandler(BaseEventHandler):
    """Watches every response synthesizer of the process, and scores what it writes in the background.

    Observes and never changes an answer: LlamaIndex ignores whatever an event handler raises, so none can
    block. Scores arrive as `GuardEndEvent`s with the span and tags of the answer, in the guard's tracing
    sinks, and at `on_report`. Streams are scored once they were read to their end. Answers inside this
    package's wrappers are left to them, and so is the message that stands for an empty retrieval.

    Args:
        guard: the guard.
        on_report: called with each report, on the handler's thread.
        metadata_mode: which of the nodes' metadata belongs to the evidence; LLM is what the model saw.
        max_waiting: answers beyond this many unscored ones are dropped, and counted in `dropped`.

    Raises:
        ConfigError: if an argument has the wrong type or is out of range.

    Example:
        >>> with FranqEventHandler(guard, on_report=print):
        ...     engine.query("How tall is the Eiffel Tower?")
    """

    _checks: Checks = PrivateAttr()
    _on_report: Callable[[GuardReport], None] | None = PrivateAttr()
    _max_waiting: int = PrivateAttr()
    _executor: ThreadPoolExecutor = PrivateAttr()
    _waiting: set[Future[None]] = PrivateAttr(default_factory=set)
    _dropped: int = PrivateAttr(default=0)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)
    _dispatchers: list[Dispatcher] = PrivateAttr(default_factory=list)

    def __init__(
        self,
        guard: Guard,
        *,
        on_report: Callable[[GuardReport], None] | None = None,
        metadata_mode: MetadataMode = MetadataMode.LLM,
        max_waiting: int = 1000,
    ) -> None:
        super().__init__()
        if max_waiting < 1:
            raise ConfigError(f"max_waiting must be at least 1, got {max_waiting}")
        self._checks = Checks(guard, metadata_mode)
        self._on_report = on_report
        self._max_waiting = max_waiting
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="franq-guard-observer")

    @classmethod
    def class_name(cls) -> str:
        """Class name."""
        return "FranqEventHandler"

    @property
    def dropped(self) -> int:
        """Answers that were not scored because too many were waiting."""
        return self._dropped

    def attach(self, dispatcher: Dispatcher | None = None) -> Self:
        """Begins to listen.

        Args:
            dispatcher: where; None listens to everything.
        """
        target = dispatcher or get_dispatcher()
        target.add_event_handler(self)
        self._dispatchers.append(target)
        return self

    def detach(self) -> None:
        """Ceases to listen; answers that wait are still scored."""
        for target in self._dispatchers:
            # By identity: to pydantic, handlers with equal fields are equal.
            target.event_handlers = [handler for handler in target.event_handlers if handler is not self]
        self._dispatchers.clear()

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every answer seen so far was scored.

        Args:
            timeout: most seconds to wait; None for no limit.

        Returns:
            False if time ran out.
        """
        with self._lock:
            waiting = set(self._waiting)
        return not wait(waiting, timeout).not_done

    def close(self) -> None:
        """Ceases to listen, waits for what is to be scored, and ends the handler's thread."""
        self.detach()
        self._executor.shutdown(wait=True)

    def __enter__(self) -> Self:
        return self.attach()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        """Takes note of an event; returns at once."""
        if not isinstance(event, SynthesizeEndEvent) or is_guarded():
            return
        try:
            self._synthesized(question_of(event.query), event.response)
        except Exception:  # the dispatcher would swallow it without a word
            logger.exception("an answer could not be observed")

    def _synthesized(self, question: str, response: RESPONSE_TYPE) -> None:
        if not response.source_nodes:
            return
        asked = _Asked(question, self._checks.passages(response.source_nodes), copy_context())
        # No event tells when a stream ends or which one it was, so it is watched on its way to the reader.
        if isinstance(response, StreamingResponse):
            response.response_gen = self._watched(asked, response.response_gen)
        elif isinstance(response, AsyncStreamingResponse):
            response.response_gen = self._awatched(asked, response.response_gen)
        else:
            self._submit(asked, text_of(response))

    def _watched(self, asked: _Asked, pieces: Generator[str, None, None]) -> Generator[str, None, None]:
        seen: list[str] = []
        for piece in pieces:
            seen.append(piece or "")
            yield piece
        self._submit(asked, "".join(seen))

    async def _awatched(self, asked: _Asked, pieces: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
        seen: list[str] = []
        async for piece in pieces:
            seen.append(piece or "")
            yield piece
        self._submit(asked, "".join(seen))

    def _submit(self, asked: _Asked, answer: str) -> None:
        with self._lock:
            self._waiting = {future for future in self._waiting if not future.done()}
            if len(self._waiting) >= self._max_waiting:
                self._dropped += 1
                logger.warning("%d answers wait to be scored; this one is dropped", self._max_waiting)
                return
            # In the answer's context, so that events and traces find its span and tags.
            work = self._executor.submit(asked.context.run, self._check, asked, answer)
            self._waiting.add(work)

    def _check(self, asked: _Asked, answer: str) -> None:
        try:
            report = self._checks.check(asked.question, asked.passages, answer)
            if self._on_report is not None:
                self._on_report(report)
        except Exception:
            logger.exception("an observed answer could not be scored")
