"""Does a claim extractor do what the guard relies on?"""

from __future__ import annotations

from collections.abc import Sequence

from franq_guard.claims import ClaimExtractor, Extraction
from franq_guard.claims.faults import claim_faults
from franq_guard.schema import Claim
from franq_guard.testing.findings import Findings, shown
from franq_guard.testing.texts import BLANK, ODD

_QUESTION = "How tall is the tower?"
_REPEATED = "The tower is tall. The tower is tall. Is it? Sure! It was built in 1889, and it stands in Paris."


def check_claim_extractor(extractor: ClaimExtractor, *, answers: Sequence[str] = (*ODD, _REPEATED)) -> None:
    """Checks a claim extractor against the `ClaimExtractor` protocol.

    Looked at is that claims are numbered and in order, that every span is where it says it is, that nothing
    of the answer is left out, that blank answers have no claims, and that the same answer gives the same
    claims.

    Args:
        extractor: the extractor.
        answers: are split; by default also ones that are hard to take.

    Raises:
        ConformanceError: if it does anything else; names all that was found.
    """
    findings = Findings(extractor)
    if findings.members(extractor, ("extract",)):
        for answer in BLANK:
            found = _extracted(findings, extractor, answer)
            findings.expect(
                found is None or not found.claims, f"{shown(answer)} is blank, and must have no claims"
            )
        for answer in answers:
            first, second = (_extracted(findings, extractor, answer) for _ in range(2))
            if first is None or second is None:
                continue
            findings.expect(
                first.claims == second.claims, f"extract({shown(answer)}) must give the same twice"
            )
            _check_claims(findings, answer, first.claims)
    findings.conclude()


def _extracted(findings: Findings, extractor: ClaimExtractor, answer: str) -> Extraction | None:
    call = f"extract({shown(answer)})"
    answers = findings.attempt(call, lambda: [extractor.extract(answer, question=_QUESTION)])
    if answers is None:
        return None
    [found] = answers
    fits = findings.expect(isinstance(found, Extraction), f"{call} must give an Extraction")
    return found if fits else None


def _check_claims(findings: Findings, answer: str, claims: Sequence[Claim]) -> None:
    name = f"extract({shown(answer)})"
    for fault in claim_faults(answer, claims):
        findings.add(f"{name}: {fault}")
