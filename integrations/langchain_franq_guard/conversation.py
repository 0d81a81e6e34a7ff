"""Guards the last message of a conversation: shared by the agent middleware and the LangGraph node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage

from franq_guard import ConfigError, Guard

from .guardrail import FranqGuardrail
from .messages import evidence_in, question_in

Evidence = Literal["turn", "conversation"]


class ConversationGuard:
    """Question, evidence and answer from messages.

    Args:
        guard: does the work.
        evidence: "turn" takes what tools returned since the last human message, "conversation" what they
            returned before as well.
        settings: any of `FranqGuardrail` that is not about keys: policy, on_blocked, reask, max_reasks.

    Raises:
        ConfigError: if a setting is unknown or out of range.
    """

    def __init__(self, guard: Guard, evidence: Evidence, settings: dict[str, Any]) -> None:
        if evidence not in ("turn", "conversation"):
            raise ConfigError(f'evidence must be "turn" or "conversation", got {evidence!r}')
        if unknown := settings.keys() - {"policy", "on_blocked", "reask", "max_reasks"}:
            raise ConfigError(f"unknown settings: {', '.join(sorted(unknown))}")
        self._conversation = evidence == "conversation"
        self._guardrail = FranqGuardrail(guard, **settings)

    def guarded(self, messages: Sequence[BaseMessage], answer: AIMessage) -> AIMessage:
        """The answer to a conversation, guarded; a child of the run that is current."""
        message: AIMessage = self._guardrail.invoke(self._exchange(messages, answer))["answer"]
        return message

    async def aguarded(self, messages: Sequence[BaseMessage], answer: AIMessage) -> AIMessage:
        """`guarded` for event loops."""
        message: AIMessage = (await self._guardrail.ainvoke(self._exchange(messages, answer)))["answer"]
        return message

    def _exchange(self, messages: Sequence[BaseMessage], answer: AIMessage) -> dict[str, Any]:
        return {
            "question": question_in(messages) or "",
            "context": evidence_in(messages, conversation=self._conversation),
            "answer": answer,
        }
