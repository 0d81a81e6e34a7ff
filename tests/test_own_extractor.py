"""A claim extractor that a user wrote, in a guard."""

from dataclasses import replace

import pytest
from fakes import make_guard

from franq_guard.claims import Extraction, RuleExtractor
from franq_guard.errors import ConfigError, ModelError
from franq_guard.schema import Claim, Span
from franq_guard.testing import ConformanceError, check_claim_extractor

QUESTION, PASSAGES = "How tall is it?", ["The tower is 330 metres tall.", "It was built in 1889."]
ANSWER = "The tower is 330 metres tall. It was built in 1889."


class LineExtractor:
    """Every line is a claim."""

    def extract(self, answer, *, question=""):
        claims, start = [], 0
        for line in answer.splitlines(keepends=True):
            inner = line.strip()
            if inner:
                begin = answer.index(inner, start)
                span = Span.of(answer, begin, begin + len(inner))
                claims.append(Claim(index=len(claims), text=inner, spans=(span,), sentence=span))
            start += len(line)
        return Extraction(claims=tuple(claims), method="lines")


class ChangedExtractor:
    """Rules, with something wrong."""

    def __init__(self, change):
        self.change = change

    def extract(self, answer, *, question=""):
        return self.change(RuleExtractor().extract(answer, question=question))


def test_its_claims_are_checked():
    check_claim_extractor(LineExtractor())
    guard = make_guard(claim_extractor=LineExtractor())
    assert [claim.text for claim in guard.check(QUESTION, PASSAGES, ANSWER).claims] == [ANSWER]
    report = guard.check(QUESTION, PASSAGES, ANSWER.replace(". It", ".\nIt"))
    assert [claim.text for claim in report.claims] == [
        "The tower is 330 metres tall.",
        "It was built in 1889.",
    ]
    assert all(claim.p_true is not None for claim in report.claims)
    assert [
        claim.text
        for claim in guard.check_many([{"question": QUESTION, "passages": PASSAGES, "answer": ANSWER}])[
            0
        ].claims
    ] == [ANSWER]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda found: None, "not an Extraction"),
        (lambda found: replace(found, claims=found.claims[::-1]), "count from 0"),
        (lambda found: replace(found, claims=(replace(found.claims[0], spans=()),)), "no spans"),
        (lambda found: replace(found, claims=(replace(found.claims[0], text=" "),)), "no text"),
        (
            lambda found: replace(
                found, claims=(replace(found.claims[0], spans=(Span(start=3, end=900, text="x"),)),)
            ),
            r"\[3, 900\) of the answer",
        ),
        (
            lambda found: replace(found, claims=(replace(found.claims[0], spans=found.claims[0].spans * 2),)),
            "overlap",
        ),
        (lambda found: replace(found, claims=()), "character at 0 is in no claim"),
        (lambda found: replace(found, claims=found.claims[:1]), "character at 30 is in no claim"),
        (lambda found: replace(found, claims=("a", "b")), "no Claim but str"),
        (lambda found: replace(found, claims=None), "must be a tuple, not NoneType"),
        (
            lambda found: replace(
                found, claims=(replace(found.claims[0], spans=(Span(start=0.0, end=3.0, text="The"),)),)
            ),
            "no Span of whole numbers",
        ),
    ],
    ids=[
        "none",
        "order",
        "spans",
        "text",
        "place",
        "overlap",
        "nothing",
        "first",
        "strings",
        "null",
        "floats",
    ],
)
def test_claims_that_cannot_be_worked_with_fail_the_check(change, fault):
    extractor = ChangedExtractor(change)
    with pytest.raises(ModelError, match=fault):
        make_guard(claim_extractor=extractor, on_error="raise").check(QUESTION, PASSAGES, ANSWER)
    report = make_guard(claim_extractor=extractor).check(QUESTION, PASSAGES, ANSWER)
    assert report.error.startswith("ModelError")
    assert report.text == ANSWER
    assert all(claim.unchecked_reason for claim in report.claims)


@pytest.mark.parametrize("given", ["rules", LineExtractor, 3, object()])
def test_what_cannot_extract_is_refused_at_once(given):
    with pytest.raises(ConfigError, match="claim_extractor"):
        make_guard(claim_extractor=given)


def test_an_extractor_that_raises_is_named():
    def fail(found):
        raise ValueError("boom")

    with pytest.raises(ModelError, match="ChangedExtractor failed: ValueError: boom"):
        make_guard(claim_extractor=ChangedExtractor(fail), on_error="raise").check(QUESTION, PASSAGES, ANSWER)


@pytest.mark.parametrize(
    "claims", [("a", "b"), None, (claim for claim in ())], ids=["str", "none", "generator"]
)
def test_the_conformance_check_survives_what_is_no_claim(claims):
    with pytest.raises(ConformanceError, match="claim"):
        check_claim_extractor(ChangedExtractor(lambda found: replace(found, claims=claims)))


def test_the_conformance_check_finds_an_extractor_that_gives_nothing():
    with pytest.raises(ConformanceError, match="must give an Extraction"):
        check_claim_extractor(ChangedExtractor(lambda found: None))
