"""A report whose texts went through a mask, and whose spans still fit them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from franq_guard.errors import InputError
from franq_guard.schema import Evidence, GuardReport, Passage, ScoredClaim, Span
from franq_guard.tracing.sink import Mask


def masked_report(report: GuardReport, mask: Mask | None) -> GuardReport:
    """The report with every text masked; `report` itself if there is no mask.

    Spans are cut from the masked answer and passages. Where a mask changes the length of a text, they are
    exact before the first and after the last change, and are widened to all that lies between otherwise.

    Raises:
        InputError: if the mask does not give a str.
        Exception: whatever the mask raises.
    """
    if mask is None:
        return report
    masked = _Masker(mask)
    answer = _Masked.of(report.answer, masked(report.answer))
    passages = [_Masked.of(passage.text, masked(passage.text)) for passage in report.passages]
    return replace(
        report,
        question=masked(report.question),
        passages=tuple(
            _passage(passage, text.after, masked)
            for passage, text in zip(report.passages, passages, strict=True)
        ),
        answer=answer.after,
        text=masked(report.text),
        claims=tuple(_claim(claim, answer, passages, masked) for claim in report.claims),
        error=None if report.error is None else masked(report.error),
        form_reason=masked(report.form_reason),
        samples=tuple(map(masked, report.samples)),
        notes=tuple(map(masked, report.notes)),
    )


@dataclass(frozen=True, slots=True)
class _Masker:
    mask: Mask

    def __call__(self, text: str) -> str:
        if not text:
            return text
        found = self.mask(text)
        if not isinstance(found, str):
            raise InputError(f"the mask gave {type(found).__name__}; it must give a str")
        return found

    def data(self, value: Any) -> Any:
        if isinstance(value, str):
            return self(value)
        if isinstance(value, dict):
            return {key: self.data(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.data(item) for item in value]
        # Of objects nobody knows what their text would hold.
        return value if value is None or isinstance(value, bool | int | float) else None


@dataclass(frozen=True, slots=True)
class _Masked:
    """A text before and after, and how many characters both begin and end with."""

    before: str
    after: str
    head: int
    tail: int

    @classmethod
    def of(cls, before: str, after: str) -> _Masked:
        if len(before) == len(after):
            return cls(before, after, len(before), 0)
        head = _common(before, after)
        return cls(before, after, head, _common(before[head:][::-1], after[head:][::-1]))

    def range(self, start: int, end: int) -> tuple[int, int]:
        shift = len(self.after) - len(self.before)
        behind = len(self.before) - self.tail
        if start > self.head:
            start = start + shift if start >= behind else self.head
        if end > self.head:
            end = end + shift if end >= behind else len(self.after) - self.tail
        return start, max(start, end)

    def span(self, span: Span) -> Span:
        start, end = self.range(span.start, span.end)
        return Span(start, end, self.after[start:end])

    def spans(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        found: list[Span] = []
        for span in map(self.span, spans):
            if found and span.start < found[-1].end:
                last = found.pop()
                end = max(last.end, span.end)
                span = Span(last.start, end, self.after[last.start : end])
            found.append(span)
        return tuple(found)


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _passage(passage: Passage, text: str, masked: _Masker) -> Passage:
    return Passage(
        text,
        id=passage.id,
        title=None if passage.title is None else masked(passage.title),
        source=None if passage.source is None else masked(passage.source),
        metadata=masked.data(dict(passage.metadata)),
    )


def _claim(claim: ScoredClaim, answer: _Masked, passages: list[_Masked], masked: _Masker) -> ScoredClaim:
    return replace(
        claim,
        text=masked(claim.text),
        spans=answer.spans(claim.spans),
        sentence=answer.span(claim.sentence),
        evidence=tuple(_evidence(piece, passages[piece.passage]) for piece in claim.evidence),
        reason=masked(claim.reason),
        triggers=tuple(
            replace(trigger, detail=masked(trigger.detail), advice=masked(trigger.advice))
            for trigger in claim.triggers
        ),
        unchecked_reason=masked(claim.unchecked_reason),
    )


def _evidence(piece: Evidence, passage: _Masked) -> Evidence:
    start, end = passage.range(piece.start, piece.end)
    return replace(piece, start=start, end=end, text=passage.after[start:end])
