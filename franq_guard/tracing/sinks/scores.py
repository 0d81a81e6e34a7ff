"""Scores as the platforms take them that know feedback on a trace: names, values, ids."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from franq_guard.tracing import names
from franq_guard.tracing.record import ClaimRecord, Record

_NUMBERS = (names.P_TRUE, names.CLAIM_P_TRUE)
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://pypi.org/project/franq-guard/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One number or label for an answer or a claim.

    Attributes:
        name: what is scored; one of `names`.
        subject: id of the answer or claim.
        number: P(true), in [0, 1]; None for scores that are a label, and where there is none.
        label: the decision for an answer, the verdict for a claim.
        explanation: one line of labels and numbers.
        error_type: class of the error if the check failed.
        metadata: further facts, none of them None.
    """

    name: str
    subject: str
    label: str
    explanation: str
    number: float | None = None
    error_type: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> float | str | None:
        """The number, or the label of a score that is one; None for a P(true) that is not known."""
        return self.number if self.name in _NUMBERS else self.label

    def id(self, target: str) -> uuid.UUID:
        """The same for the same score on the same target, so that sending it again changes nothing.

        Args:
            target: the trace, run or session that is scored.
        """
        return uuid.uuid5(_NAMESPACE, f"{target}/{self.subject}/{self.name}")


def scores(record: Record, *, claims: bool = True) -> Iterator[Score]:
    """P(true) and the decision of the answer, then one score for each claim that was to be checked.

    Args:
        record: of one answer.
        claims: False leaves out the claims.
    """
    metadata = _known(
        {
            "answer_id": record.answer_id,
            "question_id": record.question_id,
            "form": record.form,
            "calibration": record.calibration,
            "calibrator": record.calibrator,
            "claims": len(record.claims),
            "unchecked": sum(claim.unchecked for claim in record.claims),
            "coverage": f"{record.coverage.scored}/{record.coverage.total}",
            "blocked": record.blocked,
            "seconds": record.timings.get("total"),
            **record.models,
        }
    )
    answer: dict[str, Any] = {
        "subject": record.answer_id,
        "label": record.decision,
        "explanation": record.explanation,
        "error_type": record.error_type,
        "metadata": metadata,
    }
    if record.p_true is not None or record.error_type is not None:
        yield Score(name=names.P_TRUE, number=record.p_true, **answer)
    yield Score(name=names.DECISION, **answer)
    if claims:
        for claim in record.claims:
            if claim.checkworthy:
                yield _claim(claim, record)


def _claim(claim: ClaimRecord, record: Record) -> Score:
    content = record.content
    return Score(
        name=names.CLAIM_VERDICT if claim.p_true is None else names.CLAIM_P_TRUE,
        subject=claim.id,
        number=claim.p_true,
        label=claim.verdict,
        explanation=claim.explanation,
        error_type=record.error_type,
        metadata=_known(
            {
                "claim_id": claim.id,
                "index": claim.index,
                "verdict": claim.verdict,
                "action": claim.action,
                "review": claim.review,
                "p_faithful": claim.p_faithful,
                "p_true_if_faithful": claim.p_true_if_faithful,
                "p_true_if_unfaithful": claim.p_true_if_unfaithful,
                "characters": ", ".join(f"{start}-{end}" for start, end in claim.spans),
                "triggers": ", ".join(claim.triggers) or None,
                "wording": claim.wording,
                "passage": claim.evidence[0].passage if claim.evidence else None,
                "text": None if content is None else content.claims[claim.index].text,
            }
        ),
    )


def _known(metadata: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in metadata.items() if value is not None}
