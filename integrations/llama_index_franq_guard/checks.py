"""One answer through the guard, with events before and after: what all wrappers of this package share."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal, get_args

from llama_index.core.schema import MetadataMode, NodeWithScore
from llama_index_instrumentation.span import active_span_id

from franq_guard import ConfigError, Guard, GuardReport, Passage
from franq_guard.blocking import AnswerBlockedError, blocked_claims
from franq_guard.tracing import Correlation

from .events import GuardEndEvent, GuardStartEvent, dispatcher
from .evidence import as_passages
from .pieces import ajoined, atexts, joined, texts

if TYPE_CHECKING:
    from franq_guard.streaming import StreamedPiece

OnBlocked = Literal["rewrite", "raise"]
"""What happens to a blocked answer: the policy's text is handed on, or AnswerBlockedError is raised."""

EMPTY_RESPONSE = "Empty Response"
"""What LlamaIndex says in place of an answer if nothing was retrieved."""

Receiver = Callable[[GuardReport], None]

_UUID_LENGTH = 36

_guarding: ContextVar[bool] = ContextVar("franq_guard_guarding", default=False)


@contextmanager
def guarding() -> Iterator[None]:
    """Around calls of what is guarded here, so that an observer does not score the same answer again."""
    token = _guarding.set(True)
    try:
        yield
    finally:
        _guarding.reset(token)


def is_guarded() -> bool:
    """True inside `guarding`, on the same thread or task or one that it started."""
    return _guarding.get()


@dataclass(frozen=True, slots=True)
class Checks:
    """A guard and how it is used here.

    Attributes:
        guard: does the work.
        metadata_mode: which of the nodes' metadata belongs to the evidence.
        on_blocked: see `OnBlocked`.

    Raises:
        ConfigError: if `guard` is no Guard, or `on_blocked` is unknown.
    """

    guard: Guard
    metadata_mode: MetadataMode = MetadataMode.LLM
    on_blocked: OnBlocked = "rewrite"

    def __post_init__(self) -> None:
        if not isinstance(self.guard, Guard):
            raise ConfigError(f"guard must be a franq_guard.Guard, not {type(self.guard).__name__}")
        if self.on_blocked not in get_args(OnBlocked):
            raise ConfigError(f"on_blocked must be 'rewrite' or 'raise', got {self.on_blocked!r}")

    def passages(self, nodes: Sequence[NodeWithScore] | None) -> tuple[Passage, ...]:
        """The nodes as evidence."""
        return as_passages(nodes, MetadataMode(self.metadata_mode))

    def check(self, question: str, passages: Sequence[Passage], answer: str) -> GuardReport:
        """Checks a whole answer.

        Raises:
            AnswerBlockedError: if it was blocked and that is to raise.
            FranqGuardError: if the check fails and the guard's `on_error` is "raise".
        """
        self._start(question, passages)
        if _is_canned(passages, answer):
            return self._end(_nothing_found(question))
        return self._end(self.guard.check(question, passages, answer, correlation=correlation()))

    async def acheck(self, question: str, passages: Sequence[Passage], answer: str) -> GuardReport:
        """`check` for event loops; the models run on the guard's own thread."""
        self._start(question, passages)
        if _is_canned(passages, answer):
            return self._end(_nothing_found(question))
        report = await self.guard.acheck(question, passages, answer, correlation=correlation())
        return self._end(report)

    def stream(
        self, question: str, passages: Sequence[Passage], pieces: Iterable[str | None], receive: Receiver
    ) -> Iterator[str]:
        """Releases each sentence as soon as it was scored.

        Args:
            question: what was asked.
            passages: the evidence.
            pieces: the answer as it comes.
            receive: given the report at the end, before the last piece is released.

        Raises:
            AnswerBlockedError: in place of a blocked sentence, if that is to raise; what came before was
                released.
            FranqGuardError: if the check fails and the guard's `on_error` is "raise".
        """
        self._start(question, passages)
        source = texts(pieces)
        if not passages:
            head = list(islice(source, 2))
            if head == [EMPTY_RESPONSE]:
                receive(self._end(_nothing_found(question)))
                yield EMPTY_RESPONSE
                return
            source = joined(head, source)
        for piece in self.guard.stream(question, passages, source, correlation=correlation()):
            if text := self._released(piece, receive):
                yield text

    async def astream(
        self, question: str, passages: Sequence[Passage], pieces: AsyncIterable[str | None], receive: Receiver
    ) -> AsyncGenerator[str, None]:
        """`stream` for event loops."""
        self._start(question, passages)
        source = atexts(pieces)
        if not passages:
            head = [piece for piece in [await anext(source, ""), await anext(source, "")] if piece]
            if head == [EMPTY_RESPONSE]:
                receive(self._end(_nothing_found(question)))
                yield EMPTY_RESPONSE
                return
            source = ajoined(head, source)
        released = self.guard.astream(question, passages, source, correlation=correlation())
        try:
            async for piece in released:
                if text := self._released(piece, receive):
                    yield text
        finally:
            if isinstance(released, AsyncGenerator):  # else it would be closed some time later
                await released.aclose()

    def _start(self, question: str, passages: Sequence[Passage]) -> None:
        dispatcher.event(GuardStartEvent(question=question, passages=len(passages)))

    def _released(self, piece: StreamedPiece, receive: Receiver) -> str:
        if piece.report is not None:
            receive(piece.report)
            self._end(piece.report)
        elif self.on_blocked == "raise" and (blocked := blocked_claims(piece.claims)):
            raise AnswerBlockedError(blocked)
        return piece.text

    def _end(self, report: GuardReport) -> GuardReport:
        dispatcher.event(GuardEndEvent(report=report))
        if self.on_blocked == "raise":
            blocked = blocked_claims(report.claims)
            if blocked or report.blocked:
                raise AnswerBlockedError(blocked, report)
        return report


def _is_canned(passages: Sequence[Passage], answer: str) -> bool:
    return not passages and answer == EMPTY_RESPONSE


def _nothing_found(question: str) -> GuardReport:
    return GuardReport(
        question=question,
        passages=(),
        answer=EMPTY_RESPONSE,
        text=EMPTY_RESPONSE,
        notes=("nothing was retrieved: no model wrote this text, and there is nothing to check in it",),
    )


def correlation() -> Correlation:
    """What is current in the tracing libraries, with LlamaIndex's span for a run where there is none."""
    current = Correlation.current()
    span = active_span_id.get()
    if span is None or current.run_id is not None:
        return current
    return replace(current, run_id=span[-_UUID_LENGTH:])
