"""Records as attributes of spans and events: flat, and without None."""

from __future__ import annotations

from typing import Any

from franq_guard.tracing import names
from franq_guard.tracing.record import ClaimRecord, Record

Attributes = dict[str, Any]


def span_attributes(record: Record, kind: str) -> Attributes:
    """What the span of a check says."""
    coverage = record.coverage
    attributes = {
        names.SPAN_KIND: kind.upper(),
        names.SESSION_ID: record.correlation.session_id,
        names.RESPONSE_ID: record.correlation.response_id,
        names.ERROR_TYPE: record.error_type,
    } | _prefixed(
        names.PREFIX,
        {
            "answer_id": record.answer_id,
            "question_id": record.question_id,
            "p_true": record.p_true,
            "decision": record.decision,
            "blocked": record.blocked,
            "form": record.form,
            "calibration": record.calibration,
            "calibrator": record.calibrator,
            "samples": record.samples,
            "claims.total": len(record.claims),
            "claims.scored": sum(claim.p_true is not None for claim in record.claims),
            "claims.unchecked": sum(claim.unchecked for claim in record.claims),
            "coverage.total": coverage.total,
            "coverage.scored": coverage.scored,
            "coverage.not_checkworthy": coverage.not_checkworthy,
            "coverage.unchecked": coverage.unchecked,
            "question.length": record.question_length,
            "answer.length": record.answer_length,
            "text.length": record.text_length,
            "passages.count": len(record.passages),
            "passages.sha256": [passage.sha256 for passage in record.passages],
            "passages.length": [passage.length for passage in record.passages],
        },
    )
    attributes |= _prefixed(names.PREFIX, dict(record.models))
    attributes |= _prefixed(names.TIMINGS_PREFIX, dict(record.timings))
    for index, evaluation in enumerate((_answer(record), *map(_claim, record.claims))):
        attributes |= _prefixed(f"{names.EVALUATIONS}.{index}.", evaluation)
    if record.content is not None:
        content = record.content
        attributes |= {names.INPUT_VALUE: content.question, names.OUTPUT_VALUE: content.text}
        attributes |= _prefixed(
            names.PREFIX,
            {
                "answer": content.answer,
                "passages.text": [passage.text for passage in content.passages],
                "error": content.error,
                "notes": list(content.notes),
            },
        )
    return _known(attributes)


def answer_event(record: Record) -> Attributes:
    """What the event of the answer says."""
    return _known(
        {
            names.EVALUATION_NAME: names.P_TRUE,
            names.SCORE_VALUE: record.p_true,
            names.SCORE_LABEL: record.decision,
            names.EXPLANATION: record.explanation,
            names.RESPONSE_ID: record.correlation.response_id,
            names.ERROR_TYPE: record.error_type,
            names.PREFIX + "answer_id": record.answer_id,
            names.PREFIX + "blocked": record.blocked,
        }
    )


def claim_event(claim: ClaimRecord, record: Record) -> Attributes:
    """What the event of a claim says."""
    content = record.content
    return _known(
        {
            names.EVALUATION_NAME: names.CLAIM_P_TRUE,
            names.SCORE_VALUE: claim.p_true,
            names.SCORE_LABEL: claim.verdict,
            names.EXPLANATION: claim.explanation,
            names.RESPONSE_ID: record.correlation.response_id,
            names.ERROR_TYPE: record.error_type if claim.unchecked else None,
        }
        | _prefixed(
            names.CLAIM_PREFIX,
            {
                "id": claim.id,
                "index": claim.index,
                "action": claim.action,
                "review": claim.review,
                "p_faithful": claim.p_faithful,
                "p_true_if_faithful": claim.p_true_if_faithful,
                "p_true_if_unfaithful": claim.p_true_if_unfaithful,
                "starts": [start for start, _ in claim.spans],
                "ends": [end for _, end in claim.spans],
                "triggers": list(claim.triggers),
                "wording": claim.wording,
                "passages": [piece.passage for piece in claim.evidence],
                "text": None if content is None else content.claims[claim.index].text,
            },
        )
    )


def _answer(record: Record) -> Attributes:
    return {
        names.OI_NAME: names.P_TRUE,
        names.OI_SCORE: record.p_true,
        names.OI_LABEL: record.decision,
        names.OI_EXPLANATION: record.explanation,
        names.OI_ANNOTATOR_KIND: names.CODE,
        names.OI_IDENTIFIER: record.answer_id,
    }


def _claim(claim: ClaimRecord) -> Attributes:
    return {
        names.OI_NAME: names.CLAIM_P_TRUE,
        names.OI_SCORE: claim.p_true,
        names.OI_LABEL: claim.verdict,
        names.OI_EXPLANATION: claim.explanation,
        names.OI_ANNOTATOR_KIND: names.CODE,
        names.OI_IDENTIFIER: claim.id,
    }


def _prefixed(prefix: str, attributes: Attributes) -> Attributes:
    return {prefix + name: value for name, value in attributes.items()}


def _known(attributes: Attributes) -> Attributes:
    return {name: value for name, value in attributes.items() if value is not None and value != []}
