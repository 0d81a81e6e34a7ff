"""Asks the model again, with the doubtful claims named, and keeps the better answer."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.prompt_values import ChatPromptValue, PromptValue
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import merge_configs
from tenacity import AsyncRetrying, RetryCallState, Retrying, retry_if_result, stop_after_attempt

from franq_guard import Action, GuardReport, Verdict

from .exchange import answer_text
from .prompts import UNCERTAINTY_CLAUSE

logger = logging.getLogger(__name__)

_QUIET: RunnableConfig = {"tags": ["nostream"]}
"""Keeps LangGraph from streaming an answer that nobody has checked."""


@dataclass(slots=True)
class _Best:
    """The best report so far."""

    report: GuardReport
    asked: int = 0

    def consider(self, candidate: GuardReport) -> GuardReport:
        """Takes the candidate if it is better; returns the best."""
        self.asked += 1
        if _quality(candidate) > _quality(self.report):
            self.report = candidate
        return self.report

    def told(self, original: GuardReport) -> GuardReport:
        """The best report, with a note on how it came about."""
        if not self.asked:
            return self.report
        kept = "the first answer was kept" if self.report is original else "a better answer was taken"
        times = "once" if self.asked == 1 else f"{self.asked} times"
        return replace(self.report, notes=(*self.report.notes, f"asked again {times}: {kept}"))


def reask_until_sound(
    model: Runnable[Any, Any],
    report: GuardReport,
    check: Callable[[str], GuardReport],
    *,
    attempts: int,
    config: RunnableConfig,
) -> GuardReport:
    """Asks again until no claim is hedged or blocked, or the attempts are used up.

    A model that fails is logged and ends the asking; the best answer so far stands.

    Args:
        model: gets a prompt, gives a text or an AIMessage.
        report: of the first answer.
        check: checks another answer to the same question.
        attempts: how often to ask at most.
        config: of the guard's run.
    """
    if not is_doubtful(report):
        return report
    best = _Best(report)
    quiet = merge_configs(config, _QUIET)

    def ask() -> GuardReport:
        answer = model.invoke(reask_prompt(best.report), quiet)
        return best.consider(check(answer_text(answer)))

    try:
        Retrying(stop=stop_after_attempt(attempts), retry=retry_if_result(is_doubtful), **_GIVE_UP)(ask)
    except Exception as error:
        _log_failure(error)
    return best.told(report)


async def areask_until_sound(
    model: Runnable[Any, Any],
    report: GuardReport,
    check: Callable[[str], Awaitable[GuardReport]],
    *,
    attempts: int,
    config: RunnableConfig,
) -> GuardReport:
    """`reask_until_sound` for event loops."""
    if not is_doubtful(report):
        return report
    best = _Best(report)
    quiet = merge_configs(config, _QUIET)

    async def ask() -> GuardReport:
        answer = await model.ainvoke(reask_prompt(best.report), quiet)
        return best.consider(await check(answer_text(answer)))

    try:
        retrying = AsyncRetrying(
            stop=stop_after_attempt(attempts), retry=retry_if_result(is_doubtful), **_GIVE_UP
        )
        await retrying(ask)
    except Exception as error:
        _log_failure(error)
    return best.told(report)


def is_doubtful(report: GuardReport) -> bool:
    """True if asking again may help: a claim was hedged or blocked."""
    return report.error is None and (report.blocked or bool(_doubtful(report)))


def reask_prompt(report: GuardReport) -> PromptValue:
    """Question, documents, the earlier answer, and what is doubtful about it."""
    documents = "\n".join(f"[{number}] {p.text}" for number, p in enumerate(report.passages, start=1))
    doubts = "\n".join(f"- {claim}" for claim in _doubtful(report))
    text = (
        f"Documents:\n{documents or '(none)'}\n\nQuestion: {report.question}\n\n"
        f"An earlier answer: {report.answer}\n\nThese statements in it are doubtful:\n{doubts}\n\n"
        f"Answer the question again, and correct or leave out the doubtful statements. {UNCERTAINTY_CLAUSE}"
    )
    return ChatPromptValue(messages=[HumanMessage(text)])


def _doubtful(report: GuardReport) -> list[str]:
    return [
        claim.text + (" (the documents contradict it)" if claim.verdict is Verdict.CONTRADICTED else "")
        for claim in report.claims
        if claim.action in (Action.HEDGE, Action.BLOCK)
    ]


def _quality(report: GuardReport) -> tuple[bool, float]:
    """An answer that can be shown beats one that cannot; then the least likely claim decides.

    An answer without a claim (a refusal) is only better than one that cannot be shown.
    """
    return report.error is None and not report.blocked, report.p_true or 0.0


def _stop(state: RetryCallState) -> None:
    """Used-up attempts are no failure: the best answer is at hand."""


_GIVE_UP: dict[str, Any] = {"retry_error_callback": _stop}


def _log_failure(error: Exception) -> None:
    logger.warning("asking again failed, the best answer so far stands: %s", error, exc_info=True)
