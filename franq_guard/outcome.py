"""From scored claims to the report that a caller gets, and the report on a check that failed."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from franq_guard.inputs import CheckInput
from franq_guard.policy import Policy
from franq_guard.schema import Coverage, GuardReport, ScoredClaim, Span, Verdict

if TYPE_CHECKING:
    from franq_guard.pipeline.pipeline import Pipeline, Scored
    from franq_guard.rewriting import Rewriting

logger = logging.getLogger(__name__)

WITHHELD = "This answer could not be checked and was withheld."
"""Stands in for an answer whose check failed under `on_error="block"`."""


def guarded_report(pipeline: Pipeline, item: CheckInput, scored: Scored, policy: Policy) -> GuardReport:
    """Decides what happens to each claim, and carries it out.

    Args:
        pipeline: scored the claims.
        item: the answer.
        scored: its claims.
        policy: what to do with them.
    """
    from franq_guard.rewriting import rewrite

    policy = policy.for_calibrator(pipeline.calibrator_of(scored.form))
    claims = policy.apply(scored.claims)
    rewriting = rewrite(item.answer, claims, policy, passages=item.passages, rephraser=pipeline.rephraser)
    return assemble_report(pipeline, item, scored, claims, rewriting)


def assemble_report(
    pipeline: Pipeline,
    item: CheckInput,
    scored: Scored,
    claims: tuple[ScoredClaim, ...],
    rewriting: Rewriting,
) -> GuardReport:
    """Puts a report together from its parts; `claims` have their actions."""
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
        coverage=coverage(item.answer, claims),
        notes=(*scored.notes, *rewriting.notes),
    )


def failed_report(item: CheckInput, error: Exception, *, max_claims: int, on_error: str) -> GuardReport:
    """The report on an answer that could not be checked: every claim is unchecked, and says why.

    Args:
        item: the answer.
        error: what went wrong.
        max_claims: see `GuardConfig`.
        on_error: "block" withholds the answer; otherwise its text stays as it is.
    """
    from franq_guard.claims import RuleExtractor
    from franq_guard.pipeline.pipeline import unchecked_claims

    reason = reason_of(error)
    blocked = on_error == "block"
    try:
        claims = unchecked_claims(item, RuleExtractor(max_claims=max_claims), reason)
        looked_at = coverage(item.answer, claims)
    except Exception as second:  # what failed may have been the splitting itself
        logger.warning("the answer could not be split into claims: %s", second)
        claims = ()
        looked_at = Coverage(total=len("".join(item.answer.split())), scored=0, not_checkworthy=0)
    return GuardReport(
        question=item.question,
        passages=item.passages,
        answer=item.answer,
        text=WITHHELD if blocked else item.answer,
        claims=claims,
        blocked=blocked,
        error=reason,
        coverage=looked_at,
        notes=("the check failed: nothing in this answer was checked",),
    )


def reason_of(error: Exception) -> str:
    """An error in one line, for reports and logs."""
    return f"{type(error).__name__}: {error}"


def coverage(answer: str, claims: Sequence[ScoredClaim]) -> Coverage:
    """How much of an answer its claims vouch for."""
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
