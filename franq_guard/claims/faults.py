"""What is wrong with claims that an extractor of somebody else's made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from franq_guard.claims.base import ClaimExtractor, Extraction
from franq_guard.claims.blocks import markup_ranges
from franq_guard.errors import FranqGuardError, ModelError
from franq_guard.schema import Claim, Span


def claim_faults(answer: str, claims: Sequence[Claim]) -> Iterator[str]:
    """Says what the guard cannot work with, if anything: types, numbers, order, texts, places, omissions."""
    wrong = _wrong_type(claims)
    if wrong is not None:
        yield wrong
        return
    if [claim.index for claim in claims] != list(range(len(claims))):
        yield "numbers must count from 0"
    for claim in claims:
        for fault in _faults(answer, claim):
            yield f"claim {claim.index}{fault}"
    starts = [claim.spans[0].start for claim in claims if claim.spans]
    if starts != sorted(starts):
        yield "claims must be in the order of the answer"
    missed = _missed(answer, claims)
    if missed is not None:
        yield f"the character at {missed} is in no claim; use checkworthy=False for what is not to be checked"


def _wrong_type(claims: Any) -> str | None:
    """What is not of the type that it should be; None if nothing is."""
    if not isinstance(claims, tuple | list):
        return f"claims must be a tuple, not {type(claims).__name__}"
    for place, claim in enumerate(claims):
        if not isinstance(claim, Claim):
            return f"claims[{place}] is no Claim but {type(claim).__name__}"
        text: Any = claim.text
        spans: Any = claim.spans
        if not (isinstance(text, str) and isinstance(spans, tuple | list)):
            return f"claims[{place}] must have a text and a tuple of spans"
        for span in (*spans, claim.sentence):
            if not isinstance(span, Span) or type(span.start) is not int or type(span.end) is not int:
                return f"claims[{place}] has a span that is no Span of whole numbers: {span!r:.60}"
    return None


def _missed(answer: str, claims: Sequence[Claim]) -> int | None:
    """The first character that is neither white space nor markup, and in no claim."""
    covered = bytearray(len(answer))
    for span in (span for claim in claims for span in (claim.sentence, *claim.spans)):
        covered[span.start : span.end] = b"\1" * len(answer[span.start : span.end])
    for start, end in markup_ranges(answer):
        covered[start:end] = b"\1" * (end - start)
    places = (at for at, character in enumerate(answer) if not (character.isspace() or covered[at]))
    return next(places, None)


def _faults(answer: str, claim: Claim) -> Iterator[str]:
    if not claim.text.strip():
        yield " has no text"
    if not (claim.checkworthy or claim.reason):
        yield " is not checkworthy and does not say why"
    if not claim.spans:
        yield " has no spans"
        return
    for span in (*claim.spans, claim.sentence):
        if not _fits(answer, span):
            yield f": [{span.start}, {span.end}) of the answer is not {span.text[:40]!r}"
    if any(one.end > other.start for one, other in pairwise(claim.spans)):
        yield ": spans must be sorted and must not overlap"
    first = claim.spans[0]
    if not (claim.sentence.start <= first.start and first.end <= claim.sentence.end):
        yield ": the first span must lie in the sentence"


def _fits(answer: str, span: Span) -> bool:
    return 0 <= span.start < span.end <= len(answer) and answer[span.start : span.end] == span.text


class CheckedExtractor:
    """A claim extractor whose claims are looked at before anything is computed from them.

    Args:
        extractor: of somebody else's.
    """

    def __init__(self, extractor: ClaimExtractor) -> None:
        self.extractor = extractor

    def extract(self, answer: str, *, question: str = "") -> Extraction:
        """See `ClaimExtractor.extract`.

        Raises:
            ModelError: if the claims cannot be worked with; says why.
        """
        name = type(self.extractor).__name__
        try:
            found = self.extractor.extract(answer, question=question)
        except FranqGuardError:
            raise
        except Exception as error:
            raise ModelError(f"the claim extractor {name} failed: {type(error).__name__}: {error}") from error
        if not isinstance(found, Extraction):
            raise ModelError(f"the claim extractor {name} gave {type(found).__name__}, not an Extraction")
        fault = next(claim_faults(answer, found.claims), None)
        if fault is not None:
            raise ModelError(
                f"the claim extractor {name} made claims that cannot be checked: {fault}; try it with "
                "franq_guard.testing.check_claim_extractor"
            )
        return replace(found, claims=tuple(found.claims))
