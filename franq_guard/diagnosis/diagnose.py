"""Runs the rules, and compares a claim's wording with its probability."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from franq_guard.claims.hedging_language import STATED_CONFIDENCE, tone
from franq_guard.claims.language import detect_language
from franq_guard.diagnosis.case import Case
from franq_guard.diagnosis.conflicting_sources import conflicting_sources
from franq_guard.diagnosis.context_dilution import context_dilution
from franq_guard.diagnosis.over_specified import over_specified
from franq_guard.diagnosis.sparse_retrieval import sparse_retrieval
from franq_guard.diagnosis.unwarranted_confidence import unwarranted_confidence
from franq_guard.schema import ScoredClaim, Trigger, Wording

Rule = Callable[[Case], Trigger | None]

RULES: tuple[Rule, ...] = (
    sparse_retrieval,
    context_dilution,
    over_specified,
    conflicting_sources,
    unwarranted_confidence,
)
"""In the order of the documentation."""

_OVERCONFIDENT_BY = 0.4
_UNDERCONFIDENT_BY = 0.2


def diagnose(case: Case) -> tuple[ScoredClaim, tuple[str, ...]]:
    """Finds what makes a claim doubtful, and whether its wording fits.

    A rule that fails says so in a note; it never fails the check.

    Args:
        case: the claim and what is known about it.

    Returns:
        The claim with triggers, strongest first, stated confidence and wording; and notes.
    """
    notes: list[str] = []
    try:
        case = replace(case, claim=judge_wording(case.claim))
    except Exception as error:
        notes.append(f"the wording of claim {case.claim.index + 1} was not judged: {_say(error)}")
    triggers: list[Trigger] = []
    for rule in RULES:
        try:
            found = rule(case)
        except Exception as error:
            notes.append(f"{rule.__name__} was not looked for in claim {case.claim.index + 1}: {_say(error)}")
            continue
        if found is not None:
            triggers.append(replace(found, strength=min(max(float(found.strength), 0.0), 1.0)))
    triggers.sort(key=lambda trigger: -trigger.strength)
    return replace(case.claim, triggers=tuple(triggers)), tuple(notes)


def judge_wording(claim: ScoredClaim) -> ScoredClaim:
    """Reads how sure a claim sounds, its sentence's opening included, and holds that against P(true).

    Overconfident is a claim that sounds surer than P(true) by more than 0.4, underconfident one that sounds
    less sure by more than 0.2. Languages without lists, and refusals, are not judged.
    """
    opening = claim.sentence.text[: max(claim.spans[0].start - claim.sentence.start, 0)]
    text = f"{opening} {claim.source_text}"
    language = detect_language(text) or detect_language(claim.sentence.text) or "en"
    found = tone(text, language)
    stated = None if found is None else STATED_CONFIDENCE[found]
    if stated is None or claim.p_true is None:
        return replace(claim, stated_confidence=stated, wording=None)
    wording = Wording.FITTING
    if stated - claim.p_true > _OVERCONFIDENT_BY:
        wording = Wording.OVERCONFIDENT
    elif claim.p_true - stated > _UNDERCONFIDENT_BY:
        wording = Wording.UNDERCONFIDENT
    return replace(claim, stated_confidence=stated, wording=wording)


def _say(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
