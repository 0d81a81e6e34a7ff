from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from franq_guard.claims.rules import RuleExtractor
from franq_guard.policy import Policy
from franq_guard.rewriting import Rewriting, rewrite
from franq_guard.schema import Action, Claim, Evidence, Passage, ScoredClaim, Verdict

ACTIONS = {"k": Action.KEEP, "a": Action.ANNOTATE, "h": Action.HEDGE, "b": Action.BLOCK}
VERDICTS = {
    "s": Verdict.SUPPORTED,
    "c": Verdict.CONTRADICTED,
    "n": Verdict.NOT_MENTIONED,
    "u": Verdict.UNCHECKED,
}
P_TRUE = {Action.KEEP: 0.95, Action.ANNOTATE: 0.72, Action.HEDGE: 0.4, Action.BLOCK: 0.1}
PASSAGES = (
    Passage("The tower [of iron] was completed\nin March 1889.", title="Eiffel Tower"),
    Passage("More."),
)


def score(claim: Claim, action: Action, verdict: Verdict) -> ScoredClaim:
    quote = Evidence(
        passage=0, start=0, end=33, text=PASSAGES[0].text[:33], aligned=0.5, neutral=0.3, contradicted=0.2
    )
    unchecked = verdict is Verdict.UNCHECKED
    return ScoredClaim(
        **{field.name: getattr(claim, field.name) for field in fields(Claim)},
        p_true=None if unchecked else P_TRUE[action],
        verdict=verdict,
        action=action,
        evidence=() if unchecked or verdict is Verdict.NOT_MENTIONED else (quote,),
        unchecked_reason="the deadline passed" if unchecked else "",
    )


@pytest.fixture(scope="session")
def scored() -> Callable[[str, str], list[ScoredClaim]]:
    """Extracts the claims of an answer, and gives the checkworthy ones actions and verdicts: "ks hn"."""
    extractor = RuleExtractor()

    def make(answer: str, codes: str) -> list[ScoredClaim]:
        claims = extractor.extract(answer).claims
        todo = codes.split()
        wanted = sum(claim.checkworthy for claim in claims)
        assert wanted == len(todo), [claim.text for claim in claims if claim.checkworthy]
        made = []
        for claim in claims:
            if claim.checkworthy:
                action, verdict = todo.pop(0)
                made.append(score(claim, ACTIONS[action], VERDICTS[verdict]))
            else:
                made.append(score(claim, Action.KEEP, Verdict.NOT_CHECKWORTHY))
        return made

    return make


@pytest.fixture(scope="session")
def guarded(scored: Callable[[str, str], list[ScoredClaim]]) -> Callable[..., Rewriting]:
    """Rewrites an answer; `settings` go to the policy."""

    def run(answer: str, codes: str, **settings: Any) -> Rewriting:
        policy = Policy(**{"min_kept": 0, **settings})
        return rewrite(answer, scored(answer, codes), policy, passages=PASSAGES)

    return run
