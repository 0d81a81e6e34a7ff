"""The one way from answers to scored claims: claims, alignment, log-probabilities, FRANQ.

Everything that needs a model is gathered for all answers at once, then the signals are computed from
plain arrays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from franq_guard import franq
from franq_guard.alignment import Aligner, AlignmentJob, ClaimAlignment
from franq_guard.calibration import Calibrator
from franq_guard.claims import ClaimExtractor, detect_language, spans_to_tokens
from franq_guard.deadline import Deadline
from franq_guard.inputs import CheckInput
from franq_guard.log_probs import AnswerLogProbs, score_answers
from franq_guard.models.base import LanguageModel, TokenScores
from franq_guard.rewriting import LMRewriter
from franq_guard.schema import Claim, ScoredClaim, Signals, Verdict
from franq_guard.uncertainty.max_claim_probability import max_claim_log_prob
from franq_guard.uncertainty.max_nli import max_nli
from franq_guard.uncertainty.parametric_knowledge import parametric_log_prob

Progress = Callable[[str, int, int], None]
"""Called with the stage's name, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on work and memory; each that cuts in leaves a note in the report."""

    max_claims: int = 500
    max_prompt_tokens: int = 3072
    max_answer_tokens: int = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What the pipeline found out about one answer."""

    claims: tuple[ScoredClaim, ...]
    notes: tuple[str, ...]


@dataclass
class _Draft:
    """One answer on its way through the pipeline."""

    item: CheckInput
    claims: tuple[Claim, ...]
    notes: list[str]
    unchecked: dict[int, str] = field(default_factory=dict)
    alignments: dict[int, ClaimAlignment] = field(default_factory=dict)
    log_probs: AnswerLogProbs | None = None

    def open(self) -> list[Claim]:
        """The claims that are still to be scored."""
        return [claim for claim in self.claims if claim.checkworthy and claim.index not in self.unchecked]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Models and settings of a guard, ready to score.

    Attributes:
        language_model: gives the two log-probabilities.
        aligner: gives P(faithful).
        extractor: splits answers into claims.
        calibrator: turns signals into probabilities; None takes them as they are.
        faithful_signal: "max_claim_probability" or "max_nli".
        threshold: hard faithfulness at this value; None mixes.
        limits: bounds on work.
        rephraser: words hedges with the language model; None leaves it to the rules.
    """

    language_model: LanguageModel
    aligner: Aligner
    extractor: ClaimExtractor
    calibrator: Calibrator | None = None
    faithful_signal: str = "max_claim_probability"
    threshold: float | None = None
    limits: Limits = Limits()
    rephraser: LMRewriter | None = None

    def run(
        self,
        items: Sequence[CheckInput],
        *,
        deadline: Deadline,
        timings: dict[str, float],
        progress: Progress | None = None,
    ) -> list[Scored]:
        """Scores the claims of several answers together.

        Args:
            items: the answers.
            deadline: asked between pieces of work.
            timings: receives the seconds of each stage.
            progress: told how far each stage is.

        Raises:
            CheckTimeoutError: if the deadline passes.
            ModelError: if a model fails.
        """
        report = progress or (lambda stage, done, total: None)
        with _timed(timings, "claims"):
            drafts = []
            for number, item in enumerate(items, start=1):
                deadline.check()
                drafts.append(self._draft(item))
                report("claims", number, len(items))
        with _timed(timings, "alignment"):
            self._align(drafts, deadline, report)
        with _timed(timings, "log_probs"):
            self._log_probs(drafts, deadline, report)
        with _timed(timings, "scoring"):
            return [self._score(draft) for draft in drafts]

    def _draft(self, item: CheckInput) -> _Draft:
        extraction = self.extractor.extract(item.answer, question=item.question)
        draft = _Draft(item, extraction.claims, list(extraction.notes))
        for claim in draft.claims[self.limits.max_claims :]:
            draft.unchecked[claim.index] = f"beyond the first {self.limits.max_claims} claims"
        languages = self.aligner.languages
        if languages is not None:
            whole = detect_language(item.answer)
            for claim in draft.open():
                language = detect_language(claim.source_text) or whole
                if language is not None and language not in languages:
                    draft.unchecked[claim.index] = (
                        f"language {language!r}: the alignment model reads {', '.join(sorted(languages))}"
                    )
        if draft.open() and not any(passage.text.strip() for passage in item.passages):
            draft.notes.append("no passages were given: only the model's own knowledge counts")
        return draft

    def _align(self, drafts: Sequence[_Draft], deadline: Deadline, report: Progress) -> None:
        jobs = [
            AlignmentJob(
                [claim.text for claim in draft.open()],
                [passage.text for passage in draft.item.passages] if _has_text(draft.item) else [],
            )
            for draft in drafts
        ]
        wanted = [index for index, job in enumerate(jobs) if job.claims and job.passages]
        found = self.aligner.align(
            [jobs[index] for index in wanted],
            progress=lambda done, total: report("alignment", done, total),
            deadline=deadline.check,
        )
        for index, alignments in zip(wanted, found, strict=True):
            draft = drafts[index]
            for claim, alignment in zip(draft.open(), alignments, strict=True):
                draft.alignments[claim.index] = alignment
            draft.notes.extend(dict.fromkeys(note for a in alignments for note in a.notes))

    def _log_probs(self, drafts: Sequence[_Draft], deadline: Deadline, report: Progress) -> None:
        wanted = [draft for draft in drafts if draft.open()]
        scored = score_answers(
            self.language_model,
            [draft.item for draft in wanted],
            max_prompt_tokens=self.limits.max_prompt_tokens,
            max_answer_tokens=self.limits.max_answer_tokens,
            deadline=deadline,
            progress=lambda done, total: report("log-probabilities", done, total),
        )
        for draft, log_probs in zip(wanted, scored, strict=True):
            draft.log_probs = log_probs
            draft.notes.extend(log_probs.notes)

    def _score(self, draft: _Draft) -> Scored:
        signals: dict[int, Signals] = {}
        for claim in draft.open():
            found = self._signals(draft, claim)
            if isinstance(found, str):
                draft.unchecked[claim.index] = found
            else:
                signals[claim.index] = found
        scores = self._franq(list(signals.values()))
        rows = {index: row for row, index in enumerate(signals)}
        claims = []
        for claim in draft.claims:
            row = rows.get(claim.index)
            if row is None:
                claims.append(_without_score(claim, draft.unchecked.get(claim.index, "")))
                continue
            alignment = draft.alignments.get(claim.index)
            claims.append(
                _extend(
                    claim,
                    p_true=float(scores.p_true[row]),
                    p_faithful=float(scores.p_faithful[row]),
                    p_true_if_faithful=float(scores.p_true_if_faithful[row]),
                    p_true_if_unfaithful=float(scores.p_true_if_unfaithful[row]),
                    verdict=Verdict.NOT_MENTIONED if alignment is None else alignment.verdict,
                    evidence=() if alignment is None else alignment.evidence(),
                    signals=signals[claim.index],
                )
            )
        return Scored(claims=tuple(claims), notes=tuple(dict.fromkeys(draft.notes)))

    def _signals(self, draft: _Draft, claim: Claim) -> Signals | str:
        """The claim's raw signals, or why it has none."""
        if draft.log_probs is None:
            return "it was not scored"
        with_passages = _claim_tokens(draft.log_probs.with_passages, claim)
        without = _claim_tokens(draft.log_probs.without_passages, claim)
        if not with_passages or not without:
            return (
                f"beyond the first {self.limits.max_answer_tokens} tokens of the answer, or without a token"
            )
        alignment = draft.alignments.get(claim.index)
        if alignment is not None and np.isnan(alignment.p_faithful):
            return "no text to compare with the passages"
        best_nli = None
        if alignment is not None:
            pairs = np.asarray(list(alignment.passage_entailment.values()))
            best_nli = max_nli(pairs[:, 0], pairs[:, 1]) if len(pairs) else None
        return Signals(
            # With nothing to be faithful to, a claim is unfaithful by definition.
            alignment=0.0 if alignment is None else alignment.p_faithful,
            max_claim_log_prob=max_claim_log_prob(draft.log_probs.with_passages.log_probs, with_passages),
            parametric_log_prob=parametric_log_prob(draft.log_probs.without_passages.log_probs, without),
            max_nli=best_nli,
            tokens=len(without),
        )

    def _franq(self, signals: Sequence[Signals]) -> franq.FranqScores:
        faithful = [
            (0.5 if s.max_nli is None else s.max_nli)
            if self.faithful_signal == "max_nli"
            else s.max_claim_log_prob
            for s in signals
        ]
        return franq.long_form(
            np.asarray([s.alignment for s in signals], dtype=np.float64),
            np.asarray(faithful, dtype=np.float64),
            np.asarray([s.parametric_log_prob for s in signals], dtype=np.float64),
            calibrator=self.calibrator,
            threshold=self.threshold,
            signals=(self.faithful_signal, "parametric_knowledge"),
        )


