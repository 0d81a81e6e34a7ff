"""What a page says about one claim."""

from __future__ import annotations

import math
from dataclasses import dataclass

from franq_guard.report.html.bands import Band, band_of
from franq_guard.report.html.limits import Limits
from franq_guard.report.text import verdict_of
from franq_guard.rewriting.wording import one_line, percent
from franq_guard.schema import Evidence, GuardReport, ScoredClaim, Signals, Verdict, Wording

_SIGNALS = (
    ("alignment", "P(faithful) of the alignment model"),
    ("max_claim_log_prob", "log-probability given question and passages"),
    ("parametric_log_prob", "log-probability given the question alone"),
    ("max_nli", "entailed against contradicted, best passage"),
    ("semantic_entropy", "semantic entropy of the samples"),
    ("sum_eigenvalues", "number of meanings among the samples"),
    ("samples", "samples"),
    ("tokens", "tokens"),
)
_WORDINGS = {
    Wording.FITTING: "its wording fits P(true)",
    Wording.OVERCONFIDENT: "it sounds surer than P(true) allows",
    Wording.UNDERCONFIDENT: "it sounds less sure than P(true) allows",
}
MOSAIC = (120.0, 56.0)
"""Width and height of the picture of the law of total probability."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    """P(true) as the sum of its two branches; all in [0, 1].

    Attributes:
        faithful: P(faithful).
        if_faithful: P(true | faithful).
        if_unfaithful: P(true | not faithful).
        p_true: their mixture, as the guard computed it.
    """

    faithful: float
    if_faithful: float
    if_unfaithful: float
    p_true: float

    @property
    def columns(self) -> tuple[tuple[float, float, float, str], ...]:
        """Two columns of the picture: left edge, width, height of the filled part, name."""
        width, height = MOSAIC
        split = width * self.faithful
        return (
            (0.0, split, height * self.if_faithful, "faithful"),
            (split, width - split, height * self.if_unfaithful, "unfaithful"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceView:
    """One text piece that spoke for or against a claim.

    Attributes:
        quote: its words.
        source: which passage, for people.
        passage: number of the passage from 1, if the page shows it; else None.
        kind: "aligned", "neutral" or "contradicted": what is likeliest.
        shares: those three with their probabilities.
        bars: each one's name, left edge and width in a bar of 100 units.
    """

    quote: str
    source: str
    passage: int | None
    kind: str
    shares: tuple[tuple[str, float], ...]

    @property
    def bars(self) -> tuple[tuple[str, float, float], ...]:
        """Each share's name, left edge and width, of 100 units."""
        found, left = [], 0.0
        for name, share in self.shares:
            found.append((name, left, 100 * share))
            left += 100 * share
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerView:
    """Why a claim is doubtful, and what to do about it."""

    name: str
    strength: float
    detail: str
    advice: str
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimView:
    """One claim; `number` counts from 1, `label` is what a person said about it, if anybody did."""

    number: int
    claim: ScoredClaim
    band: Band
    p_true: float | None
    percent: str
    verdict: str
    decomposition: Decomposition | None
    evidence: tuple[EvidenceView, ...]
    more_evidence: int
    triggers: tuple[TriggerView, ...]
    signals: tuple[tuple[str, str], ...]
    wording: str
    located: bool
    label: bool | None = None


def claim_view(
    claim: ScoredClaim,
    number: int,
    report: GuardReport,
    limits: Limits,
    *,
    passages: frozenset[int],
    located: bool,
    label: bool | None,
) -> ClaimView:
    """Collects what the page says about `claim`.

    Args:
        claim: of `report`.
        number: its number on the page, from 1.
        report: it belongs to.
        limits: how much is shown.
        passages: indices of the passages that the page shows.
        located: whether the page shows its words in the answer.
        label: whether a person found it true; None if nobody said.
    """
    p_true = probability(claim.p_true)
    pieces = claim.evidence[: limits.evidence]
    return ClaimView(
        number=number,
        claim=claim,
        band=band_of(p_true, claim.verdict),
        p_true=p_true,
        percent="?" if p_true is None else percent(p_true),
        verdict=verdict_of(claim),
        decomposition=_decomposition(claim),
        evidence=tuple(_evidence(piece, report, passages) for piece in pieces),
        more_evidence=len(claim.evidence) - len(pieces),
        triggers=_triggers(claim),
        signals=_signals(claim.signals) if claim.verdict is not Verdict.NOT_CHECKWORTHY else (),
        wording=_wording(claim),
        located=located,
        label=label,
    )


def probability(value: float | None) -> float | None:
    """Cut to [0, 1]; None for None and NaN, which only a report made by hand holds."""
    return None if value is None or math.isnan(value) else min(max(value, 0.0), 1.0)


def _decomposition(claim: ScoredClaim) -> Decomposition | None:
    values = (claim.p_faithful, claim.p_true_if_faithful, claim.p_true_if_unfaithful, claim.p_true)
    found = [value for value in map(probability, values) if value is not None]
    if len(found) < len(values):
        return None
    faithful, if_faithful, if_unfaithful, p_true = found
    return Decomposition(
        faithful=faithful, if_faithful=if_faithful, if_unfaithful=if_unfaithful, p_true=p_true
    )


def evidence_kind(piece: Evidence) -> str:
    """What the alignment model found likeliest: "aligned", "neutral" or "contradicted"."""
    return max(("aligned", "neutral", "contradicted"), key=lambda name: float(getattr(piece, name)))


def _evidence(piece: Evidence, report: GuardReport, passages: frozenset[int]) -> EvidenceView:
    from franq_guard.report.console import source_of

    names = ("aligned", "neutral", "contradicted")
    return EvidenceView(
        quote=one_line(piece.text, 400),
        source=source_of(piece, report),
        passage=piece.passage + 1 if piece.passage in passages else None,
        kind=evidence_kind(piece),
        shares=tuple((name, probability(getattr(piece, name)) or 0.0) for name in names),
    )


def _triggers(claim: ScoredClaim) -> tuple[TriggerView, ...]:
    return tuple(
        TriggerView(
            name=trigger.name.value.replace("_", " "),
            strength=probability(trigger.strength) or 0.0,
            detail=one_line(trigger.detail, 600),
            advice=one_line(trigger.advice, 600),
            passages=tuple(index + 1 for index in trigger.passages),
        )
        for trigger in claim.triggers
    )


def _wording(claim: ScoredClaim) -> str:
    return _WORDINGS[claim.wording] if claim.wording is not None else ""


def _signals(signals: Signals) -> tuple[tuple[str, str], ...]:
    found = [(label, getattr(signals, name)) for name, label in _SIGNALS]
    return tuple((label, f"{value:.4g}") for label, value in found if value)
