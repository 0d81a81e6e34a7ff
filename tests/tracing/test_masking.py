"""Masks, and spans that still fit what was masked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ANSWER, WORDS, FailingLM, ListSink, check

from franq_guard.errors import ConfigError
from franq_guard.tracing import BaseSink
from franq_guard.tracing.masking import masked_report


def masked(mask, **settings):
    sink = ListSink(capture_content=True, mask=mask)
    check(sink, **settings)
    return sink.records[0].content


def fits(report):
    for claim in report.claims:
        for span in (*claim.spans, claim.sentence):
            assert report.answer[span.start : span.end] == span.text
        assert list(claim.spans) == sorted(claim.spans, key=lambda span: span.start)
        for piece in claim.evidence:
            assert report.passages[piece.passage].text[piece.start : piece.end] == piece.text
    return report


def test_every_text_is_masked():
    found = fits(masked(lambda text: "x" * len(text))).to_json().lower()
    assert not [word for word in WORDS if word in found]
    found = fits(masked(lambda text: "x" * len(text), language_model=FailingLM())).to_json().lower()
    assert not [word for word in WORDS if word in found]


def test_a_mask_that_keeps_lengths_keeps_spans():
    report = masked(lambda text: text.replace("walruses", "********"))
    assert report.claims[2].source_text == "Flibbertigibbet ******** yodel."


def test_a_mask_that_changes_lengths_moves_spans():
    report = fits(masked(lambda text: text.replace("marmalade", "<FOOD>")))
    assert report.answer == ANSWER.replace("marmalade", "<FOOD>")
    assert [claim.source_text for claim in report.claims] == [
        "Sure!",
        "Zanzibarian <FOOD> quibbleth perpendicularly.",
        "Flibbertigibbet walruses yodel.",
    ]


def test_everything_may_go():
    assert fits(masked(lambda text: "")).answer == ""


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.text("ab <", max_size=12)), max_size=5))
def test_spans_always_fit(replacements):
    def mask(text):
        for word, new in replacements:
            text = text.replace(word, new)
        return text

    fits(masked_report(REPORT, mask))


def test_metadata_keeps_only_what_can_be_masked():
    report = masked(str.upper)
    assert report.passages[0].metadata == {"author": "BARTHOLOMEW"}
    assert report.passages[0].id == "doc-7"


def test_a_mask_that_fails_lets_nothing_out(caplog):
    def fail(text):
        raise LookupError("no model")

    for mask in (fail, lambda text: None):
        sink = ListSink(capture_content=True, mask=mask)
        check(sink)
        assert sink.records == []


def test_a_mask_is_a_function():
    with pytest.raises(ConfigError, match="mask must be a function"):
        BaseSink(mask="stars")


REPORT = check(ListSink())