def _has_text(item: CheckInput) -> bool:
    return any(passage.text.strip() for passage in item.passages)


def _claim_tokens(scores: TokenScores, claim: Claim) -> list[int]:
    return list(spans_to_tokens(scores.tokens.offsets, [(span.start, span.end) for span in claim.spans]))


def _extend(claim: Claim, **scores: Any) -> ScoredClaim:
    return ScoredClaim(**{f.name: getattr(claim, f.name) for f in fields(Claim)}, **scores)


def _without_score(claim: Claim, reason: str) -> ScoredClaim:
    if not claim.checkworthy:
        return _extend(claim, verdict=Verdict.NOT_CHECKWORTHY)
    return _extend(claim, verdict=Verdict.UNCHECKED, unchecked_reason=reason or "it was not scored")


def unchecked_claims(item: CheckInput, extractor: ClaimExtractor, reason: str) -> tuple[ScoredClaim, ...]:
    """The claims of an answer that could not be checked at all, each with the reason."""
    return tuple(
        replace(_without_score(claim, reason), review=claim.checkworthy)
        for claim in extractor.extract(item.answer, question=item.question).claims
    )


@contextmanager
def _timed(timings: dict[str, float], stage: str) -> Iterator[None]:
    start = time.perf_counter()
    try:
        yield
    finally:
        timings[stage] = timings.get(stage, 0.0) + time.perf_counter() - start
