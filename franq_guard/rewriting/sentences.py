"""The sentences of an answer that have to be rewritten, each with its claims and its place in the layout."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from franq_guard.claims.blocks import Block, BlockKind
from franq_guard.errors import InputError
from franq_guard.rewriting.grammar import ends_with_abbreviation
from franq_guard.rewriting.markup import Zone, ZoneKind, citations_end, citations_start, enclosing, find_zones
from franq_guard.schema import Action, ScoredClaim, Span

_PUNCTUATION = frozenset(".!?…。！？,;:，；：")
_EMPHASIS = frozenset("*_~")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the answer, without the markup of its block.

    Attributes:
        answer: the whole answer; all positions are positions in it.
        start: first character.
        end: one past the last.
        block: index of the block it lies in.
        kind: what that block is.
        claims: claims to be acted on here, in the order in which they are expressed.
        zones: what must not be cut.
    """

    answer: str
    start: int
    end: int
    block: int
    kind: BlockKind
    claims: tuple[ScoredClaim, ...]
    zones: tuple[Zone, ...] = field(repr=False)

    @property
    def text(self) -> str:
        """The sentence's characters."""
        return self.answer[self.start : self.end]

    @property
    def is_question(self) -> bool:
        """True if it asks."""
        return self.text.rstrip("*_~\"'”’)» ").endswith(("?", "？", "؟"))

    @property
    def body_end(self) -> int:
        """Where the closing punctuation and the citations behind it begin."""
        return self.place_behind(self.end)

    def spans_of(self, claim: ScoredClaim) -> list[Span]:
        """The claim's pieces that begin in this sentence; the whole sentence if there are none."""
        found = [
            Span.of(self.answer, max(span.start, self.start), min(span.end, self.end))
            for span in claim.spans
            if span.start < self.end and span.end > self.start
        ]
        return found or [Span.of(self.answer, self.start, self.end)]

    def place_behind(self, at: int) -> int:
        """Nearest place at or around `at` where something can follow the words before it.

        That is before closing punctuation, but behind citations, emphasis, code, links and quotations.
        """
        zone = enclosing(self.zones, at)
        if zone is not None:
            at = zone.end
        while at < self.end and self.answer[at] in _EMPHASIS and not self.answer[at - 1].isspace():
            at += 1
        cited = citations_end(self.answer, at, self.end)
        if cited > at:
            return cited
        if citations_start(self.answer, self.start, at) < at or self._closes_quote(at):
            return at
        return self._before_punctuation(at)

    def in_parentheses(self, at: int) -> bool:
        """True if `at` is inside a pair of parentheses."""
        return enclosing(self.zones, at, ZoneKind.PARENTHESIS) is not None

    def quotation_at(self, at: int) -> str:
        """The quotation that begins at `at` or goes on there; empty without one."""
        found = (zone for zone in self.zones if zone.start <= at < zone.end and zone.kind is ZoneKind.QUOTE)
        return next((self.answer[zone.start : zone.end] for zone in found), "")

    def _closes_quote(self, at: int) -> bool:
        return any(zone.end == at and zone.kind is ZoneKind.QUOTE for zone in self.zones)

    def _before_punctuation(self, end: int) -> int:
        at = end
        while at > self.start and self.answer[at - 1] in _EMPHASIS:
            at -= 1
        signs = at
        while signs > self.start and self.answer[signs - 1] in _PUNCTUATION:
            signs -= 1
        if signs in (at, self.start):
            return end
        if self.answer[signs:at] == "." and ends_with_abbreviation(self.answer[self.start : signs]):
            return end
        while signs > self.start and self.answer[signs - 1].isspace():
            signs -= 1
        return signs


def find_sentences(answer: str, blocks: Sequence[Block], claims: Sequence[ScoredClaim]) -> list[Sentence]:
    """Groups claims by the sentence that expresses most of them; sorted, disjoint.

    Raises:
        InputError: if a claim's span or sentence is not part of the answer.
    """
    for claim in claims:
        for span in (*claim.spans, claim.sentence):
            if answer[span.start : span.end] != span.text or not 0 <= span.start < span.end <= len(answer):
                raise InputError(
                    f"claim {claim.index}: the answer has no {span.text!r:.50} at {span.start}; "
                    "pass the answer that the claims were extracted from"
                )
    ranges = _join_overlaps([(claim.sentence.start, claim.sentence.end) for claim in claims])
    starts = [start for start, _ in ranges]
    by_range: dict[int, list[ScoredClaim]] = {}
    for claim in claims:
        for at in _homes(claim, ranges, starts):
            by_range.setdefault(at, []).append(claim)
    block_starts = [block.start for block in blocks]
    return [
        _make(answer, blocks, block_starts, found, by_range.get(at, [])) for at, found in enumerate(ranges)
    ]


def _join_overlaps(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(set(ranges)):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _homes(claim: ScoredClaim, ranges: Sequence[tuple[int, int]], starts: Sequence[int]) -> list[int]:
    """Indices of the sentences in which a claim is acted on.

    The one that holds most of its characters, the earliest of equals; and, to block all of a claim, every
    other that mostly consists of it.
    """
    weights: dict[int, int] = {}
    for span in claim.spans:
        at = max(bisect_right(starts, span.start) - 1, 0)
        weights[at] = weights.get(at, 0) + span.end - span.start
    home = max(weights, key=lambda at: (weights[at], -at))
    if claim.action is not Action.BLOCK:
        return [home]
    return [at for at in weights if at == home or 2 * weights[at] > ranges[at][1] - ranges[at][0]]


def _make(
    answer: str,
    blocks: Sequence[Block],
    block_starts: Sequence[int],
    found: tuple[int, int],
    claims: list[ScoredClaim],
) -> Sentence:
    start, end = found
    at = max(bisect_right(block_starts, start) - 1, 0)
    block, last = blocks[at], blocks[max(bisect_right(block_starts, end - 1) - 1, 0)]
    if block.lines and block.kind is not BlockKind.CODE and start < block.lines[0][0] < end:
        start = block.lines[0][0]
    if last.lines and last.kind is not BlockKind.CODE and start < last.lines[-1][1] < end:
        end = last.lines[-1][1]
    while end > start + 1 and answer[end - 1].isspace():
        end -= 1
    while start < end - 1 and answer[start].isspace():
        start += 1
    zones = () if block.kind is BlockKind.CODE else tuple(find_zones(answer, start, end))
    ordered = sorted(claims, key=lambda claim: (_first_own(claim, claims), claim.index))
    return Sentence(answer, start, end, at, block.kind, tuple(ordered), zones)


def _first_own(claim: ScoredClaim, others: Sequence[ScoredClaim]) -> int:
    """Where the claim's own words begin: a subject that it shares with an earlier claim doesn't count."""
    shared = {span.start for other in others if other.index < claim.index for span in other.spans}
    return next((span.start for span in claim.spans if span.start not in shared), claim.spans[0].start)
