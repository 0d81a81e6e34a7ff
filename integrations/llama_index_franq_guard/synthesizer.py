"""FranqSynthesizer: a response synthesizer whose answers are guarded."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Sequence
from typing import Any

from llama_index.core.base.response.schema import (
    RESPONSE_TYPE,
    AsyncStreamingResponse,
    PydanticResponse,
    Response,
    StreamingResponse,
)
from llama_index.core.prompts.mixin import PromptDictType, PromptMixinType
from llama_index.core.response_synthesizers import BaseSynthesizer
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryType, TextNode
from llama_index.core.types import RESPONSE_TEXT_TYPE
from llama_index_instrumentation import get_dispatcher
from pydantic import BaseModel

from franq_guard import ConfigError, Guard
from franq_guard.blocking import AnswerBlockedError, blocked_claims

from .checks import Checks, OnBlocked, guarding
from .responses import ResponseGuard, question_of, report_of

dispatcher = get_dispatcher(__name__)


class FranqSynthesizer(BaseSynthesizer):
    """Guards what any response synthesizer writes, for engines that take one.

    The evidence is the nodes that the answer was written from. The report lies in
    `metadata["franq_guard"]`, see `report_of`.

    Args:
        synthesizer: the synthesizer; it is not changed, but switching this one's streaming switches its.
        guard: the guard; its `on_error` says what happens when a check fails.
        metadata_mode: which of the nodes' metadata belongs to the evidence; LLM is what the model saw.
        on_blocked: "rewrite" hands on what the policy makes of a blocked answer, "raise" raises
            AnswerBlockedError instead.

    Raises:
        ConfigError: if an argument has the wrong type.

    Example:
        >>> synthesizer = FranqSynthesizer(get_response_synthesizer(llm=llm), guard)
        >>> engine = RetrieverQueryEngine(retriever, response_synthesizer=synthesizer)
    """

    def __init__(
        self,
        synthesizer: BaseSynthesizer,
        guard: Guard,
        *,
        metadata_mode: MetadataMode = MetadataMode.LLM,
        on_blocked: OnBlocked = "rewrite",
    ) -> None:
        if not isinstance(synthesizer, BaseSynthesizer):
            raise ConfigError(
                f"synthesizer must be a LlamaIndex response synthesizer, not {type(synthesizer).__name__}; "
                "make one with get_response_synthesizer()"
            )
        self._inner = synthesizer
        self._responses = ResponseGuard(Checks(guard, metadata_mode, on_blocked))
        # Not BaseSynthesizer.__init__: it would set up a second model, prompt helper and callback manager.
        self._llm = synthesizer._llm
        self._output_cls = synthesizer._output_cls

    @property
    def _streaming(self) -> bool:
        # CondenseQuestionChatEngine switches this attribute of the synthesizer that it finds.
        return self._inner._streaming

    @_streaming.setter
    def _streaming(self, value: bool) -> None:
        self._inner._streaming = value

    @property
    def callback_manager(self) -> Any:
        """That of the synthesizer inside."""
        return self._inner.callback_manager

    @callback_manager.setter
    def callback_manager(self, callback_manager: Any) -> None:
        self._inner.callback_manager = callback_manager

    @dispatcher.span
    def synthesize(
        self,
        query: QueryType,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **response_kwargs: Any,
    ) -> RESPONSE_TYPE:
        """Writes an answer with the synthesizer inside, and guards it."""
        with guarding():
            response = self._inner.synthesize(query, nodes, additional_source_nodes, **response_kwargs)
        return self._responses.guarded(question_of(query), response)

    @dispatcher.span
    async def asynthesize(
        self,
        query: QueryType,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **response_kwargs: Any,
    ) -> RESPONSE_TYPE:
        """`synthesize` for event loops."""
        with guarding():
            response = await self._inner.asynthesize(query, nodes, additional_source_nodes, **response_kwargs)
        return await self._responses.aguarded(question_of(query), response)

    def get_response(
        self, query_str: str, text_chunks: Sequence[str], **response_kwargs: Any
    ) -> RESPONSE_TEXT_TYPE:
        """Writes an answer from bare texts with the synthesizer inside, and guards it; there is no report.

        Raises:
            AnswerBlockedError: if a structured answer is withheld, since it cannot be handed on without.
        """
        written = self._inner.get_response(query_str, text_chunks, **response_kwargs)
        return _bare(self._responses.guarded(query_str, _response(written, text_chunks)))

    async def aget_response(
        self, query_str: str, text_chunks: Sequence[str], **response_kwargs: Any
    ) -> RESPONSE_TEXT_TYPE:
        """`get_response` for event loops."""
        written = await self._inner.aget_response(query_str, text_chunks, **response_kwargs)
        return _bare(await self._responses.aguarded(query_str, _response(written, text_chunks)))

    def _get_prompts(self) -> PromptDictType:
        return self._inner._get_prompts()

    def _get_prompt_modules(self) -> PromptMixinType:
        return self._inner._get_prompt_modules()

    def _update_prompts(self, prompts: PromptDictType) -> None:
        self._inner._update_prompts(prompts)


def _response(written: RESPONSE_TEXT_TYPE, texts: Sequence[str]) -> RESPONSE_TYPE:
    nodes = [NodeWithScore(node=TextNode(text=text)) for text in texts]
    if isinstance(written, BaseModel):
        return PydanticResponse(written, source_nodes=nodes)
    if isinstance(written, Generator):
        return StreamingResponse(written, source_nodes=nodes)
    if isinstance(written, AsyncGenerator):
        return AsyncStreamingResponse(written, source_nodes=nodes)
    return Response(written, source_nodes=nodes)


def _bare(response: RESPONSE_TYPE) -> RESPONSE_TEXT_TYPE:
    if isinstance(response, StreamingResponse | AsyncStreamingResponse):
        return response.response_gen
    if response.response is None:
        report = report_of(response)
        raise AnswerBlockedError(blocked_claims(report.claims) if report else (), report)
    return response.response
