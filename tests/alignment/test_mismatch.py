"""Numbers and negations that differ lower the score, and say so."""

import numpy as np
import pytest
from fakes import WordAligner

from franq_guard.alignment import Aligner, AlignmentJob, MismatchPenalty
from franq_guard.alignment.mismatch import FEATURES
from franq_guard.schema import Verdict

PENALTY = MismatchPenalty((-3.0, -1.0, -3.0))


def align(claim, *passages, **options):
    aligner = Aligner(WordAligner(), **({"mismatch": PENALTY} | options))
    [[found]] = aligner.align([AlignmentJob([claim], passages)])
    return found


def test_no_weight_raises_a_score():
    weights = MismatchPenalty.embedded().weights
    assert len(weights) == len(FEATURES)
    assert all(weight <= 0 for weight in weights)


def test_scores_without_mismatch_stay_exactly():
    scores = np.asarray([0.0, 0.3, 1.0])
    assert PENALTY.apply(scores, np.zeros((3, 3))).tolist() == scores.tolist()
    lowered = PENALTY.apply(scores, np.ones((3, 3)))
    assert (lowered <= scores + 1e-6).all()
    assert np.isfinite(lowered).all()


@pytest.mark.parametrize(
    ("claim", "passage", "differs"),
    [
        (
            "The tower is 500 metres tall.",
            "The tower is 330 metres tall.",
            "“500 metres” against “330 metres”",
        ),
        ("It was built in 1934.", "It was built in 1911.", "“1934” against “1911”"),
        ("The tower is not open.", "The tower is open.", "one affirms what the other denies"),
        ("It was built in 1924.", "It was built in the 1920s.", "“1924” against “1920s”"),
    ],
)
def test_a_mismatch_lowers_the_score_and_is_named(claim, passage, differs):
    found, without = align(claim, passage), align(claim, passage, mismatch=None)
    assert found.p_faithful < without.p_faithful
    assert found.evidence()[0].differs == differs
    assert without.evidence()[0].differs == ""


def test_a_difference_contradicts_what_talks_about_the_claim():
    assert (
        align("The tower is 500 metres tall.", "The tower is 330 metres tall.").verdict
        is Verdict.CONTRADICTED
    )
    assert align("The ferry is not open.", "Bananas cost 3 euros.").verdict is Verdict.NOT_MENTIONED


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The tower is 330 metres tall.", "The tower is 330 m tall. It was built in 1911."),
        ("It is about 300 metres tall.", "It is 298 metres tall."),
        ("It was built in the 1920s.", "It was built in 1924."),
        ("The tower is tall.", "The tower is 330 metres tall."),
    ],
)
def test_what_agrees_is_left_alone(claim, passage):
    found = align(claim, passage)
    assert not found.mismatches.any()
    assert found.p_faithful == align(claim, passage, mismatch=None).p_faithful


def test_a_number_further_on_in_the_passage_counts():
    passage = "The mill was built for the town. " + "It has a wheel. " * 8 + "That was in 1764."
    assert not align("The mill was built in 1764.", passage).mismatches.any()


def test_the_id_names_the_penalty():
    assert Aligner(WordAligner(), mismatch=PENALTY).id == "overlap+mismatch/sentences-3"
