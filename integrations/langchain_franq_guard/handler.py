"""FranqCallbackHandler: watches any chain without changing it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from franq_guard import ConfigError, Guard, GuardReport
from franq_guard.blocking import AnswerBlockedError, blocked_claims
from franq_guard.tracing import Correlation

from .correlating import ids_of
from .evidence import GUARDED, SESSION, FranqEvidence, question_of
from .exchange import ANSWER_KEYS, key_in
from .messages import is_final, text_of, token_log_probs

logger = logging.getLogger(__name__)

_WRITTEN = "written"


class FranqCallbackHandler(FranqEvidence):
    """Checks what a chain answers against what it retrieved, when its root run ends.

    A callback sees an answer but cannot change it: use `FranqGuardrail` for that. This one scores, hands the
    report to the guard's tracing sinks and to `on_report`, and can raise. A chain that has a
    `FranqGuardrail` is not checked twice.

    In streams the answer has been read by the time the root run ends; raising comes too late there.

    Args:
        guard: does the work; its `on_error` says what happens when a check fails.
        on_blocked: "log" warns; "raise" raises AnswerBlockedError out of `invoke` and `ainvoke`.
        on_report: called with every report and the ids of its run.
        answer_key: where the answer lies in what the chain returns; None tries "answer", "result", "output".
        boundary: see `FranqEvidence`.
        max_age: see `FranqEvidence`.
        max_runs: see `FranqEvidence`.

    Raises:
        ConfigError: if a setting is unknown or out of range.

    Example:
        >>> handler = FranqCallbackHandler(guard, on_report=lambda report, ids: print(report.p_true))
        >>> chain.invoke("How tall is it?", config={"callbacks": [handler]})
    """

    run_inline = False  # a check takes its time: on an event loop it goes to a thread

    def __init__(
        self,
        guard: Guard,
        *,
        on_blocked: Literal["log", "raise"] = "log",
        on_report: Callable[[GuardReport, Correlation], None] | None = None,
        answer_key: str | None = None,
        boundary: str | None = None,
        max_age: float = 3600.0,
        max_runs: int = 10_000,
    ) -> None:
        super().__init__(boundary=boundary, max_age=max_age, max_runs=max_runs)
        if on_blocked not in ("log", "raise"):
            raise ConfigError(f'on_blocked must be "log" or "raise", got {on_blocked!r}')
        self.guard = guard
        self._on_blocked = on_blocked
        self._on_report = on_report
        self._answer_keys = (answer_key,) if answer_key else ANSWER_KEYS
        # LangChain swallows what a handler raises, unless the handler says otherwise.
        self.raise_error = on_blocked == "raise" or guard.config.on_error == "raise"

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Keeps what a model wrote, in case the chain returns something that holds no text."""
        for candidates in response.generations[:1]:
            for generation in candidates[:1]:
                message = generation.message if isinstance(generation, ChatGeneration) else None
                if message is None:
                    self.runs.put(run_id, _WRITTEN, AIMessage(generation.text))
                elif is_final(message):
                    self.runs.put(run_id, _WRITTEN, message)
        super().on_llm_end(response, run_id=run_id)

    def on_chain_end(
        self,
        outputs: Any,
        *,
        run_id: UUID,
        inputs: Any = None,
        **kwargs: Any,
    ) -> None:
        """Checks the answer if this was the root run.

        Raises:
            AnswerBlockedError: if it was blocked and `on_blocked` is "raise".
            FranqGuardError: if the check failed and the guard's `on_error` is "raise".
        """
        if not self.runs.is_root(run_id):
            return
        question = self.runs.question(run_id) or question_of(inputs)
        passages, retrieved = self.runs.passages(run_id), self.runs.retrieved(run_id)
        guarded, written = self.runs.get(run_id, GUARDED), self.runs.get(run_id, _WRITTEN)
        ids = ids_of(run_id, run_id, self.runs.get(run_id, SESSION))
        super().on_chain_end(outputs, run_id=run_id)
        if guarded:
            return
        answer = _answer(outputs, self._answer_keys) or written
        if answer is None:
            logger.debug("run %s returned no text; nothing was checked", run_id)
        elif not retrieved or question is None:
            missing = "question" if retrieved else "retrieved document"
            logger.warning("run %s answered, but no %s was seen; nothing was checked", run_id, missing)
        else:
            self._check(ids, question, passages, answer, written)

    def _check(
        self, ids: Correlation, question: str, passages: Any, answer: AIMessage, written: AIMessage | None
    ) -> None:
        text = text_of(answer)
        source = written if written is not None and text_of(written).strip() == text.strip() else answer
        report = self.guard.check(
            question, passages, text, token_log_probs=token_log_probs(source), correlation=ids
        )
        if self._on_report is not None:
            self._on_report(report, ids)
        blocked = blocked_claims(report.claims)
        if blocked or report.blocked:
            error = AnswerBlockedError(blocked, report)
            if self._on_blocked == "raise":
                raise error
            logger.warning("run %s: %s", ids.run_id, error)


def _answer(outputs: Any, keys: Sequence[str]) -> AIMessage | None:
    """The answer in what a chain returned: a text, a message, or a dictionary or conversation with one."""
    if isinstance(outputs, Mapping):
        key = key_in(outputs, (*keys, "messages"))
        outputs = None if key is None else outputs[key]
    if isinstance(outputs, list | tuple) and outputs and isinstance(outputs[-1], BaseMessage):
        outputs = outputs[-1]
    if isinstance(outputs, str):
        return AIMessage(outputs) if outputs.strip() else None
    return outputs if isinstance(outputs, AIMessage) and is_final(outputs) else None
