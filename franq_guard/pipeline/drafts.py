"""One answer on its way from text to scored claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from franq_guard.alignment import ClaimAlignment
from franq_guard.claims import spans_to_tokens, stated_ranges
from franq_guard.diagnosis import Case, diagnose
from franq_guard.franq import FranqScores
from franq_guard.inputs import CheckInput, Continuation
from franq_guard.models.base import TokenScores
from franq_guard.pipeline.forms import Form
from franq_guard.schema import Claim, ScoredClaim, Signals, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on work and memory; each that cuts in leaves a note in the report."""

    max_claims: int = 500
    max_prompt_tokens: int = 3072
    max_answer_tokens: int = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What the pipeline found out about one answer.

    Attributes:
        claims: all of them.
        notes: limits that cut in, and fallbacks.
        form: how the claims were scored.
        form_reason: why so.
        samples: the other answers that were drawn; none in long form.
    """

    claims: tuple[ScoredClaim, ...]
    notes: tuple[str, ...]
    form: Form = "long"
    form_reason: str = ""
    samples: tuple[str, ...] = ()


@dataclass
class Draft:
    """What is known so far; the stages fill it in."""

    item: CheckInput
    claims: tuple[Claim, ...]
    notes: list[str]
    form: Form = "long"
    form_reason: str = ""
    unchecked: dict[int, str] = field(default_factory=dict)
    scored: dict[int, ScoredClaim] = field(default_factory=dict)
    known: dict[int, ScoredClaim] = field(default_factory=dict)
    samples: tuple[str, ...] = ()

    def open(self) -> list[Claim]:
        """The claims that are to be scored: not those that cannot be, nor those known from before."""
        settled = self.unchecked.keys() | self.known.keys()
        return [claim for claim in self.claims if claim.checkworthy and claim.index not in settled]

    def has_passages(self) -> bool:
        """True if a passage holds any text."""
        return any(passage.text.strip() for passage in self.item.passages)

    def score(
        self,
        claim: Claim,
        scores: FranqScores,
        row: int,
        *,
        alignment: ClaimAlignment | None,
        signals: Signals,
    ) -> None:
        """Sets a claim's probabilities and what belongs to them, and says why it is doubtful."""
        scored = _extend(
            claim,
            p_true=float(scores.p_true[row]),
            p_faithful=float(scores.p_faithful[row]),
            p_true_if_faithful=float(scores.p_true_if_faithful[row]),
            p_true_if_unfaithful=float(scores.p_true_if_unfaithful[row]),
            verdict=Verdict.NOT_MENTIONED if alignment is None else alignment.verdict,
            evidence=() if alignment is None else alignment.evidence(),
            signals=signals,
        )
        self.take(scored, alignment)

    def take(self, scored: ScoredClaim, alignment: ClaimAlignment | None) -> None:
        """Sets a scored claim, and says why it is doubtful."""
        passages = [passage.text for passage in self.item.passages]
        diagnosed, notes = diagnose(Case(self.item.question, passages, scored, alignment))
        self.scored[scored.index] = diagnosed
        self.notes.extend(notes)

    def finished(self) -> Scored:
        """The result; claims that got no score are unchecked."""
        return Scored(
            claims=tuple(
                self.known.get(claim.index)
                or self.scored.get(claim.index)
                or without_score(claim, self.unchecked.get(claim.index, ""))
                for claim in self.claims
            ),
            notes=tuple(dict.fromkeys(self.notes)),
            form=self.form,
            form_reason=self.form_reason,
            samples=self.samples,
        )


def continued(before: Continuation, found: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims known from before, and the new ones behind them."""
    new = [claim for claim in found if claim.sentence.start >= before.start]
    first = len(before.claims)
    return (*before.claims, *(replace(claim, index=first + at) for at, claim in enumerate(new)))


def bounded(
    claim: Claim, bounds: tuple[float, float], *, alignment: ClaimAlignment | None, signals: Signals
) -> ScoredClaim:
    """A claim of whose P(true) only the range is known; the lower end stands for it."""
    return _extend(
        claim,
        p_true=bounds[0],
        p_true_range=bounds,
        p_faithful=signals.alignment,
        verdict=Verdict.NOT_MENTIONED if alignment is None else alignment.verdict,
        evidence=() if alignment is None else alignment.evidence(),
        signals=signals,
    )


def without_score(claim: Claim, reason: str) -> ScoredClaim:
    """The claim as unchecked for a reason, or as not checkworthy if it is not."""
    if not claim.checkworthy:
        return _extend(claim, verdict=Verdict.NOT_CHECKWORTHY)
    return _extend(
        claim, verdict=Verdict.UNCHECKED, review=True, unchecked_reason=reason or "it was not scored"
    )


def claim_tokens(scores: TokenScores, claim: Claim) -> list[int]:
    """Indices of the tokens that express a claim."""
    # A citation mark says nothing about the claim, yet its tokens would make it look improbable.
    ranges = [
        (span.start + start, span.start + end)
        for span in claim.spans
        for start, end in stated_ranges(span.text)
    ]
    return list(spans_to_tokens(scores.tokens.offsets, ranges))


def _extend(claim: Claim, **scores: Any) -> ScoredClaim:
    return ScoredClaim(**{f.name: getattr(claim, f.name) for f in fields(Claim)}, **scores)
