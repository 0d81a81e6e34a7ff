"""Takes the chunks of a stream apart, and puts guarded chunks of the same kind together."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.runnables.utils import AddableDict

from franq_guard import GuardReport

from .checking import Checker, RunManager
from .exchange import answer_text, from_mapping, key_in, needs_check, question_text
from .messages import REPORT_KEY, split_chunk, text_block
from .passages import as_evidence


class Feed:
    """Takes the chunks of an answer apart: text to be checked, and everything else.

    The first chunk with text decides what kind of chunks come out: texts, message chunks or dictionaries.
    """

    def __init__(self, checker: Checker, run_manager: RunManager) -> None:
        self._checker = checker
        self._run_manager = run_manager
        self._values: dict[str, Any] = {}
        self._mapping = False
        self._answer_key: str | None = None
        self._model: AIMessageChunk | None = None
        self._in_messages = False
        self._texts: list[str] = []
        self._others: deque[Any] = deque()
        self.question = ""
        self.passages: Any = ()

    def take(self, chunk: Any) -> None:
        """Takes one chunk.

        Raises:
            InputError: if it is of no kind that the guard takes.
        """
        if not isinstance(chunk, Mapping):
            text, other = self._split(chunk)
            self._texts.append(text)
            if other is not None:
                self._others.append(other)
            return
        self._mapping = True
        if self._answer_key is None:
            self._answer_key = key_in(chunk, self._checker.keys.answer)
        others = {key: value for key, value in chunk.items() if key != self._answer_key}
        for key, value in others.items():
            self._values[key] = _sum(self._values, key, value)
        if self._answer_key in chunk:
            text, other = self._split(chunk[self._answer_key])
            self._texts.append(text)
            if other is not None:
                others[self._answer_key] = other
        if others:
            self._others.append(AddableDict(others))

    def others(self) -> Iterator[Any]:
        """What may pass at once."""
        while self._others:
            yield self._others.popleft()

    def texts(self) -> str:
        """The text that came since the last time."""
        text = "".join(self._texts)
        self._texts.clear()
        return text

    def ready(self, *, ended: bool = False) -> bool:
        """True if there is text to check and all that it takes.

        Args:
            ended: no more chunks will come.

        Raises:
            InputError: if what it takes is missing; says how to wire it.
        """
        if not any(self._texts):
            return False
        if not self._mapping:
            self.question, self.passages = self._checker.recall(self._run_manager)
            return True
        keys = self._checker.keys
        question, context = key_in(self._values, keys.question), key_in(self._values, keys.context)
        if question is None or context is None:
            if ended:
                from_mapping({**self._values, str(self._answer_key): "text"}, keys)
            return False
        self.question = question_text(self._values[question])
        self.passages = as_evidence(self._values[context])
        return True

    def checked(self, text: str) -> Any:
        """A chunk with text that may be shown."""
        return self._wrapped(self._chunk(text) if self._in_messages else text)

    def nothing(self) -> Iterator[Any]:
        """The empty answer of a stream without text; messages have passed already."""
        if self._texts and not self._in_messages:
            yield self.checked("")

    def closing(self, report: GuardReport) -> Iterator[Any]:
        """The chunk that carries the report, if the kind of chunks can."""
        if self._mapping:
            yield AddableDict({self._checker.keys.report: report.to_dict()})
        elif self._in_messages:
            yield AIMessageChunk(
                content="",
                id=None if self._model is None else self._model.id,
                response_metadata={REPORT_KEY: report.to_dict()},
                chunk_position="last",
            )

    def _split(self, value: Any) -> tuple[str, Any]:
        if isinstance(value, AIMessageChunk):
            self._in_messages = True
            if self._model is None or text_block(self._model) is None:
                self._model = value
            return split_chunk(value)
        if isinstance(value, AIMessage) and needs_check(value):
            whole = AIMessageChunk(**value.model_dump(exclude={"type"}))
            return self._split(whole)
        if isinstance(value, AIMessage):
            self._in_messages = True
            return "", value
        return answer_text(value), None

    def _chunk(self, text: str) -> AIMessageChunk:
        model = self._model
        block = None if model is None else text_block(model)
        content: Any = text if block is None else [{**_place(block), "type": "text", "text": text}]
        return AIMessageChunk(content=content, id=None if model is None else model.id)

    def _wrapped(self, value: Any) -> Any:
        return AddableDict({str(self._answer_key): value}) if self._mapping else value


def _place(block: dict[str, Any]) -> dict[str, Any]:
    """Where a text block belongs when chunks are added up."""
    return {key: block[key] for key in ("index", "id") if key in block}


def _sum(values: Mapping[str, Any], key: str, value: Any) -> Any:
    """Chunks of one key add up where they can, as LangChain adds them."""
    if values.get(key) is None:
        return value
    try:
        return values[key] + value
    except TypeError:
        return value
