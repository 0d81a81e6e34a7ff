"""The nouns and what they compute themselves."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.schema import Action, Claim, Coverage, GuardReport, Passage, ScoredClaim, Span, Verdict


def claim(index=0, **fields):
    span = Span(0, 1, "a")
    return ScoredClaim(index=index, text="a", spans=(span,), sentence=span, **fields)


def report(*claims, **fields):
    return GuardReport(question="", passages=(), answer="a", text="a", claims=claims, **fields)


@given(st.text(min_size=1).flatmap(lambda s: st.tuples(st.just(s), st.integers(0, len(s) - 1))))
def test_a_span_holds_its_own_characters(source_and_start):
    source, start = source_and_start
    for end in {start + 1, len(source)}:
        span = Span.of(source, start, end)
        assert span.text == source[span.start : span.end]
        assert (span.start, span.end) == (start, end)


@pytest.mark.parametrize(("start", "end"), [(1, 1), (2, 1), (-1, 2), (0, 4), (3, 4)])
def test_a_span_outside_the_text_is_refused(start, end):
    with pytest.raises(ValueError, match="does not fit a text of 3 characters"):
        Span.of("abc", start, end)


def test_source_text_joins_the_pieces_verbatim():
    answer = "Paris, the capital, is large"
    pieces = (Span.of(answer, 0, 5), Span.of(answer, 20, 28))
    found = Claim(index=0, text="Paris is large.", spans=pieces, sentence=Span.of(answer, 0, 28))
    assert found.source_text == "Paris is large"


def test_coverage_leaves_the_rest_unchecked():
    assert Coverage(total=10, scored=6, not_checkworthy=1).unchecked == 3


def test_a_report_is_as_true_as_its_least_likely_claim():
    claims = [claim(0, p_true=0.9), claim(1, p_true=0.2), claim(2)]
    assert report(*claims).p_true == 0.2
    assert report(claim(0)).p_true is None
    assert report().p_true is None


@pytest.mark.parametrize("action", [a for a in Action if a is not Action.KEEP])
def test_a_report_knows_whether_anything_was_done(action):
    assert report(claim(0), claim(1, action=action)).acted
    assert not report(claim(0)).acted
    assert report(blocked=True).acted


@pytest.mark.parametrize("value", [Span(0, 1, "a"), Passage("a"), claim(), report()])
def test_the_nouns_are_frozen(value):
    name = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, None)


def test_a_new_claim_is_unchecked_and_not_supported():
    assert claim().verdict is Verdict.UNCHECKED
