"""From the guard's reports to rows that can be labelled."""

from __future__ import annotations

from typing import Any, cast

from franq_guard._ids import answer_id, question_id
from franq_guard.evaluation.labels import Form, LabelledClaim
from franq_guard.schema import GuardReport, ScoredClaim, Signals

_SIGNAL_FIELDS = {
    "max_claim_probability": "max_claim_log_prob",
    "parametric_knowledge": "parametric_log_prob",
    "max_nli": "max_nli",
    "semantic_entropy": "semantic_entropy",
    "sum_eigenvalues": "sum_eigenvalues",
}
"""Names of signals and the fields of `Signals` that hold their raw numbers."""


def rows_from_report(report: GuardReport) -> list[LabelledClaim]:
    """One unlabelled row for every claim that was scored; the others have no numbers to calibrate.

    The ids depend on question, passages and answer alone, so checking again gives the same. The further
    columns are what a person needs to judge the claim: `answer`, `passages`, `spans` (the claim's words,
    character ranges of `sentence`), `evidence` (deciding character ranges of passages), and `p_true`.

    Args:
        report: of one answer.
    """
    question = question_id(report)
    context = {
        "answer": report.answer,
        "passages": [{"title": passage.title or "", "text": passage.text} for passage in report.passages],
    }
    return [
        LabelledClaim(
            id=f"{answer_id(report)}-{claim.index}",
            question_id=question,
            question=report.question,
            claim=claim.text,
            sentence=claim.sentence.text,
            form=cast(Form, report.form),
            alignment=claim.signals.alignment,
            signals=_signals(claim.signals),
            language_model=report.models.get("language_model"),
            alignment_model=report.models.get("alignment_model"),
            samples=claim.signals.samples or None,
            extra=context | _about(claim),
            place=f"claim {claim.index} of the report on {report.question!r:.60}",
        )
        for claim in report.claims
        if claim.p_true is not None
    ]


def _signals(signals: Signals) -> dict[str, float]:
    found = {name: getattr(signals, field) for name, field in _SIGNAL_FIELDS.items()}
    return {name: value for name, value in found.items() if value is not None}


def _about(claim: ScoredClaim) -> dict[str, Any]:
    low, high = claim.sentence.start, claim.sentence.end
    spans = [(max(span.start, low) - low, min(span.end, high) - low) for span in claim.spans]
    return {
        "spans": [[start, end] for start, end in spans if start < end],
        "evidence": [
            {"passage": piece.passage, "start": piece.start, "end": piece.end} for piece in claim.evidence
        ],
        "p_true": claim.p_true,
    }
