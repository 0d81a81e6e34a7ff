"""FranqQueryEngine: a query engine whose answers are guarded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import RESPONSE_TYPE
from llama_index.core.prompts.mixin import PromptDictType, PromptMixinType
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle

from franq_guard import ConfigError, Guard

from .checks import Checks, OnBlocked, guarding
from .responses import ResponseGuard, question_of


class FranqQueryEngine(BaseQueryEngine):
    """Guards the answers of any query engine.

    What comes back is of the same kind as without the guard: `Response`, `StreamingResponse` (which releases
    each sentence as soon as it was scored), `AsyncStreamingResponse` or `PydanticResponse` (never edited;
    withheld if anything in it was blocked). The report lies in `metadata["franq_guard"]`, see `report_of`;
    that of a stream once the stream has ended. The evidence is the response's `source_nodes`.

    Keeps no state between queries; safe to share if the engine is.

    Args:
        query_engine: the engine. It is not changed; its prompts have the same keys as without the guard.
        guard: the guard; its `on_error` says what happens when a check fails.
        metadata_mode: which of the nodes' metadata belongs to the evidence. LLM is what the model saw; NONE
            makes the evidence's character spans those of the bare node text.
        on_blocked: "rewrite" hands on what the policy makes of a blocked answer, "raise" raises
            AnswerBlockedError instead.

    Raises:
        ConfigError: if an argument has the wrong type.

    Example:
        >>> engine = FranqQueryEngine(index.as_query_engine(llm=llm), guard)
        >>> response = engine.query("How tall is the Eiffel Tower?")
        >>> print(response, report_of(response).p_true)
    """

    def __init__(
        self,
        query_engine: BaseQueryEngine,
        guard: Guard,
        *,
        metadata_mode: MetadataMode = MetadataMode.LLM,
        on_blocked: OnBlocked = "rewrite",
    ) -> None:
        if not isinstance(query_engine, BaseQueryEngine):
            raise ConfigError(
                f"query_engine must be a LlamaIndex query engine, not {type(query_engine).__name__}; "
                "make one with index.as_query_engine()"
            )
        self._engine = query_engine
        self._responses = ResponseGuard(Checks(guard, metadata_mode, on_blocked))
        super().__init__(callback_manager=query_engine.callback_manager)

    @property
    def query_engine(self) -> BaseQueryEngine:
        """The engine inside."""
        return self._engine

    def retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Retrieves with the engine inside."""
        return self._engine.retrieve(query_bundle)

    async def aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """`retrieve` for event loops, where the engine inside has it.

        Raises:
            NotImplementedError: if it does not.
        """
        retrieve = getattr(self._engine, "aretrieve", None)
        if retrieve is None:
            raise NotImplementedError(f"{type(self._engine).__name__} has no aretrieve; use retrieve")
        nodes: list[NodeWithScore] = await retrieve(query_bundle)
        return nodes

    def synthesize(
        self,
        query_bundle: QueryBundle,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
    ) -> RESPONSE_TYPE:
        """Writes an answer with the engine inside, and guards it."""
        with guarding():
            response = self._engine.synthesize(query_bundle, nodes, additional_source_nodes)
        return self._responses.guarded(question_of(query_bundle), response)

    async def asynthesize(
        self,
        query_bundle: QueryBundle,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
    ) -> RESPONSE_TYPE:
        """`synthesize` for event loops."""
        with guarding():
            response = await self._engine.asynthesize(query_bundle, nodes, additional_source_nodes)
        return await self._responses.aguarded(question_of(query_bundle), response)

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        with guarding():
            response = self._engine.query(query_bundle)
        return self._responses.guarded(query_bundle.query_str, response)

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        with guarding():
            response = await self._engine.aquery(query_bundle)
        return await self._responses.aguarded(query_bundle.query_str, response)

    # Handed through rather than nested: LlamaIndex cannot update prompts more than one level down.
    def _get_prompts(self) -> dict[str, Any]:
        return self._engine._get_prompts()

    def _get_prompt_modules(self) -> PromptMixinType:
        return self._engine._get_prompt_modules()

    def _update_prompts(self, prompts: PromptDictType) -> None:
        self._engine._update_prompts(prompts)
