"""Adapters that stop at a blocked answer: what they raise."""

from __future__ import annotations

from collections.abc import Sequence

from franq_guard.errors import FranqGuardError
from franq_guard.schema import Action, GuardReport, ScoredClaim


class AnswerBlockedError(FranqGuardError):
    """The policy blocked an answer, or a sentence of it, and blocking was asked to raise.

    Attributes:
        claims: the claims that were blocked; empty if the whole answer was withheld.
        report: the report; None if a stream was stopped before the answer was complete.
    """

    def __init__(self, claims: Sequence[ScoredClaim], report: GuardReport | None = None) -> None:
        self.claims = tuple(claims)
        self.report = report
        super().__init__(self._message())

    def _message(self) -> str:
        if self.report is not None and self.report.error is not None:
            return f"the answer was withheld because its check failed: {self.report.error}"
        if not self.claims:
            return "the answer was withheld: too little of it is likely to be true"
        listed = "; ".join(f"{claim.text!r} (P(true) = {_shown(claim.p_true)})" for claim in self.claims)
        return f"the answer was blocked for: {listed}"


def blocked_claims(claims: Sequence[ScoredClaim]) -> list[ScoredClaim]:
    """Those that the policy blocked."""
    return [claim for claim in claims if claim.action is Action.BLOCK]


def _shown(probability: float | None) -> str:
    return "unknown" if probability is None else f"{probability:.2f}"
