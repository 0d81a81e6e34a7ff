"""From what a chain hands over to the guarded answer: the part that all calling modes share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig

from franq_guard import Guard, GuardReport, InputError, Passage, ScoredClaim
from franq_guard.blocking import AnswerBlockedError, blocked_claims
from franq_guard.inputs import CheckInput, as_input
from franq_guard.tracing import Correlation

from .correlating import ids_of, session_of
from .events import adispatch_claims, dispatch_claims
from .evidence import GUARDED, evidence_among
from .exchange import WIRING, Exchange, Keys, answer_text, from_mapping, needs_check
from .messages import token_log_probs
from .reasking import areask_until_sound, reask_until_sound

RunManager = CallbackManagerForChainRun | AsyncCallbackManagerForChainRun


@dataclass(frozen=True, slots=True)
class Request:
    """An answer to check, and where the guarded one goes."""

    exchange: Exchange
    item: CheckInput
    config: RunnableConfig


@dataclass(frozen=True, slots=True)
class Checker:
    """A guard and what to do with its reports; see `FranqGuardrail` for the fields."""

    guard: Guard
    keys: Keys
    on_blocked: Literal["rewrite", "raise"]
    reask: Runnable[Any, Any] | None
    max_reasks: int

    def check(
        self, values: Sequence[Any], run_managers: Sequence[RunManager], configs: Sequence[RunnableConfig]
    ) -> list[Any]:
        """Checks answers together.

        Returns:
            For each value the same kind of thing with the guarded answer, or the exception it met.
        """
        results = self._read_all(values, run_managers, configs)
        requests = [found for found in results if isinstance(found, Request)]
        reports = iter(self.guard.check_many([request.item for request in requests]))
        return [
            self._conclude(found, next(reports)) if isinstance(found, Request) else found for found in results
        ]

    async def acheck(
        self, values: Sequence[Any], run_managers: Sequence[RunManager], configs: Sequence[RunnableConfig]
    ) -> list[Any]:
        """`check` for event loops."""
        results = self._read_all(values, run_managers, configs)
        requests = [found for found in results if isinstance(found, Request)]
        reports = iter(await self.guard.acheck_many([request.item for request in requests]))
        return [
            await self._aconclude(found, next(reports)) if isinstance(found, Request) else found
            for found in results
        ]

    def recall(self, run_manager: RunManager) -> tuple[str, tuple[Passage, ...]]:
        """Question and passages of the chain that a bare answer comes from.

        Raises:
            InputError: if nobody remembered them.
        """
        evidence = evidence_among(run_manager.handlers)
        found = None if evidence is None else evidence.recall(run_manager.run_id)
        if found is None:
            why = "no FranqEvidence listens" if evidence is None else "no retriever or tool has run"
            raise InputError(f"a bare answer came without its documents, and {why}. {WIRING}")
        return found

    def correlation(self, run_manager: RunManager, config: RunnableConfig) -> Correlation:
        """The ids that the scores of a run are filed under."""
        evidence = evidence_among(run_manager.handlers)
        root = None if evidence is None else evidence.runs.root(run_manager.run_id)
        if run_manager.parent_run_id is None:
            root = run_manager.run_id
        session = session_of(config.get("metadata"), config.get("configurable"))
        return ids_of(run_manager.run_id, root, session)

    def raise_if_blocked(self, claims: Sequence[ScoredClaim], report: GuardReport | None) -> None:
        """Raises AnswerBlockedError if asked to and something was blocked."""
        if self.on_blocked == "raise":
            blocked = blocked_claims(claims)
            if blocked or (report is not None and report.blocked):
                raise AnswerBlockedError(blocked, report)

    def _read_all(
        self, values: Sequence[Any], run_managers: Sequence[RunManager], configs: Sequence[RunnableConfig]
    ) -> list[Any]:
        """For each value a Request, the value itself if it needs no check, or the exception it met."""
        results: list[Any] = []
        for value, run_manager, config in zip(values, run_managers, configs, strict=True):
            try:
                request = self.request(value, run_manager, config)
                results.append(value if request is None else request)
            except InputError as error:
                results.append(error)
        return results

    def request(self, value: Any, run_manager: RunManager, config: RunnableConfig) -> Request | None:
        """Reads what a chain hands over.

        Returns:
            None if it needs no check.

        Raises:
            InputError: if it cannot be read, or the documents are missing.
        """
        mark_guarded(run_manager)
        if isinstance(value, Mapping):
            exchange = from_mapping(value, self.keys)
        elif not needs_check(value):
            exchange = None
        else:
            answer = answer_text(value)
            log_probs = token_log_probs(value) if isinstance(value, AIMessage) else None
            exchange = Exchange(*self.recall(run_manager), answer, value, log_probs=log_probs)
        if exchange is None:
            return None
        item = as_input(
            exchange.question,
            exchange.passages,
            exchange.answer,
            exchange.log_probs,
            self.correlation(run_manager, config),
        )
        return Request(exchange, item, config)

    def _conclude(self, request: Request, report: GuardReport) -> Any:
        try:
            report = self.reasked(request.item, report, request.config)
            dispatch_claims(report.claims, request.config)
            self.raise_if_blocked(report.claims, report)
            return request.exchange.guarded(report)
        except AnswerBlockedError as error:
            return error

    async def _aconclude(self, request: Request, report: GuardReport) -> Any:
        try:
            report = await self.areasked(request.item, report, request.config)
            await adispatch_claims(report.claims, request.config)
            self.raise_if_blocked(report.claims, report)
            return request.exchange.guarded(report)
        except AnswerBlockedError as error:
            return error

    def reasked(self, item: CheckInput, report: GuardReport, config: RunnableConfig) -> GuardReport:
        """The report of the best answer, if asking again is wanted."""
        if self.reask is None:
            return report
        return reask_until_sound(
            self.reask,
            report,
            lambda answer: self.guard.check_many([_other(item, answer)])[0],
            attempts=self.max_reasks,
            config=config,
        )

    async def areasked(self, item: CheckInput, report: GuardReport, config: RunnableConfig) -> GuardReport:
        """`reasked` for event loops."""
        if self.reask is None:
            return report

        async def check(answer: str) -> GuardReport:
            return (await self.guard.acheck_many([_other(item, answer)]))[0]

        return await areask_until_sound(self.reask, report, check, attempts=self.max_reasks, config=config)


def mark_guarded(run_manager: RunManager) -> None:
    """Tells a handler that observes the chain that its answer is being checked already."""
    evidence = evidence_among(run_manager.handlers)
    if evidence is not None:
        evidence.runs.put(run_manager.run_id, GUARDED, True)


def _other(item: CheckInput, answer: str) -> CheckInput:
    return replace(item, answer=answer, token_log_probs=None)
