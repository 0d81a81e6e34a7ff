"""Screening on the embedded models."""

import pytest

from franq_guard import Guard
from franq_guard.demo.rag import load_corpus

QUESTION = "When was the Eiffel Tower completed?"


@pytest.fixture(scope="module")
def guard():
    return Guard.from_preset("mini", device="cpu", dtype="float32", on_error="raise")


def test_passages_that_disagree_are_found_and_nothing_else(guard):
    corpus = [passage.text for passage in load_corpus()]
    planted = ["The Eiffel Tower was completed in 1931.", "The tower does not need repainting.", corpus[0]]
    found = guard.screen(QUESTION, [*corpus, *planted])
    conflicting = {finding.index: finding.conflicts_with for finding in found if finding.conflicts_with}
    assert conflicting == {0: (20,), 20: (0, 22), 22: (20,)}
    assert found[22].duplicate_of == 0
    assert not found[0].irrelevant
    assert found[15].irrelevant


def test_a_corpus_that_agrees_has_no_conflicts(guard):
    assert not any(finding.conflicts_with for finding in guard.screen(QUESTION, load_corpus()))
