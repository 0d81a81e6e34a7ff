"""Many mixed requests at once: each is answered as if it were alone, and nothing is left behind."""

import logging

import pytest
from fakes import WordAligner, WordLM, make_guard

from benchmarks.soak import Soak
from franq_guard.models.shared import SharedAlignmentModel, SharedLanguageModel


@pytest.fixture(autouse=True)
def quiet(caplog):
    caplog.set_level(logging.CRITICAL, logger="franq_guard")


def assert_isolated(outcome):
    assert outcome.wrong == []
    before, after = outcome.threads
    assert after <= before


def test_a_thousand_mixed_requests():
    outcome = Soak(requests=1000).run()
    assert sum(outcome.requests.values()) == 1000
    assert set(outcome.requests) == {
        *("check", "check_many", "stream", "timeout"),
        *("acheck", "astream", "cancel", "late"),
    }
    assert_isolated(outcome)
    assert outcome.growth < 64 * 2**20


@pytest.mark.slow
def test_twenty_minutes_of_them():
    outcome = Soak(seconds=1200).run()
    assert_isolated(outcome)
    assert outcome.growth < 64 * 2**20


def test_what_is_remembered_is_bounded():
    aligner = SharedAlignmentModel(WordAligner(), remembered=50)
    lm = SharedLanguageModel(WordLM(), remembered=20)
    guard = make_guard(language_model=lm, alignment_model=aligner)
    for number in range(40):
        guard.check(
            "How tall?", [f"Tower {number} is tall.", "It is old."], f"Tower {number} is {number} high."
        )
    assert len(aligner._known) == 50
    assert len(lm._known) == 20
