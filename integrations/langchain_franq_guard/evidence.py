"""FranqEvidence: a callback handler that remembers, request by request, what a chain has retrieved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, ToolMessage
from langchain_core.outputs import LLMResult

from franq_guard import InputError, Passage
from franq_guard.run_store import RunStore

from .correlating import session_of
from .exchange import QUESTION_KEYS, key_in, question_text
from .messages import tool_passages
from .passages import as_passage, documents_in

GUARDED = "guarded"
SESSION = "session"
_QUERY = "query"
_SEARCHED = "searched"
_BOUNDARY = "boundary"


class FranqEvidence(BaseCallbackHandler):
    """Remembers documents and question of every run, for guards further down the same chain.

    One handler serves any number of requests at once; state is kept by root run and goes when that ends.

    Args:
        boundary: a tag that makes a run with it a request of its own. For programs that answer many
            questions under one root run.
        max_age: seconds after which a run that never ended is forgotten.
        max_runs: most root runs kept at once; the oldest are forgotten first.

    Raises:
        ConfigError: if a limit is out of range.
    """

    # What it does is brief, so it need not go to a thread, and still works while a stream is being closed.
    run_inline = True

    def __init__(
        self, *, boundary: str | None = None, max_age: float = 3600.0, max_runs: int = 10_000
    ) -> None:
        self.runs: RunStore[UUID] = RunStore(max_age=max_age, max_roots=max_runs)
        self._boundary = boundary

    def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Notes the run; if it is a root, the question and the session too."""
        self._start(run_id, parent_run_id, tags)
        if self.runs.is_root(run_id):
            self.runs.put(run_id, SESSION, session_of(metadata))
            if (question := question_of(inputs)) is not None:
                self.runs.set_question(run_id, question)

    def on_retriever_start(
        self,
        serialized: dict[str, Any],
        query: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        """Notes the run and what it looks for."""
        self._start(run_id, parent_run_id, tags)
        self.runs.put(run_id, (_QUERY, run_id), query)

    def on_retriever_end(
        self, documents: Sequence[Document], *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """Keeps the documents with the root run."""
        query = self.runs.get(run_id, (_QUERY, run_id))
        self.runs.add_passages(run_id, [as_passage(document) for document in documents], query)
        self.runs.put(run_id, (_SEARCHED, parent_run_id), True)
        self._end(run_id)

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        """Notes the run."""
        self._start(run_id, parent_run_id, tags)

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Keeps what the tool returned, unless a retriever inside it has already told."""
        if not self.runs.get(run_id, (_SEARCHED, run_id)):
            found = _returned(output)
            if found is not None:
                self.runs.add_passages(run_id, found)
        self._end(run_id)

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        """Notes the run."""
        self._start(run_id, parent_run_id, tags)

    def on_llm_start(
        self,
        serialized: dict[str, Any],
        prompts: list[str],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        """Notes the run."""
        self._start(run_id, parent_run_id, tags)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Forgets the request if this was its root."""
        self._end(run_id)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Forgets the request if this was its root."""
        self._end(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Forgets the request if this was its root."""
        self._end(run_id)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Forgets the request if this was its root."""
        self._end(run_id)

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Forgets the request if this was its root."""
        self._end(run_id)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Forgets the request if this was its root."""
        self._end(run_id)

    def recall(self, run_id: UUID) -> tuple[str, tuple[Passage, ...]] | None:
        """Question and passages of the request that a run belongs to.

        Returns:
            None if nothing was retrieved in it.

        Raises:
            InputError: if documents were retrieved but the question is not known.
        """
        if not self.runs.retrieved(run_id):
            return None
        question = self.runs.question(run_id)
        if question is None:
            raise InputError(
                "documents were retrieved, but the question is not known: give the chain a text, messages, "
                f"or a dictionary with {' or '.join(map(repr, QUESTION_KEYS))}"
            )
        return question, self.runs.passages(run_id)

    def _start(self, run_id: UUID, parent_run_id: UUID | None, tags: list[str] | None) -> None:
        # Tags are handed down, so only the topmost run that carries the boundary's tag is one.
        if self._boundary is None or self._boundary not in (tags or ()):
            self.runs.start(run_id, parent_run_id)
        elif self.runs.get(parent_run_id, _BOUNDARY):
            self.runs.start(run_id, parent_run_id)
        else:
            self.runs.start(run_id)
            self.runs.put(run_id, _BOUNDARY, True)

    def _end(self, run_id: UUID) -> None:
        self.runs.finish(run_id)


def evidence_among(handlers: Sequence[Any]) -> FranqEvidence | None:
    """The handler of this kind that listens to a run."""
    return next((handler for handler in handlers if isinstance(handler, FranqEvidence)), None)


def question_of(inputs: Any) -> str | None:
    """The question in what a chain was given, if there is one."""
    if isinstance(inputs, dict):
        key = key_in(inputs, (*QUESTION_KEYS, "messages"))
        inputs = None if key is None else inputs[key]
    try:
        return question_text(inputs) or None
    except InputError:
        return None


def _returned(output: Any) -> list[Passage] | None:
    """What a tool found; None if it does not look like something found."""
    if isinstance(output, ToolMessage):
        return None if output.status == "error" else tool_passages(output)
    if documents := documents_in(output):
        return [as_passage(document) for document in documents]
    if isinstance(output, str):
        return [Passage(output)] if output.strip() else []
    return None
