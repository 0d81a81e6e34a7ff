"""Responses of query engines and synthesizers, guarded: the same kind comes out that went in."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from llama_index.core.base.response.schema import (
    RESPONSE_TYPE,
    AsyncStreamingResponse,
    PydanticResponse,
    Response,
    StreamingResponse,
)
from llama_index.core.schema import QueryType

from franq_guard import GuardReport, InputError, Passage
from franq_guard.blocking import blocked_claims

from .checks import Checks, Receiver

METADATA_KEY = "franq_guard"
"""Where the report lies in a response's metadata."""


def report_of(response: Any) -> GuardReport | None:
    """Reads the report that a wrapper of this package left with a response.

    Args:
        response: of a query engine, a synthesizer or a chat engine.

    Returns:
        None if there is none (yet): that of a stream is there once the stream has ended.
    """
    metadata = getattr(response, "metadata", None)
    if not isinstance(metadata, Mapping) or METADATA_KEY not in metadata:
        return None
    return GuardReport.from_dict(metadata[METADATA_KEY])


def question_of(query: QueryType) -> str:
    """What was asked."""
    return query if isinstance(query, str) else query.query_str


@dataclass(frozen=True, slots=True)
class ResponseGuard:
    """Guards responses of any kind."""

    checks: Checks

    def guarded(self, question: str, response: RESPONSE_TYPE) -> RESPONSE_TYPE:
        """Checks a response, or wraps its stream.

        A structured response is never edited, since its fields have types: it is handed on as it is with its
        report, or withheld (`response=None`) if anything in it was blocked.

        Raises:
            InputError: if it is of no known kind.
            AnswerBlockedError: if it was blocked and that is to raise.
            FranqGuardError: if the check fails and the guard's `on_error` is "raise".
        """
        if isinstance(response, StreamingResponse | AsyncStreamingResponse):
            return self._streaming(question, response)
        text = text_of(response)
        passages = self.checks.passages(response.source_nodes)
        return _rewritten(response, self.checks.check(question, passages, text))

    async def aguarded(self, question: str, response: RESPONSE_TYPE) -> RESPONSE_TYPE:
        """`guarded` for event loops."""
        if isinstance(response, StreamingResponse | AsyncStreamingResponse):
            return self._streaming(question, response)
        text = text_of(response)
        passages = self.checks.passages(response.source_nodes)
        return _rewritten(response, await self.checks.acheck(question, passages, text))

    def _streaming(
        self, question: str, response: StreamingResponse | AsyncStreamingResponse
    ) -> StreamingResponse | AsyncStreamingResponse:
        metadata = dict(response.metadata or {})
        passages = self.checks.passages(response.source_nodes)
        if isinstance(response, StreamingResponse):
            return replace(
                response,
                response_gen=self._pieces(question, passages, response, metadata),
                metadata=metadata,
                response_txt=None,
            )
        return replace(
            response,
            response_gen=self._apieces(question, passages, response, metadata),
            metadata=metadata,
            response_txt=None,
        )

    def _pieces(
        self,
        question: str,
        passages: tuple[Passage, ...],
        response: StreamingResponse,
        metadata: dict[str, Any],
    ) -> Generator[str, None, None]:
        # A response that somebody has read already keeps its text here, and its generator is empty.
        raw = response.response_gen if response.response_txt is None else iter([response.response_txt])
        yield from self.checks.stream(question, passages, raw, receiver(metadata))

    async def _apieces(
        self,
        question: str,
        passages: tuple[Passage, ...],
        response: AsyncStreamingResponse,
        metadata: dict[str, Any],
    ) -> AsyncGenerator[str, None]:
        raw = response.async_response_gen()
        async with aclosing(self.checks.astream(question, passages, raw, receiver(metadata))) as pieces:
            async for text in pieces:
                yield text


def receiver(metadata: dict[str, Any]) -> Receiver:
    """Puts the report of a stream into metadata that the caller holds already."""

    def receive(report: GuardReport) -> None:
        metadata[METADATA_KEY] = report.to_dict()

    return receive


def text_of(response: Any) -> str:
    """The text of a response that does not stream; that of a structured one is all texts in it.

    Raises:
        InputError: if it is no such response.
    """
    if isinstance(response, PydanticResponse):
        return "\n\n".join(texts_in(response.response.model_dump())) if response.response else ""
    if isinstance(response, Response):
        return response.response or ""
    raise InputError(f"expected a response of a query engine or synthesizer, not {type(response).__name__}")


def texts_in(value: Any) -> list[str]:
    """All texts in plain data, in order; keys of mappings are no texts."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in texts_in(item)]
    if isinstance(value, list | tuple | set | frozenset):
        return [text for item in value for text in texts_in(item)]
    return []


def _rewritten(response: RESPONSE_TYPE, report: GuardReport) -> RESPONSE_TYPE:
    metadata = {**(response.metadata or {}), METADATA_KEY: report.to_dict()}
    if isinstance(response, PydanticResponse):
        withheld = report.blocked or blocked_claims(report.claims)
        return replace(response, response=None if withheld else response.response, metadata=metadata)
    if isinstance(response, Response) and response.response is not None:
        return replace(response, response=report.text, metadata=metadata)
    return replace(response, metadata=metadata)
