"""Guard: checks an answer against its passages and the model's own knowledge, and rewrites it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from franq_guard import assembly
from franq_guard.config import GuardConfig
from franq_guard.drift import DriftReport, DriftWatch
from franq_guard.errors import ConfigError, FranqGuardError, ModelError
from franq_guard.inputs import CheckInput, as_input, as_inputs
from franq_guard.models.presets import preset
from franq_guard.outcome import failed_report, guarded_report
from franq_guard.pipeline.deadline import Deadline
from franq_guard.policy import Policy
from franq_guard.runtime.locks import ForkLock
from franq_guard.runtime.threads import BackgroundCall, ClosedError, Threads, result_of
from franq_guard.runtime.time_limit import limited
from franq_guard.schema import GuardReport
from franq_guard.streaming import AnswerStream, StreamedPiece, adrive, drive
from franq_guard.tracing.correlation import Correlation
from franq_guard.tracing.dispatcher import Tracing
from franq_guard.tracing.wiring import build_sinks, split_sinks

if TYPE_CHECKING:
    from franq_guard.alignment import Aligner
    from franq_guard.calibration import Calibrator
    from franq_guard.claims import ClaimExtractor
    from franq_guard.models.base import AlignmentModel, LanguageModel
    from franq_guard.pipeline.pipeline import Pipeline, Progress
    from franq_guard.retrieval import PassageFinding, Screening
    from franq_guard.tracing import Sink

logger = logging.getLogger(__name__)

_THREADS = 32
"""Awaited checks that are under way at once; each waits for the models most of the time."""

_MODELS: tuple[Literal["language_model", "alignment_model"], ...] = ("language_model", "alignment_model")


class Guard:
    """Says for every claim of an answer how likely it is to be true, and acts on it.

    Models are loaded at the first check, or by `warm_up`, once a process. A guard is safe to share
    between threads and event loops.

    Args:
        language_model: source of a language model, or a loaded one.
        alignment_model: source of an alignment model, a loaded one, or an `Aligner`.
        calibration: file of a calibrator for long form, a `Calibrator`, or "none".
        short_calibration: likewise for short form.
        claim_extractor: splits answers into claims in place of what the setting `claims` says.
        tracing: where scores go besides the report: sinks, or names or tables as in `GuardConfig`.
        on_drift: called when what is checked no longer looks like what the calibrator was fitted on, at most
            once in `drift_period` seconds, with a `DriftReport`; must return soon.
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
        claim_extractor: ClaimExtractor | None = None,
        tracing: str | Mapping[str, Any] | Sink | Iterable[str | Mapping[str, Any] | Sink] | None = None,
        on_drift: Callable[[DriftReport], None] | None = None,
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
        sinks, tables = split_sinks(tracing)
        named: dict[str, Any] = {
            key: str(value) for key, value in objects.items() if isinstance(value, str | Path)
        }
        base = {} if config is None else {name: getattr(config, name) for name in config.model_fields_set}
        if tracing is not None:
            named["tracing"] = tables
        self._config = GuardConfig.load(**(base | settings | named))
        if self._config.preset is not None:
            preset(self._config.preset)
        self._given: dict[str, Any] = {
            key: value
            for key, value in objects.items()
            if value is not None and not isinstance(value, str | Path)
        }
        if claim_extractor is not None:
            self._given["claim_extractor"] = assembly.require_extractor(claim_extractor)
        for role in _MODELS:
            if role not in self._given:
                assembly.model_source(self._config, role)
        self.tracing = Tracing([*sinks, *build_sinks(self._config.tracing)])
        self._drift = DriftWatch(
            window=self._config.drift_window, period=self._config.drift_period, on_drift=on_drift
        )
        self._pipeline: Pipeline | None = None
        self._loading = ForkLock()
        self._loader = BackgroundCall(self._loaded, name="franq-guard loading")
        # Its own threads: waiting for a model must not use up the application's default executor.
        self._threads = Threads(_THREADS, name="franq-guard")
        self._origin: Guard | None = None

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

    def with_policy(self, policy: Policy) -> Self:
        """This guard under another policy: the same models, thread and tracing, so it costs nothing to make.

        Raises:
            ConfigError: if `policy` is not a Policy.
        """
        if not isinstance(policy, Policy):
            raise ConfigError(f"expected a Policy, not {type(policy).__name__}")
        other = copy(self)
        other._config = self._config.model_copy(update={"policy": policy})
        other._origin = self._origin or self
        other._threads = Threads(_THREADS, name="franq-guard")
        return other

    def warm_up(self, *, rehearse: bool = True) -> Self:
        """Loads the models now instead of at the first check.

        Args:
            rehearse: also check a small answer, so that the first real one takes no longer than others.

        Raises:
            ModelError: if a model cannot be found, fetched or loaded.
            CalibrationError: if the calibrator is corrupt or was fitted for other models.
        """
        pipeline = self._loaded()
        if rehearse:
            from franq_guard.rehearsal import rehearse as check_once

            check_once(pipeline, self._config.policy)
        return self

    def forget(self) -> None:
        """Drops what the models remember of earlier answers: prompts, pairs and log-probabilities.

        With the same work and threads behind it, the next check then gives the same numbers to the last
        digit; otherwise float32 sums may depend on what was computed together before. Models that several
        guards share forget for all of them.
        """
        if self._origin is not None:
            self._origin.forget()
        elif self._pipeline is not None:
            self._pipeline.forget()

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
        """`check` for event loops: the work is done on the guard's own threads, never on the loop."""
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
        """`screen` for event loops: the work is done on the guard's own threads, never on the loop."""
        item = as_input(question, passages, "")
        return await self._own_threads().run(self._screen, item, settings)

    def _screen(self, item: CheckInput, settings: Screening | None) -> tuple[PassageFinding, ...]:
        from franq_guard.retrieval import Screening, screen_passages

        deadline = Deadline(self._config.timeout)
        with limited(deadline):
            return screen_passages(
                item.question,
                [passage.text for passage in item.passages],
                settings=settings or Screening(),
                aligner=lambda: self._loaded_by(deadline).aligner,
                deadline=deadline.check,
                raise_errors=self._config.on_error == "raise",
            )

    def stream(
        self,
        question: str,
        passages: Any,
        pieces: Iterable[str],
        *,
        correlation: Correlation | None = None,
    ) -> Iterator[StreamedPiece]:
        """Checks an answer while it is being written; each sentence is released once it was scored.

        Args:
            question: what was asked.
            passages: as for `check`.
            pieces: the answer in pieces of any size, as a model streams it.
            correlation: the runs and spans that the answer belongs to; by default what is current here.

        Yields:
            Guarded text, sentence by sentence; the last piece carries the report on the whole answer.

        Raises:
            InputError: if an argument has the wrong type.
            FranqGuardError: if the check fails and `on_error` is "raise".
        """
        return drive(self._answer_stream(question, passages, correlation), pieces)

    def astream(
        self,
        question: str,
        passages: Any,
        pieces: AsyncIterable[str],
        *,
        correlation: Correlation | None = None,
    ) -> AsyncIterator[StreamedPiece]:
        """`stream` for event loops: the work is done on the guard's own threads, never on the loop."""
        return adrive(self._answer_stream(question, passages, correlation), pieces, self._own_threads())

    def _answer_stream(self, question: str, passages: Any, correlation: Correlation | None) -> AnswerStream:
        [item] = self._correlated([as_input(question, passages, "", None, correlation)])
        return AnswerStream(item, self._config, self._loaded_by, self._emit)

    def drift(self) -> tuple[DriftReport, ...]:
        """Whether recent answers still look like what the calibrators were fitted on, one entry a form.

        Empty before the first check, for uncalibrated forms, and with a `drift_window` of 0.
        """
        return self._drift.reports()

    def close(self) -> None:
        """Ends the guard's threads, and sends what is traced; models and sinks stay for others.

        Awaited checks that run are finished; those that still wait fail as `on_error` says.
        """
        self.tracing.flush()
        self._threads.close()

    async def _in_thread(self, inputs: list[CheckInput]) -> list[GuardReport]:
        deadline = Deadline(self._config.timeout)  # it also runs while all threads are busy
        work = self._own_threads().submit(self._check_traced, inputs, None, deadline)
        waiting = asyncio.wrap_future(work)
        try:
            await asyncio.wait({waiting}, timeout=deadline.left())
            if not waiting.done() and work.cancel():
                return self._check_traced(inputs, None, deadline)
            await asyncio.wait({waiting})
            return result_of(waiting)
        except ClosedError as error:
            deadline.cancel(error)
            return self._check_traced(inputs, None, deadline)
        except asyncio.CancelledError:
            deadline.cancel()
            work.cancel()
            raise

    def _own_threads(self) -> Threads:
        return self._threads if self._origin is None else self._origin._own_threads()

    def _correlated(self, items: list[CheckInput]) -> list[CheckInput]:
        """The items with what is current on this thread, where nothing was handed over."""
        if not self.tracing or all(item.correlation is not None for item in items):
            return items
        current = Correlation.current()
        return [item if item.correlation else replace(item, correlation=current) for item in items]

    def _emit(self, report: GuardReport, correlation: Correlation | None) -> None:
        """Hands a finished report to drift monitors and tracing sinks, once an answer; returns at once."""
        self._drift.observe(report)
        self.tracing.emit(report, correlation)

    def _check_traced(
        self, items: Sequence[CheckInput], progress: Progress | None, deadline: Deadline | None = None
    ) -> list[GuardReport]:
        try:
            reports = self._check(items, progress, deadline or Deadline(self._config.timeout))
        except Exception as error:
            if self.tracing:
                for item in items:
                    self._emit(self._failed(item, error), item.correlation)
            raise
        for item, report in zip(items, reports, strict=True):
            self._emit(report, item.correlation)
        return reports

    def _check(
        self, items: Sequence[CheckInput], progress: Progress | None, deadline: Deadline
    ) -> list[GuardReport]:
        timings: dict[str, float] = {}
        start = time.perf_counter()
        try:
            deadline.check()
            pipeline = self._loaded_by(deadline)
            timings["loading"] = time.perf_counter() - start
            scored = pipeline.run(
                items,
                deadline=deadline,
                timings=timings,
                progress=progress,
                cheap_first=self._config.policy if self._config.cheap_first else None,
            )
            rewriting = time.perf_counter()
            with limited(deadline):
                reports = [
                    guarded_report(pipeline, item, result, self._config.policy)
                    for item, result in zip(items, scored, strict=True)
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

    def _failed(self, item: CheckInput, error: Exception) -> GuardReport:
        return failed_report(item, error, max_claims=self._config.max_claims, on_error=self._config.on_error)

    def _loaded_by(self, deadline: Deadline) -> Pipeline:
        if self._origin is not None:
            return self._origin._loaded_by(deadline)
        if self._pipeline is not None or deadline.left() is None:
            return self._loaded()
        return self._loader.wait(deadline)

    def _loaded(self) -> Pipeline:
        if self._origin is not None:
            return self._origin._loaded()
        if self._pipeline is None:
            with self._loading:
                if self._pipeline is None:
                    pipeline = assembly.assemble(self._config, **self._given)
                    for calibrator in (pipeline.calibrator, pipeline.short_calibrator):
                        self._drift.follow(calibrator, hard=self._config.threshold is not None)
                    self._pipeline = pipeline
        return self._pipeline
