"""One answer on its way through the guard while it is being written."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from franq_guard.config import GuardConfig
from franq_guard.errors import CheckTimeoutError, FranqGuardError, InputError, ModelError
from franq_guard.inputs import CheckInput, Continuation
from franq_guard.outcome import WITHHELD, assemble_report, failed_report, guarded_report, reason_of
from franq_guard.pipeline.deadline import Deadline
from franq_guard.schema import GuardReport, ScoredClaim
from franq_guard.streaming.sentence_buffer import SentenceBuffer
from franq_guard.tracing.correlation import Correlation

if TYPE_CHECKING:
    from franq_guard.pipeline.pipeline import Pipeline, Scored

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedPiece:
    """A part of an answer that may be shown now.

    Attributes:
        text: its guarded text; all of them together are the report's `text`.
        claims: what was found in it, with actions.
        report: on the whole answer; comes with the last piece.
    """

    text: str
    claims: tuple[ScoredClaim, ...] = ()
    report: GuardReport | None = None


class AnswerStream:
    """Takes an answer in pieces of any size, and gives its sentences back once they were checked.

    A sentence is given back when the next one has begun. An answer of one sentence is checked as
    `Guard.check` does it; of a longer one, each sentence is scored in long form behind those before it.
    `timeout` bounds the time that the checks take together, not that of whoever writes the answer.

    Under `on_error="pass"` a sentence that cannot be checked is given back as it is, its claims unchecked;
    under "block" the answer ends there with a message; under "raise" so does the stream.

    Args:
        item: question and passages; its answer is empty.
        config: policy, on_error, timeout, limits.
        pipeline: gives the models, loading them if need be, but waits no longer than the deadline.
        emit: told about the report, also of an answer whose check raises.
    """

    def __init__(
        self,
        item: CheckInput,
        config: GuardConfig,
        pipeline: Callable[[Deadline], Pipeline],
        emit: Callable[[GuardReport, Correlation | None], None],
    ) -> None:
        self._item = item
        self._config = config
        self._pipeline = pipeline
        self._emit = emit
        self._buffer = SentenceBuffer()
        self._start = 0
        self._shown = ""
        self._claims: tuple[ScoredClaim, ...] = ()
        self._notes: list[str] = []
        self._timings: dict[str, float] = {}
        self._spent = 0.0
        self._error: str | None = None
        self._ended = False

    @property
    def ended(self) -> bool:
        """True once the last piece was given back: further text is not taken."""
        return self._ended

    def read_ahead(self) -> None:
        """Loads the models and reads the passages, while the first sentence is still being written.

        What goes wrong here will go wrong again when a sentence is checked, and is dealt with there.
        """
        try:
            self._pipeline(Deadline(None)).read_ahead(self._item)
        except Exception as error:
            logger.debug("reading ahead failed: %s", error)

    def push(self, piece: str) -> StreamedPiece | None:
        """Takes text; gives back the sentences that it finished, if any.

        Raises:
            InputError: if `piece` is not a str.
            FranqGuardError: if the check fails and `on_error` is "raise".
        """
        return self.check() if self.take(piece) else None

    def take(self, piece: str) -> bool:
        """Takes text; True if it finished a sentence, so that there is something to `check`.

        Raises:
            InputError: if `piece` is not a str.
        """
        if not isinstance(piece, str):
            raise InputError(f"an answer comes in pieces of str, not {type(piece).__name__}")
        return not self._ended and self._buffer.push(piece)

    def check(self) -> StreamedPiece:
        """Checks the sentences that are finished, and gives them back.

        Raises:
            FranqGuardError: if the check fails and `on_error` is "raise".
        """
        return self._advance(self._buffer.end, last=False)

    def finish(self) -> StreamedPiece:
        """Gives back what is left, and the report.

        Raises:
            FranqGuardError: if the check fails and `on_error` is "raise".
        """
        return self._advance(len(self._buffer.text), last=True)

    def fail(self, error: FranqGuardError, *, last: bool) -> StreamedPiece:
        """What `check`, or `finish` for the last piece, gives back if it cannot even be begun.

        Raises:
            FranqGuardError: if `on_error` is "raise".
        """
        return self._failed(error, len(self._buffer.text) if last else self._buffer.end, last=last)

    def _advance(self, end: int, *, last: bool) -> StreamedPiece:
        begun = time.perf_counter()
        try:
            return self._checked(end, last=last)
        except Exception as error:
            return self._failed(error, end, last=last)
        finally:
            self._spent += time.perf_counter() - begun

    def _checked(self, end: int, *, last: bool) -> StreamedPiece:
        timeout = self._config.timeout
        if timeout is not None and self._spent >= timeout:
            raise CheckTimeoutError(f"the sentences before took all of the {timeout:g} s; raise `timeout`")
        deadline = Deadline(None if timeout is None else timeout - self._spent, of=timeout)
        pipeline = self._pipeline(deadline)
        item = replace(self._item, answer=self._buffer.text[:end])
        whole = last and self._start == 0
        if not whole:
            item = replace(item, continues=Continuation(start=self._start, claims=self._claims))
        [scored] = pipeline.run(
            [item],
            deadline=deadline,
            timings=self._timings,
            cheap_first=self._config.policy if self._config.cheap_first else None,
        )
        if whole:
            report = guarded_report(pipeline, item, scored, self._config.policy)
            return self._last(report, report.claims, report.text)
        return self._rewritten(pipeline, item, scored, last=last)

    def _rewritten(
        self, pipeline: Pipeline, item: CheckInput, scored: Scored, *, last: bool
    ) -> StreamedPiece:
        from franq_guard.rewriting import rewrite_growing

        policy = self._config.policy.for_calibrator(pipeline.calibrator_of(scored.form))
        known = len(self._claims)
        new = policy.apply(scored.claims[known:])
        claims = (*self._claims, *new)
        rewriting = rewrite_growing(
            item.answer,
            claims,
            policy,
            start=self._start,
            last=last,
            passages=item.passages,
            rephraser=pipeline.rephraser,
        )
        self._start, self._claims = len(item.answer), claims
        self._notes += [*scored.notes, *rewriting.notes]
        if not last:
            self._shown += rewriting.text
            return StreamedPiece(text=rewriting.text, claims=new)
        report = assemble_report(pipeline, item, scored, claims, rewriting)
        notes = tuple(dict.fromkeys(self._notes))
        return self._last(replace(report, error=self._error, notes=notes), new, rewriting.text)

    def _last(self, report: GuardReport, claims: tuple[ScoredClaim, ...], text: str) -> StreamedPiece:
        self._ended = True
        timings = dict(self._timings)
        timings["total"] = sum(timings.values())
        report = replace(report, text=self._shown + text, timings=timings)
        self._emit(report, self._item.correlation)
        return StreamedPiece(text=text, claims=claims, report=report)

    def _failed(self, error: Exception, end: int, *, last: bool) -> StreamedPiece:
        on_error = self._config.on_error
        unexpected = not isinstance(error, FranqGuardError)
        if on_error == "raise":
            self._ended = True
            item = replace(self._item, answer=self._buffer.text)
            report = failed_report(item, error, max_claims=self._config.max_claims, on_error=on_error)
            self._emit(replace(report, text=self._shown), self._item.correlation)
            if unexpected:
                raise ModelError(f"the check failed: {reason_of(error)}") from error
            raise error
        logger.warning("check failed, on_error=%s: %s", on_error, error, exc_info=unexpected)
        self._error = self._error or reason_of(error)
        answer = self._buffer.text[:end]
        failed = failed_report(
            replace(self._item, answer=answer), error, max_claims=self._config.max_claims, on_error=on_error
        )
        found = [claim for claim in failed.claims if claim.sentence.start >= self._start]
        new = tuple(replace(claim, index=at) for at, claim in enumerate(found, start=len(self._claims)))
        text = answer[self._start :]
        if on_error == "block":
            text = WITHHELD if not self._shown.strip() else f"\n\n{WITHHELD}"
        elif self._start:
            self._notes.append("a part of this answer could not be checked")
        self._claims, self._start = (*self._claims, *new), end
        if not last and on_error != "block":
            self._shown += text
            return StreamedPiece(text=text, claims=new)
        notes = dict.fromkeys([*self._notes, *(failed.notes if len(new) == len(self._claims) else ())])
        report = replace(failed, claims=self._claims, error=self._error, notes=tuple(notes))
        return self._last(report, new, text)
