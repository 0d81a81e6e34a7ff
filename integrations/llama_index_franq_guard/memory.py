"""A memory that keeps a model's raw answers out of a conversation until they were guarded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemory


class AnswerlessMemory:
    """Stands in for a chat engine's memory: all goes through, but the answers that the engine puts there.

    What a caller sets as the history of the conversation is kept as it is.

    Args:
        memory: the real one.
    """

    def __init__(self, memory: BaseMemory) -> None:
        self._memory = memory

    def put(self, message: ChatMessage) -> None:
        """Keeps a message unless it is an answer."""
        if not _is_answer(message):
            self._memory.put(message)

    async def aput(self, message: ChatMessage) -> None:
        """`put` for event loops."""
        if not _is_answer(message):
            await self._memory.aput(message)

    def put_messages(self, messages: Iterable[ChatMessage]) -> None:
        """Keeps the messages that are no answers."""
        self._memory.put_messages([message for message in messages if not _is_answer(message)])

    async def aput_messages(self, messages: Iterable[ChatMessage]) -> None:
        """`put_messages` for event loops."""
        await self._memory.aput_messages([message for message in messages if not _is_answer(message)])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)


def _is_answer(message: ChatMessage) -> bool:
    return message.role == MessageRole.ASSISTANT and not message.additional_kwargs.get("tool_calls")
