"""The aligner as shipped: embedded weights, embedded combiner."""

from __future__ import annotations

import numpy as np
import pytest

from franq_guard.alignment import Aligner, AlignmentJob, embedded_aligner
from franq_guard.models.align_mini import load_align_mini
from franq_guard.models.pair_classifier import PairClassifier
from franq_guard.schema import Verdict

EIFFEL = (
    "The Eiffel Tower is a wrought-iron lattice tower in Paris, France. It is 330 metres tall and was "
    "completed in 1889. It is the most visited monument with an entrance fee in the world."
)
BANANAS = "Bananas are berries. Most of them are grown in India. They do not grow in Norway."


@pytest.fixture(scope="module")
def model() -> PairClassifier:
    return load_align_mini(device="cpu", dtype="float32")


@pytest.fixture(scope="module")
def aligner(model: PairClassifier) -> Aligner:
    return embedded_aligner(model)


def scores(aligner: Aligner, claims: list[str], passages: list[str]) -> list[float]:
    return [result.p_faithful for result in aligner.align([AlignmentJob(claims, passages)])[0]]


def test_id_and_languages(aligner: Aligner) -> None:
    assert aligner.id == "align_mini+lexical+mismatch/sentences-3"
    assert aligner.splitter_name == "rules"
    assert aligner.languages == {"en"}


@pytest.mark.parametrize("passages", [[EIFFEL], [BANANAS, EIFFEL], [EIFFEL, BANANAS, "", BANANAS]])
def test_true_ranks_above_false_above_unmentioned(aligner: Aligner, passages: list[str]) -> None:
    claims = ("is 330 metres tall.", "is 500 metres tall.", "was painted green in 1968.")
    true, false, unmentioned = scores(aligner, [f"The Eiffel Tower {claim}" for claim in claims], passages)
    assert true > 0.5 > false > unmentioned


def test_a_changed_number_ranks_below(aligner: Aligner) -> None:
    passage = "In 2023 the company sold 1,250 cars, 14% more than the year before, for 38.5 million euros."
    true = ["The company sold 1,250 cars in 2023.", "Sales rose by 14%.", "It earned 38.5 million euros."]
    false = ["The company sold 1,520 cars in 2023.", "Sales rose by 41%.", "It earned 35.8 million euros."]
    for high, low in zip(scores(aligner, true, [passage]), scores(aligner, false, [passage]), strict=True):
        assert high > low


def test_evidence_points_at_the_sentence(aligner: Aligner) -> None:
    (result,) = aligner.align([AlignmentJob(["The tower is 330 metres tall."], [BANANAS, EIFFEL])])[0]
    best = result.evidence()[0]
    assert (best.passage, best.text) == (1, "It is 330 metres tall and was completed in 1889.")
    assert best.text == EIFFEL[best.start : best.end]
    assert best.aligned + best.neutral + best.contradicted == pytest.approx(1)
    assert result.verdict is Verdict.SUPPORTED


def test_passages_of_another_subject_do_not_contradict(aligner: Aligner) -> None:
    (result,) = aligner.align([AlignmentJob(["The Eiffel Tower is 330 metres tall."], [BANANAS])])[0]
    assert result.verdict is Verdict.NOT_MENTIONED


def test_more_passages_never_lower_a_score(aligner: Aligner) -> None:
    claims = ["The Eiffel Tower is in Paris.", "Bananas grow in Norway.", "The tower is made of glass."]
    few, many = (
        scores(aligner, claims, [EIFFEL]),
        scores(aligner, claims, [EIFFEL, BANANAS, BANANAS + EIFFEL]),
    )
    assert all(a <= b + 1e-5 for a, b in zip(few, many, strict=True))


def test_answers_together_equal_answers_alone(aligner: Aligner) -> None:
    jobs = [
        AlignmentJob(["The tower is in Paris.", "It is blue. It is old."], [EIFFEL]),
        AlignmentJob(["Bananas are berries."], [BANANAS, EIFFEL]),
    ]
    together = aligner.align(jobs)
    for job, results in zip(jobs, together, strict=True):
        alone = aligner.align([job])[0]
        np.testing.assert_allclose(
            [result.p_faithful for result in results], [result.p_faithful for result in alone], atol=1e-5
        )


def test_two_thousand_passages(aligner: Aligner) -> None:
    passages = [
        f"Station {i} of line {i % 40} opened in {1900 + i % 90}. It has {i % 7} exits." for i in range(2000)
    ]
    passages[1234] = EIFFEL
    (result,) = aligner.align([AlignmentJob(["The Eiffel Tower is 330 metres tall."], passages)])[0]
    assert len(result.windows) == 64
    assert result.evidence()[0].passage == 1234
    assert result.verdict is Verdict.SUPPORTED
    assert result.notes == ("scored the 64 most relevant of 2,000 windows",)


def test_a_passage_of_fifty_thousand_words(aligner: Aligner) -> None:
    filler = "The committee met again and talked about the budget of the harbour for a while. " * 1700
    passage = filler + EIFFEL + " " + filler
    (result,) = aligner.align([AlignmentJob(["The Eiffel Tower is 330 metres tall."], [passage])])[0]
    best = result.evidence()[0]
    assert passage[best.start : best.end] == best.text == "It is 330 metres tall and was completed in 1889."


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("البرج في باريس.", "يقع البرج في باريس. اكتمل عام ١٨٨٩."),
        ("灯塔很高。", "那座灯塔很高。它建于1871年。"),
        ("Башня высокая.", "Башня высокая и старая."),
        ("\ud800 \0 x", "\udfff broken \0 text"),
        ("[SEP] [CLS]", "[PAD] [MASK]"),
        ("🗼" * 50, "🗼" * 2000),
    ],
)
def test_any_script_gets_a_finite_score(aligner: Aligner, claim: str, passage: str) -> None:
    (result,) = aligner.align([AlignmentJob([claim], [passage])])[0]
    assert 0 <= result.p_faithful <= 1
    assert all(e.text == passage[e.start : e.end] for e in result.evidence())


def test_claims_longer_than_the_model_are_scored(aligner: Aligner) -> None:
    claims = ["word " * 700, "x" * 3000, "灯" * 700 + "。", "```\n" + "a = b[1]; " * 300 + "\n```"]
    assert all(0 <= score <= 1 for score in scores(aligner, claims, [EIFFEL]))
