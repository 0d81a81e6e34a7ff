"""The text of a message, and messages with another text: everything else in them stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage

from franq_guard import GuardReport, Passage

from .passages import as_passage, documents_in

REPORT_KEY = "franq_guard"
"""Where the report lies in `response_metadata`, and by default in dictionaries."""


def text_of(message: BaseMessage) -> str:
    """The text a reader sees: the string, or the text blocks one after the other."""
    if isinstance(message.content, str):
        return message.content
    return "".join(_text(block) or "" for block in message.content)


def is_final(message: BaseMessage) -> TypeGuard[AIMessage]:
    """True for a message of the model that answers, rather than calls tools or says nothing."""
    if not isinstance(message, AIMessage):
        return False
    calls = message.tool_calls or message.invalid_tool_calls or getattr(message, "tool_call_chunks", None)
    return not calls and bool(text_of(message).strip())


def with_text(message: AIMessage, text: str, report: GuardReport) -> AIMessage:
    """A copy with the guarded text and the report in `response_metadata`.

    Id, tool calls, reasoning and other blocks stay. If the text changed, it goes where the first text block
    was, and the other text blocks (and annotations that point into the old text) go.
    """
    changes: dict[str, Any] = {
        "response_metadata": {**message.response_metadata, REPORT_KEY: report.to_dict()},
    }
    if text != text_of(message):
        changes["content"] = _replaced(message.content, text)
    return message.model_copy(update=changes)


def token_log_probs(message: BaseMessage) -> Sequence[Any] | None:
    """The generator's own log-probabilities, if the chat model was asked for them."""
    found = message.response_metadata.get("logprobs")
    if isinstance(found, dict):
        found = found.get("content")
    return found if isinstance(found, list) and found else None


def question_in(messages: Sequence[BaseMessage]) -> str | None:
    """The text of the last human message."""
    at = _last_human(messages)
    return None if at is None else text_of(messages[at])


def evidence_in(messages: Sequence[BaseMessage], *, conversation: bool = False) -> tuple[Passage, ...]:
    """What tools returned: the documents of an artifact, else the text of the message.

    Args:
        messages: a conversation, oldest first.
        conversation: take the tools of earlier turns too, behind those of this turn.
    """
    start = _last_human(messages) or 0
    turns = [messages[start:], messages[:start]] if conversation else [messages[start:]]
    found: dict[tuple[str | None, str], Passage] = {}
    for turn in turns:
        for message in turn:
            if isinstance(message, ToolMessage) and message.status != "error":
                for passage in tool_passages(message):
                    found.setdefault((passage.id, passage.text), passage)
    return tuple(found.values())


def tool_passages(message: ToolMessage) -> list[Passage]:
    """The documents of the artifact if there are any, else the text, named after the tool."""
    if documents := documents_in(message.artifact):
        return [as_passage(document) for document in documents]
    text = text_of(message)
    return [Passage(text, source=message.name)] if text.strip() else []


def split_chunk(chunk: AIMessageChunk) -> tuple[str, AIMessageChunk | None]:
    """Separates the text of a chunk from everything else it carries (None if it carries nothing else)."""
    rest: Any = ""
    if not isinstance(chunk.content, str):
        rest = [block for block in chunk.content if _text(block) is None]
    other = chunk.model_copy(update={"content": rest or "", "chunk_position": None})
    carries = (
        rest
        or chunk.tool_call_chunks
        or chunk.additional_kwargs
        or chunk.response_metadata
        or chunk.usage_metadata
    )
    return text_of(chunk), other if carries else None


def text_block(chunk: AIMessageChunk) -> dict[str, Any] | None:
    """The first text block of a chunk whose content is a list; None if it has none."""
    if isinstance(chunk.content, str):
        return None
    return next((b for b in chunk.content if isinstance(b, dict) and _text(b) is not None), None)


def _replaced(content: str | list[Any], text: str) -> str | list[Any]:
    if isinstance(content, str):
        return text
    blocks: list[Any] = []
    placed = False
    for block in content:
        if _text(block) is None:
            blocks.append(block)
        elif not placed:
            blocks.append(text if isinstance(block, str) else _retold(block, text))
            placed = True
    return blocks


def _retold(block: dict[str, Any], text: str) -> dict[str, Any]:
    return {key: value for key, value in block.items() if key not in ("annotations", "citations")} | {
        "text": text
    }


def _text(block: Any) -> str | None:
    """The text of a text block; None for blocks of other kinds."""
    if isinstance(block, str):
        return block
    if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
        return str(block["text"])
    return None


def _last_human(messages: Sequence[BaseMessage]) -> int | None:
    places = (at for at in range(len(messages) - 1, -1, -1) if isinstance(messages[at], HumanMessage))
    return next(places, None)
