"""What sinks are given: a report without its texts, and where it belongs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from franq_guard._ids import answer_id, digest, question_id
from franq_guard.schema import Action, Coverage, GuardReport, ScoredClaim, Signals, Verdict
from franq_guard.tracing.correlation import Correlation

Range = tuple[int, int]
"""Characters `[start, end)`."""

_HARDEST_LAST = (Action.KEEP, Action.ANNOTATE, Action.HEDGE, Action.BLOCK)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRecord:
    """A deciding piece of a passage, without its text.

    Attributes:
        passage: index of the passage, from 0.
        start: first character in the passage.
        end: one past the last character.
        aligned: P(the piece entails the claim), in [0, 1].
        neutral: P(it says neither), in [0, 1].
        contradicted: P(it contradicts the claim), in [0, 1].
    """

    passage: int
    start: int
    end: int
    aligned: float
    neutral: float
    contradicted: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRecord:
    """A passage, without its text.

    Attributes:
        id: the id that it was given with.
        sha256: first 12 digits of the hash of its text.
        length: characters.
    """

    id: str | None
    sha256: str
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRecord:
    """A claim, without its text; probabilities as in `ScoredClaim`.

    Attributes:
        id: names the claim, as in the rows that `franq-guard label` makes.
        index: position among the claims, from 0.
        spans: its characters in the answer.
        sentence: the characters of its sentence in the answer.
        checkworthy: False for greetings, questions and the like, which get no probability.
        unchecked: True if it should have been checked, and was not.
        triggers: names of the reasons for doubt, strongest first.
        evidence: the deciding pieces, best first.
        explanation: the verdict in one line of labels and numbers.
    """

    id: str
    index: int
    spans: tuple[Range, ...]
    sentence: Range
    p_true: float | None
    p_faithful: float | None
    p_true_if_faithful: float | None
    p_true_if_unfaithful: float | None
    verdict: str
    action: str
    review: bool
    checkworthy: bool
    unchecked: bool
    triggers: tuple[str, ...]
    stated_confidence: float | None
    wording: str | None
    signals: Signals
    evidence: tuple[EvidenceRecord, ...]
    extractor: str
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One checked answer, as sinks see it. Holds no text unless `content` is there.

    Attributes:
        answer_id: hash of question, passages and answer.
        question_id: hash of the question.
        start_time: when the check began, nanoseconds since 1970.
        end_time: when it ended, likewise.
        p_true: the least likely claim's P(true), in [0, 1]; None if no claim has one.
        decision: the hardest action taken: "keep", "annotate", "hedge" or "block".
        blocked: True if the whole answer was replaced.
        error_type: class of the error if the check failed as a whole.
        form: "long" or "short".
        calibration: "none", "calibrated" or "condition".
        calibrator: id of the calibrator.
        models: ids of the models, by role.
        coverage: how much of the answer was looked at.
        timings: seconds by stage.
        samples: how many other answers were sampled.
        question_length: characters of the question.
        answer_length: characters of the answer.
        text_length: characters of the guarded answer.
        passages: the passages, without text.
        claims: the claims, without text.
        explanation: the outcome in one line of labels and numbers.
        correlation: the runs and spans that the answer belongs to.
        content: the whole report, masked, for sinks with `capture_content`; None for all others.
    """

    answer_id: str
    question_id: str
    start_time: int
    end_time: int
    p_true: float | None
    decision: str
    blocked: bool
    error_type: str | None
    form: str
    calibration: str
    calibrator: str | None
    models: Mapping[str, str]
    coverage: Coverage
    timings: Mapping[str, float]
    samples: int
    question_length: int
    answer_length: int
    text_length: int
    passages: tuple[PassageRecord, ...]
    claims: tuple[ClaimRecord, ...]
    explanation: str
    correlation: Correlation
    content: GuardReport | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, strings and numbers, ready for JSON."""
        data = asdict(replace(self, content=None))
        data["content"] = None if self.content is None else self.content.to_dict()
        return data


def record_of(report: GuardReport, correlation: Correlation | None, *, end_time: int) -> Record:
    """The record of a report, without content.

    Args:
        report: of one answer.
        correlation: where it belongs.
        end_time: when the check ended, nanoseconds since 1970.
    """
    answer = answer_id(report)
    claims = tuple(_claim(claim, answer) for claim in report.claims)
    hardest = max((_HARDEST_LAST.index(claim.action) for claim in report.claims), default=0)
    decision = Action.BLOCK if report.blocked else _HARDEST_LAST[hardest]
    error_type = _error_type(report.error)
    return Record(
        answer_id=answer,
        question_id=question_id(report),
        start_time=end_time - int(report.timings.get("total", 0.0) * 1e9),
        end_time=end_time,
        p_true=report.p_true,
        decision=decision.value,
        blocked=report.blocked,
        error_type=error_type,
        form=report.form,
        calibration=report.calibration,
        calibrator=report.calibrator,
        models=dict(report.models),
        coverage=report.coverage,
        timings=dict(report.timings),
        samples=len(report.samples),
        question_length=len(report.question),
        answer_length=len(report.answer),
        text_length=len(report.text),
        passages=tuple(
            PassageRecord(id=passage.id, sha256=digest(passage.text), length=len(passage.text))
            for passage in report.passages
        ),
        claims=claims,
        explanation=_explain_answer(claims, error_type),
        correlation=correlation or Correlation(),
    )


def _error_type(error: str | None) -> str | None:
    """The class alone: the message of an error may quote a text."""
    if error is None:
        return None
    name = error.partition(":")[0]
    return name if re.fullmatch(r"[A-Za-z_]\w{0,63}", name) else "_OTHER"


def _claim(claim: ScoredClaim, answer: str) -> ClaimRecord:
    return ClaimRecord(
        id=f"{answer}-{claim.index}",
        index=claim.index,
        spans=tuple((span.start, span.end) for span in claim.spans),
        sentence=(claim.sentence.start, claim.sentence.end),
        p_true=claim.p_true,
        p_faithful=claim.p_faithful,
        p_true_if_faithful=claim.p_true_if_faithful,
        p_true_if_unfaithful=claim.p_true_if_unfaithful,
        verdict=claim.verdict.value,
        action=claim.action.value,
        review=claim.review,
        checkworthy=claim.checkworthy,
        unchecked=claim.verdict is Verdict.UNCHECKED,
        triggers=tuple(trigger.name.value for trigger in claim.triggers),
        stated_confidence=claim.stated_confidence,
        wording=None if claim.wording is None else claim.wording.value,
        signals=claim.signals,
        evidence=tuple(
            EvidenceRecord(
                passage=piece.passage,
                start=piece.start,
                end=piece.end,
                aligned=piece.aligned,
                neutral=piece.neutral,
                contradicted=piece.contradicted,
            )
            for piece in claim.evidence
        ),
        extractor=claim.extractor,
        explanation=_explain_claim(claim),
    )


def _explain_claim(claim: ScoredClaim) -> str:
    where = ", ".join(f"{span.start}-{span.end}" for span in claim.spans)
    parts = [f"claim {claim.index} (characters {where}): {claim.verdict.value}, {claim.action.value}"]
    for name, value in (
        ("P(true)", claim.p_true),
        ("P(faithful)", claim.p_faithful),
        ("P(true | faithful)", claim.p_true_if_faithful),
        ("P(true | not faithful)", claim.p_true_if_unfaithful),
    ):
        if value is not None:
            parts.append(f"{name} {value:.3f}")
    if claim.triggers:
        parts.append(f"triggers: {', '.join(trigger.name.value for trigger in claim.triggers)}")
    return "; ".join(parts)


def _explain_answer(claims: tuple[ClaimRecord, ...], error_type: str | None) -> str:
    if error_type is not None:
        return f"the check failed with {error_type}: nothing was checked"
    counts = {action.value: sum(claim.action == action for claim in claims) for action in _HARDEST_LAST}
    actions = ", ".join(f"{count} {action}" for action, count in counts.items() if count)
    unchecked = sum(claim.unchecked for claim in claims)
    scored = sum(claim.p_true is not None for claim in claims)
    return f"{len(claims)} claims ({actions or 'no action'}); {scored} scored, {unchecked} unchecked"
