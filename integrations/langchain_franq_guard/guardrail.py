"""FranqGuardrail: the guard as a step of a chain."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
from langchain_core.runnables import Runnable, RunnableConfig, RunnableSerializable
from pydantic import ConfigDict, Field

from franq_guard import ConfigError, Guard, Policy

from .checking import Checker
from .exchange import Keys
from .messages import REPORT_KEY
from .streaming import astream_guarded, stream_guarded

RUN_TYPE = "guardrail"


class FranqGuardrail(RunnableSerializable[Any, Any]):
    """Checks an answer against what was retrieved, and hands on the guarded answer.

    Takes a dictionary with question, documents and answer; or just the answer, a text or an `AIMessage`, if
    a `FranqEvidence` (or `FranqCallbackHandler`) listens to the chain. Returns the same kind of thing. The
    report lies in `response_metadata["franq_guard"]` of a message and under `report_key` in a dictionary;
    of a bare text, only events and the guard's tracing sinks tell.

    Streaming releases each sentence as soon as it was scored; nothing passes that was not. Messages that
    call tools, or have no text, pass as they are.

    Attributes:
        guard: does the work; its `on_error` says what happens when a check fails.
        question_key: where the question lies; None tries "question", "input", "query".
        context_key: where the documents lie; None tries "context", "source_documents", "documents".
        answer_key: where the answer lies; None tries "answer", "result", "output".
        report_key: where the report goes in a dictionary.
        policy: a Policy, or a mapping of settings that differ from the guard's. Switchable call by call with
            `configurable_fields`.
        on_blocked: "rewrite" hands on what the policy makes of a blocked answer, "raise" raises
            AnswerBlockedError instead.
        reask: a chat model or chain that is asked again, with the doubtful claims named, when a claim comes
            out hedged or blocked; the better answer is kept. With it, streams come in one piece.
        max_reasks: how often at most, 1 to 5.

    Raises:
        InputError: if no documents are to be found; says how to wire them.
        AnswerBlockedError: see `on_blocked`.
        FranqGuardError: if the check fails and the guard's `on_error` is "raise".

    Example:
        >>> chain = RunnablePassthrough.assign(context=find).assign(answer=write) | FranqGuardrail(guard)
        >>> chain.invoke({"question": "How tall is the Eiffel Tower?"})["answer"]
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    guard: Guard
    question_key: str | None = None
    context_key: str | None = None
    answer_key: str | None = None
    report_key: str = REPORT_KEY
    policy: Any = None
    on_blocked: Literal["rewrite", "raise"] = "rewrite"
    reask: Runnable[Any, Any] | None = None
    max_reasks: int = Field(default=1, ge=1, le=5)

    def __init__(self, guard: Guard, **settings: Any) -> None:
        super().__init__(**{"guard": guard, **settings})
        self._checker()

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Checks one answer."""
        return self._call_with_config(self._invoke, input, config, run_type=RUN_TYPE)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Checks one answer; the models run on the guard's own thread."""
        return await self._acall_with_config(self._ainvoke, input, config, run_type=RUN_TYPE)

    def batch(
        self,
        inputs: list[Any],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[Any]:
        """Checks several answers together: their claims share the models' batches."""
        return self._batch_with_config(
            self._batch, inputs, config, return_exceptions=return_exceptions, run_type=RUN_TYPE
        )

    async def abatch(
        self,
        inputs: list[Any],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[Any]:
        """`batch` for event loops."""
        return await self._abatch_with_config(
            self._abatch, inputs, config, return_exceptions=return_exceptions, run_type=RUN_TYPE
        )

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:
        """Releases the guarded answer sentence by sentence."""
        yield from self.transform(iter([input]), config)

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Any]:
        """`stream` for event loops."""

        async def once() -> AsyncIterator[Any]:
            yield input

        async for chunk in self.atransform(once(), config):
            yield chunk

    def transform(
        self, input: Iterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Any]:
        """Guards an answer while it is being written."""
        yield from self._transform_stream_with_config(input, self._transform, config, run_type=RUN_TYPE)

    async def atransform(
        self, input: AsyncIterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Any]:
        """`transform` for event loops."""
        guarded = self._atransform_stream_with_config(input, self._atransform, config, run_type=RUN_TYPE)
        async for chunk in guarded:
            yield chunk

    def _invoke(self, value: Any, run_manager: CallbackManagerForChainRun, config: RunnableConfig) -> Any:
        return _or_raise(self._checker().check([value], [run_manager], [config]))

    async def _ainvoke(
        self, value: Any, run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig
    ) -> Any:
        return _or_raise(await self._checker().acheck([value], [run_manager], [config]))

    def _batch(
        self, values: list[Any], run_manager: list[CallbackManagerForChainRun], config: list[RunnableConfig]
    ) -> list[Any]:
        return self._checker().check(values, run_manager, config)

    async def _abatch(
        self,
        values: list[Any],
        run_manager: list[AsyncCallbackManagerForChainRun],
        config: list[RunnableConfig],
    ) -> list[Any]:
        return await self._checker().acheck(values, run_manager, config)

    def _transform(
        self, chunks: Iterator[Any], run_manager: CallbackManagerForChainRun, config: RunnableConfig
    ) -> Iterator[Any]:
        return stream_guarded(self._checker(), chunks, run_manager, config)

    def _atransform(
        self,
        chunks: AsyncIterator[Any],
        run_manager: AsyncCallbackManagerForChainRun,
        config: RunnableConfig,
    ) -> AsyncIterator[Any]:
        return astream_guarded(self._checker(), chunks, run_manager, config)

    def _checker(self) -> Checker:
        keys = Keys.of(self.question_key, self.context_key, self.answer_key, self.report_key)
        return Checker(self._guard_in_force(), keys, self.on_blocked, self.reask, self.max_reasks)

    def _guard_in_force(self) -> Guard:
        if self.policy is None:
            return self.guard
        if isinstance(self.policy, Policy):
            return self.guard.with_policy(self.policy)
        if not isinstance(self.policy, Mapping):
            raise ConfigError(f"policy must be a Policy or a mapping of its settings, got {self.policy!r}")
        try:
            return self.guard.with_policy(replace(self.guard.config.policy, **self.policy))
        except TypeError as error:
            raise ConfigError(f"policy: {error}") from error


def _or_raise(results: list[Any]) -> Any:
    [result] = results
    if isinstance(result, Exception):
        raise result
    return result
