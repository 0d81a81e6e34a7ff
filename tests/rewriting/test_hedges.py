import pytest

from franq_guard.rewriting.hedges import LANGUAGES, Hedged
from franq_guard.schema import Verdict

ENGLISH = LANGUAGES["en"]


@pytest.mark.parametrize(
    "text",
    [
        "It is possibly old.",
        "Perhaps it is old.",
        "It might be old.",
        "It is likely old.",
        "It is thought to have been old.",
        "it is widely believed that it is old",
        "I’m not sure whether it is old.",
        "I am not certain about it.",
        "Some historians claim that it is old.",
        "As far as I know, it is old.",
        "The rumoured sale.",
    ],
)
def test_words_of_doubt(text: str) -> None:
    assert ENGLISH.hedged(text) is Hedged.YES


@pytest.mark.parametrize("text", ["Members may vote.", "He could swim."])
def test_words_that_may_be_doubt(text: str) -> None:
    assert ENGLISH.hedged(text) is Hedged.UNSURE


@pytest.mark.parametrize(
    "text",
    [
        "It is old.",
        "In May 1889.",
        "The mighty river.",
        "May was warm.",
        "I thinks",
        "a maybelline ad",
        "He said it.",
    ],
)
def test_words_that_are_no_doubt(text: str) -> None:
    assert ENGLISH.hedged(text) is Hedged.NO


def test_every_verdict_has_its_words() -> None:
    for verdict in Verdict:
        assert ENGLISH.opening_for([verdict]).endswith(" ")
        assert ENGLISH.aside_for([verdict], after_adverb=False)


def test_the_gravest_verdict_names_the_reason() -> None:
    verdicts = [Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.NOT_MENTIONED]
    assert ENGLISH.aside_for(verdicts, after_adverb=False) == "the documents say otherwise"
    assert ENGLISH.aside_for([Verdict.SUPPORTED], after_adverb=True) is None
    assert ENGLISH.opening_for(verdicts) == ENGLISH.mixed


def test_its_own_hedges_are_seen_as_hedges() -> None:
    assert ENGLISH.hedged(ENGLISH.opening[Verdict.SUPPORTED]) is Hedged.YES
    assert ENGLISH.hedged(ENGLISH.adverb) is Hedged.YES
