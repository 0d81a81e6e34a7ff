"""FranqChatEngine: a chat engine whose answers are guarded, also in its memory."""

from __future__ import annotations

import asyncio
import copy
import logging
from collections.abc import AsyncGenerator, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.callbacks import CallbackManager
from llama_index.core.chat_engine.types import (
    AgentChatResponse,
    BaseChatEngine,
    StreamingAgentChatResponse,
)
from llama_index.core.memory import BaseMemory
from llama_index.core.schema import MetadataMode
from llama_index.core.types import Thread

from franq_guard import ConfigError, Guard, GuardReport, Passage

from .checks import Checks, OnBlocked, guarding
from .evidence import nodes_of_sources
from .memory import AnswerlessMemory
from .responses import METADATA_KEY, receiver

logger = logging.getLogger(__name__)


@dataclass
class GuardedStreamingChatResponse(StreamingAgentChatResponse):
    """A streamed chat answer of which each sentence is released as soon as it was scored.

    Attributes:
        metadata: holds the report under "franq_guard" once the stream has ended; see `report_of`.
    """

    metadata: dict[str, Any] = field(default_factory=dict)


class FranqChatEngine(BaseChatEngine):
    """Guards the answers of any chat engine that keeps its conversation in a memory.

    The guarded text, never the raw one, is what the caller receives and what the memory keeps, so that a
    blocked statement is not in the next prompt. The evidence is the answer's source nodes; the question is
    the stand-alone one where the engine makes one of the conversation. The report lies in
    `metadata["franq_guard"]`, see `report_of`; that of a stream once the stream has ended.

    Works on a copy of the engine that shares everything but its hold on the memory. One conversation at a
    time, as with the engine itself.

    Args:
        chat_engine: the engine; it is not changed.
        guard: the guard; its `on_error` says what happens when a check fails.
        memory: the engine's memory; None takes the one it has.
        metadata_mode: which of the nodes' metadata belongs to the evidence; LLM is what the model saw.
        on_blocked: "rewrite" hands on what the policy makes of a blocked answer; "raise" raises
            AnswerBlockedError instead, and the memory keeps no answer.

    Raises:
        ConfigError: if an argument has the wrong type, or the engine has no memory.

    Example:
        >>> chat = FranqChatEngine(index.as_chat_engine(chat_mode="context", llm=llm), guard)
        >>> print(chat.chat("How tall is the Eiffel Tower?"))
    """

    def __init__(
        self,
        chat_engine: BaseChatEngine,
        guard: Guard,
        *,
        memory: BaseMemory | None = None,
        metadata_mode: MetadataMode = MetadataMode.LLM,
        on_blocked: OnBlocked = "rewrite",
    ) -> None:
        if not isinstance(chat_engine, BaseChatEngine):
            raise ConfigError(
                f"chat_engine must be a LlamaIndex chat engine, not {type(chat_engine).__name__}; "
                "make one with index.as_chat_engine()"
            )
        held = getattr(chat_engine, "_memory", None)
        if not isinstance(held, BaseMemory):
            raise ConfigError(
                f"{type(chat_engine).__name__} keeps no memory in `_memory`, so its raw answers cannot be "
                "kept out of the conversation; guard its query engine with FranqQueryEngine instead"
            )
        self._memory = held if memory is None else memory
        engine: Any = copy.copy(chat_engine)  # `_memory` is in no base class
        engine._memory = AnswerlessMemory(self._memory)
        self._engine: Any = engine
        self._checks = Checks(guard, metadata_mode, on_blocked)

    @property
    def callback_manager(self) -> CallbackManager:
        """That of the engine inside."""
        return getattr(self._engine, "callback_manager", None) or CallbackManager([])

    @property
    def chat_history(self) -> list[ChatMessage]:
        """The conversation, with guarded answers."""
        return self._memory.get_all()

    def reset(self) -> None:
        """Forgets the conversation."""
        self._engine.reset()

    def chat(self, message: str, chat_history: list[ChatMessage] | None = None) -> AgentChatResponse:
        """Answers.

        Raises:
            AnswerBlockedError: if the answer was blocked and that is to raise.
            FranqGuardError: if the check fails and the guard's `on_error` is "raise".
        """
        with guarding():
            response = self._engine.chat(message, chat_history)
        question, passages = self._asked(message, response)
        guarded = _guarded(response, self._checks.check(question, passages, response.response))
        self._memory.put(_answer(guarded.response))
        return guarded

    async def achat(self, message: str, chat_history: list[ChatMessage] | None = None) -> AgentChatResponse:
        """`chat` for event loops."""
        with guarding():
            response = await self._engine.achat(message, chat_history)
        question, passages = self._asked(message, response)
        guarded = _guarded(response, await self._checks.acheck(question, passages, response.response))
        await self._memory.aput(_answer(guarded.response))
        return guarded

    def stream_chat(
        self, message: str, chat_history: list[ChatMessage] | None = None
    ) -> GuardedStreamingChatResponse:
        """Answers sentence by sentence; what goes wrong is raised while the stream is read."""
        with guarding():
            raw = self._engine.stream_chat(message, chat_history)
        response = _streaming(raw)
        response.chat_stream = self._messages(message, raw, response.metadata)
        thread = Thread(target=_write, args=(response, self._memory))
        response.write_response_to_history_thread = thread
        thread.start()
        return response

    async def astream_chat(
        self, message: str, chat_history: list[ChatMessage] | None = None
    ) -> GuardedStreamingChatResponse:
        """`stream_chat` for event loops."""
        with guarding():
            raw = await self._engine.astream_chat(message, chat_history)
        response = _streaming(raw)
        response.achat_stream = self._amessages(message, raw, response.metadata)
        response.awrite_response_to_history_task = asyncio.create_task(
            response.awrite_response_to_history(self._memory)
        )
        return response

    def _messages(
        self, message: str, raw: StreamingAgentChatResponse, metadata: dict[str, Any]
    ) -> Generator[ChatResponse, None, None]:
        question, passages = self._asked(message, raw)
        text = ""
        for piece in self._checks.stream(question, passages, raw.response_gen, receiver(metadata)):
            text += piece
            yield ChatResponse(message=_answer(text), delta=piece)

    async def _amessages(
        self, message: str, raw: StreamingAgentChatResponse, metadata: dict[str, Any]
    ) -> AsyncGenerator[ChatResponse, None]:
        question, passages = self._asked(message, raw)
        text = ""
        pieces = self._checks.astream(question, passages, raw.async_response_gen(), receiver(metadata))
        async for piece in pieces:
            text += piece
            yield ChatResponse(message=_answer(text), delta=piece)

    def _asked(
        self, message: str, response: AgentChatResponse | StreamingAgentChatResponse
    ) -> tuple[str, tuple[Passage, ...]]:
        nodes = response.source_nodes or nodes_of_sources(response.sources)
        return _standalone(response.sources) or message, self._checks.passages(nodes)


def _streaming(raw: StreamingAgentChatResponse) -> GuardedStreamingChatResponse:
    return GuardedStreamingChatResponse(sources=raw.sources, source_nodes=raw.source_nodes)


def _write(response: GuardedStreamingChatResponse, memory: BaseMemory) -> None:
    try:
        response.write_response_to_history(memory)
    except Exception as error:  # the response hands it on to whoever reads the stream
        logger.warning("the stream of a guarded chat answer ended: %s", error)


def _standalone(sources: Sequence[Any]) -> str | None:
    """What the engine looked for: with condensing engines the question that needs no conversation."""
    for source in sources:
        given = getattr(source, "raw_input", None) or {}
        for key in ("message", "query"):
            if isinstance(given.get(key), str) and given[key].strip():
                return str(given[key])
    return None


def _answer(text: str) -> ChatMessage:
    return ChatMessage(role=MessageRole.ASSISTANT, content=text)


def _guarded(response: AgentChatResponse, report: GuardReport) -> AgentChatResponse:
    return replace(
        response,
        response=report.text,
        metadata={**(response.metadata or {}), METADATA_KEY: report.to_dict()},
    )
