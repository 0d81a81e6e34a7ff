"""What a page says about one answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from franq_guard.report.console import footer, status
from franq_guard.report.html.bands import BANDS, Band, doubt_key
from franq_guard.report.html.changes import Change, changes
from franq_guard.report.html.claim_view import ClaimView, claim_view, evidence_kind
from franq_guard.report.html.limits import Limits
from franq_guard.report.html.segments import Range, Segment, fit, segments, windows
from franq_guard.rewriting.wording import one_line, percent
from franq_guard.schema import GuardReport, ScoredClaim

_CALIBRATION = {
    "none": "Not calibrated: the branches are raw signals. P(true) ranks claims; it is no frequency.",
    "calibrated": "Calibrated: each signal is mapped to how often such claims were true.",
    "condition": "Calibrated, by one map for claims that the passages entail and another for the rest.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageView:
    """One passage, with the pieces marked that decided a claim or speak for or against it.

    Attributes:
        number: from 1.
        title: its name; may be empty.
        origin: where it comes from, unless the title says so.
        segments: its text; marks are places of claims, the most decided one first.
        kinds: what a mark's piece is: "aligned", "neutral", "contradicted"; or "faint" if it is neutral and
            not what decided: it shows only while its claim is selected.
        has_evidence: whether anything but that is marked.
    """

    number: int
    title: str
    origin: str
    segments: tuple[Segment, ...]
    kinds: Mapping[int, str]
    has_evidence: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView:
    """One answer, cut for display; `left_out` says what is not shown."""

    report: GuardReport
    status: str
    lowest: str
    claims: tuple[ClaimView, ...]
    answer: tuple[Segment, ...]
    guarded: str
    changes: tuple[Change, ...] | None
    changed: bool
    passages: tuple[PassageView, ...]
    calibration: str
    footer: tuple[str, ...]
    left_out: tuple[str, ...]
    bands: tuple[Band, ...]

    def claim(self, mark: int) -> ClaimView:
        """The claim that a segment of the answer names."""
        return self.claims[mark]

    def names(self, marks: tuple[int, ...]) -> str:
        """Their numbers, as the page's script reads them."""
        return " ".join(str(mark + 1) for mark in marks)


def answer_view(
    report: GuardReport, limits: Limits, *, labels: Mapping[int, bool] | None = None
) -> AnswerView:
    """Cuts a report for display.

    Args:
        report: any, also one made by hand: spans that do not fit their text are cut or dropped.
        limits: how much is shown.
        labels: whether a person found a claim true, by its index.
    """
    shown = report.claims[: limits.claims]
    claims = dict(enumerate(shown))
    order = sorted(claims, key=lambda mark: doubt_key(claims[mark]))
    length = min(len(report.answer), limits.answer_chars)
    spans = {mark: fit([(s.start, s.end) for s in claims[mark].spans], length) for mark in order}
    chosen = _chosen_passages(report, shown, limits)
    guarded = report.text[: limits.answer_chars]
    compared = None if report.blocked else changes(report.answer[:length], guarded)
    return AnswerView(
        report=report,
        status=status(report),
        lowest=percent(report.p_true),
        claims=tuple(
            claim_view(
                claim,
                number,
                report,
                limits,
                passages=frozenset(chosen),
                located=bool(spans[number - 1]),
                label=(labels or {}).get(claim.index),
            )
            for number, claim in enumerate(shown, start=1)
        ),
        answer=tuple(segments(report.answer, spans, [(0, length)] if length else [])),
        guarded=guarded,
        changes=compared,
        changed=report.text != report.answer,
        passages=tuple(_passage(report, index, shown, limits) for index in chosen),
        calibration=_CALIBRATION.get(report.calibration, one_line(report.calibration, 200)),
        footer=tuple(footer(report)),
        left_out=tuple(_left_out(report, len(shown), len(chosen))),
        bands=BANDS,
    )


def _chosen_passages(report: GuardReport, claims: tuple[ScoredClaim, ...], limits: Limits) -> list[int]:
    """Indices of the passages to show: those with evidence first, then from the top; in order."""
    cited = {piece.passage for claim in claims for piece in claim.evidence[: limits.evidence]}
    indices = range(len(report.passages))
    ranked = sorted(indices, key=lambda index: index not in cited)
    return sorted(ranked[: limits.passages])


def _passage(report: GuardReport, index: int, claims: tuple[ScoredClaim, ...], limits: Limits) -> PassageView:
    passage = report.passages[index]
    cited = [
        (mark, piece, evidence_kind(piece) if rank == 0 or evidence_kind(piece) != "neutral" else "faint")
        for mark, claim in enumerate(claims)
        for rank, piece in enumerate(claim.evidence[: limits.evidence])
        if piece.passage == index
    ]
    cited.sort(key=lambda found: (found[2] == "faint", -max(found[1].aligned, found[1].contradicted)))
    marks: dict[int, list[Range]] = {}
    kinds: dict[int, str] = {}
    for mark, piece, kind in cited:
        marks.setdefault(mark, []).append((piece.start, piece.end))
        kinds.setdefault(mark, kind)
    ranges = [found for pieces in marks.values() for found in pieces]
    shown = windows(len(passage.text), ranges, limits.passage_chars)
    return PassageView(
        number=index + 1,
        title=one_line(passage.title or passage.id or passage.source or "", 200),
        origin=one_line(passage.source or "", 300) if passage.title or passage.id else "",
        segments=tuple(segments(passage.text, marks, shown)),
        kinds=kinds,
        has_evidence=any(kind != "faint" for kind in kinds.values()),
    )


def _left_out(report: GuardReport, claims: int, passages: int) -> list[str]:
    rest = (
        (len(report.claims) - claims, "claim"),
        (len(report.passages) - passages, "passage"),
    )
    return [f"{count:,} more {noun}{'s' * (count != 1)}" for count, noun in rest if count > 0]
