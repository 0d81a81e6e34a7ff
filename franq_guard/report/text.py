"""What the console and the Markdown report say alike."""

from __future__ import annotations

from franq_guard.rewriting.wording import one_line
from franq_guard.schema import ScoredClaim, Trigger, Verdict

VERDICTS = {
    Verdict.SUPPORTED: "supported",
    Verdict.CONTRADICTED: "contradicted",
    Verdict.NOT_MENTIONED: "not mentioned",
    Verdict.UNCHECKED: "not checked",
    Verdict.NOT_CHECKWORTHY: "no claim",
}


def verdict_of(claim: ScoredClaim) -> str:
    """The verdict in plain words, with the reason where there is one."""
    words = VERDICTS[claim.verdict]
    if claim.verdict is Verdict.UNCHECKED and claim.unchecked_reason:
        return f"{words}: {one_line(claim.unchecked_reason)}"
    if claim.verdict is Verdict.NOT_CHECKWORTHY and claim.reason:
        return f"{words}: {one_line(claim.reason)}"
    return words


def name_of(trigger: Trigger) -> str:
    """The trigger in plain words."""
    return trigger.name.value.replace("_", " ")


def shorten_rows(claims: tuple[ScoredClaim, ...], limit: int) -> tuple[tuple[ScoredClaim, ...], int]:
    """At most `limit` claims, and how many are left out."""
    shown = claims[: max(limit, 0)]
    return shown, len(claims) - len(shown)
