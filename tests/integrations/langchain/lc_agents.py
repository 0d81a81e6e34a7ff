"""A chat model that looks something up before it answers."""

from collections.abc import Iterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from lc_models import OLD, TALL


@tool(response_format="content_and_artifact")
def search(query: str) -> Any:
    """Finds documents."""
    return f"{TALL.page_content}\n{OLD.page_content}", [TALL, OLD]


class SearchFirst(BaseChatModel):
    """Calls `search` once for each question; then another model, or a given text, answers."""

    writer: Any
    answers: int = 0

    @property
    def _llm_type(self) -> str:
        return "search-first"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        if (call := self._call(messages)) is not None:
            return ChatResult(generations=[ChatGeneration(message=call)])
        text = (
            self.writer
            if isinstance(self.writer, str)
            else self.writer.invoke(self._prompt(messages)).content
        )
        message = AIMessage([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": text}])
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        if (call := self._call(messages)) is not None:
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_calls=call.tool_calls))
            return
        words = (
            (f"{word} " for word in self.writer.split(" "))
            if isinstance(self.writer, str)
            else (chunk.content for chunk in self.writer.stream(self._prompt(messages)))
        )
        for word in words:
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))

    def _call(self, messages: Any) -> AIMessage | None:
        if isinstance(messages[-1], ToolMessage):
            return None
        call = {"name": "search", "args": {"query": messages[-1].text}, "id": f"call-{len(messages)}"}
        return AIMessage("", tool_calls=[call])

    def _prompt(self, messages: Any) -> Any:
        question = [message for message in messages if isinstance(message, HumanMessage)][-1].text
        return [HumanMessage(f"{messages[-1].text}\n\nQuestion: {question}\nAnswer in two short sentences.")]
