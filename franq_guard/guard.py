"""Guard: checks an answer against its passages and the model's own knowledge, and rewrites it."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from franq_guard import assembly
from franq_guard.config import GuardConfig
from franq_guard.errors import ConfigError, FranqGuardError, ModelError
from franq_guard.inputs import CheckInput, as_input, as_inputs
from franq_guard.models.presets import preset
from franq_guard.pipeline.deadline import Deadline
from franq_guard.schema import Coverage, GuardReport, ScoredClaim, Span, Verdict

if TYPE_CHECKING:
    from franq_guard.alignment import Aligner
    from franq_guard.calibration import Calibrator
    from franq_guard.models.base import AlignmentModel, LanguageModel
    from franq_guard.pipeline.pipeline import Pipeline, Progress, Scored
    from franq_guard.retrieval import PassageFinding, Screening
    from franq_guard.tracing import Correlation, Tracing

logger = logging.getLogger(__name__)

_MODELS: tuple[Literal["language_model", "alignment_model"], ...] = ("language_model", "alignment_model")

WITHHELD = "This answer could not be checked and was withheld."
"""Stands in for an answer whose check failed under `on_error="block"`."""


class Guard:
    """Says for every claim of an answer how likely it is to be true, and acts on it.

    Models are loaded at the first check, or by `warm_up`, once a process. A guard is safe to share
    between threads and event loops.

    Args:
        language_model: source of a language model, or a loaded one.
        alignment_model: source of an alignment model, a loaded one, or an `Aligner`.
        calibration: file of a calibrator for long form, a `Calibrator`, or "none".
        short_calibration: likewise for short form.
        config: settings to start from; the keywords here and in `settings` win over it.
        settings: any setting of `GuardConfig`: policy, device, dtype, on_error, timeout, ...

    Raises:
        ConfigError: if a setting is unknown or out of range.

    Example:
        >>> guard = Guard.from_preset("mini")
        >>> report = guard.check("How tall is it?", ["It is 330 metres tall."], "It is 330 metres tall.")
        >>> print(report.text)
    """

    def __init__(
        self,
        *,
        language_model: str | LanguageModel | None = None,
        alignment_model: str | AlignmentModel | Aligner | None = None,
        calibration: str | Path | Calibrator | None = None,
        short_calibration: str | Path | Calibrator | None = None,
        config: GuardConfig | None = None,
        **settings: Any,
    ) -> None:
        objects = {
            "language_model": language_model,
            "alignment_model": alignment_model,
            "calibration": calibration,
            "short_calibration": short_calibration,
        }
        if config is not None and not isinstance(config, GuardConfig):
            raise ConfigError(
                f"config must be a GuardConfig, not {type(config).__name__}; for a file use Guard.from_config"
            )
        named = {key: str(value) for key, value in objects.items() if isinstance(value, str | Path)}
        base = {} if config is None else {name: getattr(config, name) for name in config.model_fields_set}
        self._config = GuardConfig.load(**(base | settings | named))
        if self._config.preset is not None:
            preset(self._config.preset)
        self._given: dict[str, Any] = {
            key: value
            for key, value in objects.items()
            if value is not None and not isinstance(value, str | Path)
        }
        for role in _MODELS:
            if role not in self._given:
                assembly.model_source(self._config, role)
        self._tracing: Tracing | None = None
        self._pipeline: Pipeline | None = None
        self._loading = threading.Lock()
        self._starting = threading.Lock()  # held on event loops, so never while a model loads
        self._executor: ThreadPoolExecutor | None = None

    @classmethod
    def from_preset(cls, name: str, **settings: Any) -> Self:
        """Makes a guard from a named set of models; `settings` override its parts.

        Raises:
            ConfigError: if there is no such preset, or a setting is unknown or out of range.
        """
        return cls(preset=name, **settings)

    @classmethod
    def from_config(cls, path: str | Path, **settings: Any) -> Self:
        """Makes a guard from a TOML file; environment variables and `settings` win over it.

        Raises:
            ConfigError: if the file cannot be read, or a setting is unknown or out of range.
        """
        return cls(config=GuardConfig.load(path), **settings)

    @property
    def config(self) -> GuardConfig:
        """The settings in force."""
        return self._config

    def warm_up(self) -> Self:
        """Loads the models now instead of at the first check.

        Raises:
            ModelError: if a model cannot be found, fetched or loaded.
            CalibrationError: if the calibrator is corrupt or was fitted for other models.
        """
        self._loaded()
        return self

    def check(
        self,
        question: str,
        passages: Any,
        answer: str,
        *,
        token_log_probs: Sequence[Any] | None = None,
        correlation: Correlation | None = None,
        progress: Progress | None = None,
    ) -> GuardReport:
        """Checks one answer.

        Args:
            question: what was asked.
            passages: what was retrieved, best first: texts, Passages, or mappings with a "text".
            answer: what was answered.
            token_log_probs: the generator's log-probabilities of the answer's tokens, if it gives them
                (OpenAI-style entries); saves scoring the answer with its passages.
            correlation: the runs and spans that the scores are filed under, if the guard is traced; None
                takes those that are current where this is called.
            progress: called with a stage's name, how much is done, and how much there is.

        Returns:
            The report; its `text` is the guarded answer.

        Raises:
            InputError: if an argument has the wrong type.
            FranqGuardError: if the check fails and `on_error` is "raise".
        """
        item = as_input(question, passages, answer, token_log_probs, correlation)
        return self._check_traced(self._correlated([item]), progress)[0]

    def check_many(self, items: Iterable[Any], *, progress: Progress | None = None) -> list[GuardReport]:
        """Checks several answers together, which is faster than one by one.

        Args:
            items: mappings with "question", "passages" and "answer", and optionally "token_log_probs" and
                "correlation".
            progress: see `check`.

        Returns:
            One report for each item, in order.

        Raises:
            InputError: if an item is not such a mapping; the message says which.
            FranqGuardError: if the check fails and `on_error` is "raise".
        """
        inputs = self._correlated(as_inputs(items))
        return self._check_traced(inputs, progress) if inputs else []

    async def acheck(
        self,
        question: str,
        passages: Any,
        answer: str,
        *,
        token_log_probs: Sequence[Any] | None = None,
        correlation: Correlation | None = None,
    ) -> GuardReport:
        """`check` for event loops: the work is done on the guard's own thread, never on the loop."""
        item = as_input(question, passages, answer, token_log_probs, correlation)
        reports = await self._in_thread(self._correlated([item]))
        return reports[0]

    async def acheck_many(self, items: Iterable[Any]) -> list[GuardReport]:
        """`check_many` for event loops."""
        inputs = self._correlated(as_inputs(items))
        return await self._in_thread(inputs) if inputs else []

    def screen(
        self, question: str, passages: Any, *, settings: Screening | None = None
    ) -> tuple[PassageFinding, ...]:
        """Screens retrieved passages before an answer is written from them.

        Finds empty passages, repetitions, passages that contradict one another, and passages that do not
        speak to the question. Nothing is removed; that is up to the caller.

        Args:
            question: what was asked.
            passages: what was retrieved, best first; as for `check`.
            settings: thresholds and limits.

        Returns:
            One finding for each passage, in order. With `on_error` other than "raise", a failing model or a
            passed deadline leaves conflicts unsearched, and the notes say so.

        Raises:
            InputError: if an argument has the wrong type.
            FranqGuardError: if the screening fails and `on_error` is "raise".
        """
        return self._screen(as_input(question, passages, ""), settings)

    async def ascreen(
        self, question: str, passages: Any, *, settings: Screening | None = None
    ) -> tuple[PassageFinding, ...]:
        """`screen` for event loops: the work is done on the guard's own thread, never on the loop."""
        item = as_input(question, passages, "")
        return await asyncio.get_running_loop().run_in_executor(
            self._own_thread(), self._screen, item, settings
        )

    def _screen(self, item: CheckInput, settings: Screening | None) -> tuple[PassageFinding, ...]:
        from franq_guard.retrieval import Screening, screen_passages

        return screen_passages(
            item.question,
            [passage.text for passage in item.passages],
            settings=settings or Screening(),
            aligner=lambda: self._loaded().aligner,
            deadline=Deadline(self._config.timeout).check,
            raise_errors=self._config.on_error == "raise",
        )

    def close(self) -> None:
        """Ends the guard's thread; models stay loaded for others."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None

    async def _in_thread(self, inputs: list[CheckInput]) -> list[GuardReport]:
        return await asyncio.get_running_loop().run_in_executor(
            self._own_thread(), self._check_traced, inputs, None
        )

    def _own_thread(self) -> ThreadPoolExecutor:
        # Its own thread: waiting for a model must not use up the application's default executor.
        with self._starting:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="franq-guard")
            return self._executor

    def _correlated(self, items: list[CheckInput]) -> list[CheckInput]:
        """The items with what is current on this thread, where nothing was handed over."""
        if self._tracing is None or all(item.correlation is not None for item in items):
            return items
        current = self._tracing.current()
        return [item if item.correlation else replace(item, correlation=current) for item in items]

    def _emit(self, report: GuardReport, correlation: Correlation | None) -> None:
        """Hands a finished report to the tracing sinks, once for each answer; returns at once."""
        if self._tracing is not None:
            self._tracing.emit(report, correlation)

    def _check_traced(self, items: Sequence[CheckInput], progress: Progress | None) -> list[GuardReport]:
        try:
            reports = self._check(items, progress)
        except Exception as error:
            if self._tracing is not None:
                for item in items:
                    self._emit(self._failed(item, error), item.correlation)
            raise
        for item, report in zip(items, reports, strict=True):
            self._emit(report, item.correlation)
        return reports

    def _check(self, items: Sequence[CheckInput], progress: Progress | None) -> list[GuardReport]:
        deadline = Deadline(self._config.timeout)
        timings: dict[str, float] = {}
        start = time.perf_counter()
        try:
            pipeline = self._loaded()
            timings["loading"] = time.perf_counter() - start
            scored = pipeline.run(items, deadline=deadline, timings=timings, progress=progress)
            rewriting = time.perf_counter()
            reports = [
                self._report(pipeline, item, result) for item, result in zip(items, scored, strict=True)
            ]
            timings["rewriting"] = time.perf_counter() - rewriting
        except Exception as error:
            unexpected = not isinstance(error, FranqGuardError)
            if self._config.on_error == "raise":
                if unexpected:
                    raise ModelError(f"the check failed: {type(error).__name__}: {error}") from error
                raise
            logger.warning("check failed, on_error=%s: %s", self._config.on_error, error, exc_info=unexpected)
            reports = [self._failed(item, error) for item in items]
        timings["total"] = time.perf_counter() - start
        return [replace(report, timings=dict(timings)) for report in reports]

    def _report(self, pipeline: Pipeline, item: CheckInput, scored: Scored) -> GuardReport:
        from franq_guard.rewriting import rewrite

        claims = self._config.policy.apply(scored.claims)
        rewriting = rewrite(
            item.answer, claims, self._config.policy, passages=item.passages, rephraser=pipeline.rephraser
        )
        calibrator = pipeline.calibrator_of(scored.form)
        return GuardReport(
            question=item.question,
            passages=item.passages,
            answer=item.answer,
            text=rewriting.text,
            claims=claims,
            blocked=rewriting.blocked,
            form=scored.form,
            form_reason=scored.form_reason,
            samples=scored.samples,
            calibration="none" if calibrator is None else calibrator.mode,
            calibrator=None if calibrator is None else calibrator.id,
            models={
                "language_model": pipeline.language_model.id,
                "alignment_model": pipeline.aligner.id,
                "splitter": pipeline.aligner.splitter_name,
            },
            coverage=_coverage(item.answer, claims),
            notes=(*scored.notes, *rewriting.notes),
        )

    def _failed(self, item: CheckInput, error: Exception) -> GuardReport:
        from franq_guard.claims import RuleExtractor
        from franq_guard.pipeline.pipeline import unchecked_claims

        reason = f"{type(error).__name__}: {error}"
        blocked = self._config.on_error == "block"
        try:
            claims = unchecked_claims(item, RuleExtractor(max_claims=self._config.max_claims), reason)
            coverage = _coverage(item.answer, claims)
        except Exception as second:  # what failed may have been the splitting itself
            logger.warning("the answer could not be split into claims: %s", second)
            claims = ()
            coverage = Coverage(total=len("".join(item.answer.split())), scored=0, not_checkworthy=0)
        return GuardReport(
            question=item.question,
            passages=item.passages,
            answer=item.answer,
            text=WITHHELD if blocked else item.answer,
            claims=claims,
            blocked=blocked,
            error=reason,
            coverage=coverage,
            notes=("the check failed: nothing in this answer was checked",),
        )

    def _loaded(self) -> Pipeline:
        if self._pipeline is None:
            with self._loading:
                if self._pipeline is None:
                    self._pipeline = assembly.assemble(self._config, **self._given)
        return self._pipeline


def _coverage(answer: str, claims: Sequence[ScoredClaim]) -> Coverage:
    from franq_guard.claims import markup_ranges

    scored, exempt, left_open = (np.zeros(len(answer), dtype=bool) for _ in range(3))
    for claim in claims:
        if claim.p_true is not None:
            # Words that join two claims belong to no span but to their sentence.
            _mark(scored, (claim.sentence, *claim.spans))
        elif claim.verdict is Verdict.NOT_CHECKWORTHY:
            _mark(exempt, (claim.sentence, *claim.spans))
        else:
            _mark(left_open, claim.spans)
    for start, end in markup_ranges(answer):
        exempt[start:end] = True
    scored &= ~left_open
    exempt &= ~(left_open | scored)
    visible = np.array([not character.isspace() for character in answer], dtype=bool)
    return Coverage(
        total=int(visible.sum()),
        scored=int((scored & visible).sum()),
        not_checkworthy=int((exempt & visible).sum()),
    )


def _mark(mask: NDArray[np.bool_], spans: Iterable[Span]) -> None:
    for span in spans:
        mask[span.start : span.end] = True
