"""FranqEvaluator: P(true) of answers in LlamaIndex's evaluation module."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.response.schema import Response
from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
from llama_index.core.prompts.mixin import PromptDictType, PromptMixinType
from llama_index.core.schema import MetadataMode

from franq_guard import ConfigError, Guard, GuardReport, InputError, Passage

from .checks import correlation
from .evidence import as_passages

_SHOWN = 200


class FranqEvaluator(BaseEvaluator):
    """Scores answers by their least likely claim.

    `score` is the lowest P(true) among the claims, in [0, 1]; `passing` says whether it reaches the
    threshold; `feedback` names the claims below it. What could not be checked is an `invalid_result` with
    its reason, never a score: a failed check, an answer without claims, or one whose claims all pass but for
    some that nobody checked.

    Args:
        guard: the guard; with `on_error="raise"` a failing check raises.
        passing_from: lowest score that passes, in [0, 1].
        metadata_mode: which of the nodes' metadata belongs to the evidence when responses are evaluated;
            LLM is what the model saw.

    Raises:
        ConfigError: if an argument has the wrong type or is out of range.

    Example:
        >>> runner = BatchEvalRunner({"franq": FranqEvaluator(guard)}, workers=4)
        >>> results = await runner.aevaluate_queries(engine, queries)
    """

    def __init__(
        self,
        guard: Guard,
        *,
        passing_from: float = 0.5,
        metadata_mode: MetadataMode = MetadataMode.LLM,
    ) -> None:
        if not isinstance(guard, Guard):
            raise ConfigError(f"guard must be a franq_guard.Guard, not {type(guard).__name__}")
        number = isinstance(passing_from, int | float) and not isinstance(passing_from, bool)
        if not number or not math.isfinite(passing_from) or not 0 <= passing_from <= 1:
            raise ConfigError(f"passing_from must be a number from 0 to 1, got {passing_from!r}")
        self._guard = guard
        self._passing_from = float(passing_from)
        self._mode = MetadataMode(metadata_mode)

    def evaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> EvaluationResult:
        """Evaluates one answer, on this thread.

        Args:
            query: the question.
            response: the answer.
            contexts: what it was written from; None for nothing.
            kwargs: not used; runners pass what other evaluators need.

        Raises:
            InputError: if `query` or `response` is missing.
            FranqGuardError: if the check fails and the guard's `on_error` is "raise".
        """
        question, answer = _given(query, response)
        return self._judged(question, answer, [Passage(text) for text in contexts or ()])

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> EvaluationResult:
        """`evaluate` for event loops; the models run on the guard's own thread."""
        question, answer = _given(query, response)
        return await self._ajudged(question, answer, [Passage(text) for text in contexts or ()])

    def evaluate_response(
        self, query: str | None = None, response: Response | None = None, **kwargs: Any
    ) -> EvaluationResult:
        """Evaluates a query engine's response against its source nodes."""
        question, answer = _given(query, None if response is None else response.response)
        return self._judged(question, answer, self._sources(response))

    async def aevaluate_response(
        self, query: str | None = None, response: Response | None = None, **kwargs: Any
    ) -> EvaluationResult:
        """`evaluate_response` for event loops."""
        question, answer = _given(query, None if response is None else response.response)
        return await self._ajudged(question, answer, self._sources(response))

    def _sources(self, response: Response | None) -> tuple[Passage, ...]:
        return as_passages(response.source_nodes if response else (), self._mode)

    def _judged(self, question: str, answer: str, passages: Sequence[Passage]) -> EvaluationResult:
        return self._result(self._guard.check(question, passages, answer, correlation=correlation()))

    async def _ajudged(self, question: str, answer: str, passages: Sequence[Passage]) -> EvaluationResult:
        report = await self._guard.acheck(question, passages, answer, correlation=correlation())
        return self._result(report)

    def _result(self, report: GuardReport) -> EvaluationResult:
        given: dict[str, Any] = {
            "query": report.question,
            "response": report.answer,
            "contexts": [passage.text for passage in report.passages],
        }
        score = report.p_true
        passing = score is not None and score >= self._passing_from
        reason = _invalid(report, passing=passing)
        if reason:
            return EvaluationResult(**given, invalid_result=True, invalid_reason=reason)
        return EvaluationResult(**given, score=score, passing=passing, feedback=self._feedback(report))

    def _feedback(self, report: GuardReport) -> str:
        doubtful = [c for c in report.claims if c.p_true is not None and c.p_true < self._passing_from]
        if not doubtful:
            return "Every claim is likely to be true."
        return "\n".join(
            f"P(true) = {claim.p_true:.2f}, {claim.verdict.value}: {claim.text[:_SHOWN]}"
            for claim in doubtful
        )

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        """There are none."""


def _invalid(report: GuardReport, *, passing: bool) -> str:
    """Why an answer has no score; empty if it has one."""
    if report.error is not None:
        return report.error
    if report.p_true is not None and not passing:
        return ""
    unchecked = [c for c in report.claims if c.checkworthy and c.p_true is None]
    if unchecked:
        first = unchecked[0]
        return f"{len(unchecked)} claims were not checked, the first because: {first.unchecked_reason}"
    return "" if passing else "the answer makes no claim that could be checked"


def _given(query: str | None, response: str | None) -> tuple[str, str]:
    if query is None or response is None:
        raise InputError("an evaluation needs a query and a response; contexts may be left out")
    return query, response
