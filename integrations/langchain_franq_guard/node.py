"""A LangGraph node that guards the last message of the state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableLambda

from franq_guard import Guard, InputError

from .conversation import ConversationGuard, Evidence
from .messages import is_final


def franq_guard_node(guard: Guard, *, evidence: Evidence = "turn", **settings: Any) -> Runnable[Any, Any]:
    """Makes a node for graphs whose state holds `messages`.

    The guarded message has the id of the one it replaces. Nodes before it stream their tokens unguarded
    under `stream_mode="messages"`, unless their model carries the tag "nostream".

    Args:
        guard: does the work; its `on_error` says what happens when a check fails.
        evidence: "turn" takes what tools returned since the last human message, "conversation" what they
            returned before as well.
        settings: `policy`, `on_blocked`, `reask` and `max_reasks` of `FranqGuardrail`.

    Raises:
        ConfigError: if a setting is unknown or out of range.

    Example:
        >>> graph.add_node("guard", franq_guard_node(guard))
    """
    conversation = ConversationGuard(guard, evidence, settings)

    def node(state: Any) -> dict[str, Any]:
        messages = _messages(state)
        if not messages or not is_final(messages[-1]):
            return {}
        return {"messages": [conversation.guarded(messages[:-1], messages[-1])]}

    async def anode(state: Any) -> dict[str, Any]:
        messages = _messages(state)
        if not messages or not is_final(messages[-1]):
            return {}
        return {"messages": [await conversation.aguarded(messages[:-1], messages[-1])]}

    return RunnableLambda(node, afunc=anode, name="franq_guard")


def _messages(state: Any) -> list[BaseMessage]:
    found = state.get("messages") if isinstance(state, Mapping) else getattr(state, "messages", None)
    if not isinstance(found, list | tuple) or not all(isinstance(item, BaseMessage) for item in found):
        raise InputError(
            "the state has no list of messages under 'messages'; for a state with question, context and "
            "answer add FranqGuardrail(guard) as the node"
        )
    return list(found)
