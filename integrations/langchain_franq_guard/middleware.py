"""FranqGuardMiddleware: guards the final answer of a `langchain` agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from langchain_core.language_models import BaseChatModel

from franq_guard import Guard

from .conversation import ConversationGuard, Evidence
from .messages import is_final

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
    from langgraph.constants import TAG_NOSTREAM
except ImportError as error:  # pragma: no cover - shown to those who lack the package
    raise ImportError(
        "FranqGuardMiddleware needs langchain 1.0 or later: pip install 'langchain>=1'"
    ) from error


class FranqGuardMiddleware(AgentMiddleware[Any, Any, Any]):
    """Wraps the model call of an agent, so that only the guarded answer leaves it.

    Holds for `invoke` as for `stream_mode="messages"`: the model's own tokens are not streamed, the guarded
    message comes whole. Turns that call tools pass as they are. The evidence is what tools returned; an
    agent that called none is judged by what the model knows. Put it last in `middleware`, so that nothing
    behind it swaps the model for one that streams.

    Args:
        guard: does the work; its `on_error` says what happens when a check fails.
        evidence: "turn" takes what tools returned since the last human message, "conversation" what they
            returned before as well.
        settings: `policy`, `on_blocked`, `reask` and `max_reasks` of `FranqGuardrail`.

    Raises:
        ConfigError: if a setting is unknown or out of range.

    Example:
        >>> agent = create_agent(model, tools, middleware=[FranqGuardMiddleware(guard)])
    """

    def __init__(self, guard: Guard, *, evidence: Evidence = "turn", **settings: Any) -> None:
        super().__init__()
        self._conversation = ConversationGuard(guard, evidence, settings)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Calls the model quietly and guards what it says."""
        response = handler(_quiet(request))
        answer = response.result[-1] if response.result else None
        if answer is None or response.structured_response is not None or not is_final(answer):
            return response
        guarded = self._conversation.guarded(request.messages, answer)
        return replace(response, result=[*response.result[:-1], guarded])

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """`wrap_model_call` for event loops."""
        response = await handler(_quiet(request))
        answer = response.result[-1] if response.result else None
        if answer is None or response.structured_response is not None or not is_final(answer):
            return response
        guarded = await self._conversation.aguarded(request.messages, answer)
        return replace(response, result=[*response.result[:-1], guarded])


def _quiet(request: ModelRequest[Any]) -> ModelRequest[Any]:
    """The request with a model whose tokens LangGraph does not stream."""
    model: BaseChatModel = request.model
    return request.override(model=model.model_copy(update={"tags": [*(model.tags or []), TAG_NOSTREAM]}))
