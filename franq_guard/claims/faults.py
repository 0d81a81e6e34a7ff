"""What is wrong with claims that an extractor of somebody else's made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from franq_guard.claims.base import ClaimExtractor, Extraction
from franq_guard.errors import ModelError
from franq_guard.schema import Claim, Span


def claim_faults(answer: str, claims: Sequence[Claim]) -> Iterator[str]:
    """Says what the guard cannot work with, if anything: numbers, order, texts and places."""
    if [claim.index for claim in claims] != list(range(len(claims))):
        yield "numbers must count from 0"
    for claim in claims:
        for fault in _faults(answer, claim):
            yield f"claim {claim.index}{fault}"
    starts = [claim.spans[0].start for claim in claims if claim.spans]
    if starts != sorted(starts):
        yield "claims must be in the order of the answer"


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
        found = self.extractor.extract(answer, question=question)
        name = type(self.extractor).__name__
        if not isinstance(found, Extraction):
            raise ModelError(f"the claim extractor {name} gave {type(found).__name__}, not an Extraction")
        fault = next(claim_faults(answer, found.claims), None)
        if fault is not None:
            raise ModelError(
                f"the claim extractor {name} made claims that cannot be checked: {fault}; try it with "
                "franq_guard.testing.check_claim_extractor"
            )
        return found
