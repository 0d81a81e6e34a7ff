"""Custom events: one for each scored claim, so that an interface can colour an answer while it comes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langchain_core.callbacks import adispatch_custom_event, dispatch_custom_event
from langchain_core.runnables import RunnableConfig

from franq_guard import ScoredClaim

CLAIM_EVENT = "franq_guard.claim"
"""Name of the event."""


def claim_event(claim: ScoredClaim) -> dict[str, Any]:
    """Plain data of one claim; `spans` are characters [start, end) of the answer as the model wrote it."""
    return {
        "index": claim.index,
        "text": claim.text,
        "spans": [[span.start, span.end] for span in claim.spans],
        "p_true": claim.p_true,
        "p_faithful": claim.p_faithful,
        "verdict": claim.verdict.value,
        "action": claim.action.value,
        "review": claim.review,
        "triggers": [trigger.name.value for trigger in claim.triggers],
        "passages": [evidence.passage for evidence in claim.evidence],
        "unchecked_reason": claim.unchecked_reason,
    }


def dispatch_claims(claims: Iterable[ScoredClaim], config: RunnableConfig) -> None:
    """Sends one event for each claim that needed a check."""
    for claim in claims:
        if claim.checkworthy:
            dispatch_custom_event(CLAIM_EVENT, claim_event(claim), config=config)


async def adispatch_claims(claims: Iterable[ScoredClaim], config: RunnableConfig) -> None:
    """`dispatch_claims` for event loops."""
    for claim in claims:
        if claim.checkworthy:
            await adispatch_custom_event(CLAIM_EVENT, claim_event(claim), config=config)
