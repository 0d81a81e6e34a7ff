"""The aligner's arithmetic and limits, with a model whose probabilities are known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.alignment import Aligner, AlignmentJob, ClaimAlignment, LexicalCombiner, alignscore
from franq_guard.errors import CheckTimeoutError, ConfigError, InputError
from franq_guard.schema import Verdict


class KnownModel:
    """Reads its answer off the context: "[a n c]" somewhere in it; else neutral."""

    id = "known"
    languages = None

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    def score(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        self.seen += pairs
        return np.array([self.row(context) for context, _ in pairs])

    @staticmethod
    def row(context: str) -> list[float]:
        if "[" not in context:
            return [0.0, 1.0, 0.0]
        return [float(number) for number in context.partition("[")[2].partition("]")[0].split()]


def align(
    claim: str, passages: Sequence[str], *, model: KnownModel | None = None, **options: object
) -> ClaimAlignment:
    aligner = Aligner(model or KnownModel(), **options)
    return aligner.align([AlignmentJob([claim], passages)])[0][0]


def test_we_6_aggregation() -> None:
    assert alignscore(np.array([[0.9, 0.4, 0.1], [0.2, 0.6, 0.7]])) == pytest.approx(0.8)
    assert math.isnan(alignscore(np.zeros((0, 3))))


def test_score_is_the_mean_over_sentences_of_the_best_window() -> None:
    class BySentence(KnownModel):
        def score(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
            table = {
                ("P one.", "First."): 0.9, ("P two.", "First."): 0.4, ("P three.", "First."): 0.1,
                ("P one.", "Second."): 0.2, ("P two.", "Second."): 0.6, ("P three.", "Second."): 0.7,
            }  # fmt: skip
            return np.array([[table[pair], 1 - table[pair], 0] for pair in pairs])

    result = align("First. Second.", ["P one.", "P two.", "P three."], model=BySentence())
    assert result.p_faithful == pytest.approx(0.8)
    assert result.sentences == ("First.", "Second.")
    assert result.probabilities.shape == (2, 3, 3)
    np.testing.assert_allclose(result.window_probabilities[:, 0], [0.55, 0.5, 0.4])


def test_passage_entailment_is_that_of_the_best_window() -> None:
    first = "One here [0.2 0.5 0.3]. " + "Filler sentence. " * 3 + "Two there [0.6 0.3 0.1]."
    passages = [first, "Alone [0.01 0.98 0.01].", ""]
    result = align("It is.", passages, window_sentences=1, stride=1)
    assert result.passage_entailment == {0: (0.6, 0.1), 1: (0.01, 0.01)}


def test_empty_claim_is_not_a_number_and_says_nothing() -> None:
    for claim in ("", " \n"):
        result = align(claim, ["A passage."])
        assert math.isnan(result.p_faithful)
        assert result.verdict is Verdict.NOT_CHECKWORTHY
        assert (result.evidence(), result.passage_entailment) == ((), {})


@pytest.mark.parametrize("windowing", ["sentences", "nli_sp", "whole"])
@pytest.mark.parametrize("passages", [[], [""], [" ", "\n\n"]])
def test_empty_context_is_scored_as_the_empty_string(windowing: str, passages: list[str]) -> None:
    model = KnownModel()
    result = align("It is.", passages, model=model, windowing=windowing)
    assert [context.strip() for context, _ in model.seen] == [""]
    assert (result.p_faithful, result.verdict, result.evidence()) == (0, Verdict.NOT_MENTIONED, ())
    assert result.passage_entailment == {}


SUPPORTING, DENYING = "The old tower stands [0.7 0.2 0.1].", "The old tower fell [0.1 0.2 0.7]."


@pytest.mark.parametrize(
    ("passages", "verdict"),
    [
        ([SUPPORTING], Verdict.SUPPORTED),
        ([DENYING], Verdict.CONTRADICTED),
        ([DENYING, SUPPORTING], Verdict.SUPPORTED),
        (["Bananas are yellow [0.1 0.2 0.7]."], Verdict.NOT_MENTIONED),
        (["The old tower [0.5 0.2 0.3]."], Verdict.NOT_MENTIONED),
        (["The old tower [0.1 0.6 0.3]."], Verdict.NOT_MENTIONED),
    ],
)
def test_verdict(passages: list[str], verdict: Verdict) -> None:
    assert align("The old tower stands.", passages).verdict is verdict


def test_evidence_is_the_best_sentence_with_the_windows_numbers() -> None:
    passage = "  It rains a lot. The old tower stands. Birds sing [0.7 0.2 0.1]."
    (evidence,) = align("The old tower stands.", ["Nothing.", passage]).evidence(top=1)
    assert evidence.text == passage[evidence.start : evidence.end] == "The old tower stands."
    assert (evidence.passage, evidence.aligned, evidence.neutral, evidence.contradicted) == (1, 0.7, 0.2, 0.1)


def test_contradicting_evidence_goes_first_for_a_contradicted_claim() -> None:
    passages = ["The tower again [0.2 0.7 0.1].", DENYING]
    result = align("The old tower stands.", passages)
    assert result.verdict is Verdict.CONTRADICTED
    assert [evidence.passage for evidence in result.evidence()] == [1, 0]


def test_evidence_prefers_a_sentence_with_a_number_for_a_claim_with_one() -> None:
    passage = "The tower is in Paris. It is 330 metres [0.2 0.2 0.6]."
    (evidence,) = align("The tower: 500 metres.", [passage]).evidence(top=1)
    assert evidence.text.startswith("It is 330")


def test_overlapping_windows_give_each_place_once() -> None:
    result = align("Gamma.", ["Alpha. Beta. Gamma. Delta. Epsilon."])
    places = [(evidence.start, evidence.end) for evidence in result.evidence(top=10)]
    assert len(result.windows) > 1
    assert len(places) == len(set(places))


texts = st.text(alphabet=st.sampled_from("ab 1.\n!—é灯\ud800"), max_size=60)


@given(texts, st.lists(texts, max_size=3), st.sampled_from(["sentences", "nli_sp", "whole"]))
def test_offsets_are_exact_for_any_text(claim: str, passages: list[str], windowing: str) -> None:
    result = align(claim, passages, windowing=windowing)
    assert math.isnan(result.p_faithful) == (not claim.strip())
    for evidence in result.evidence(top=5):
        assert evidence.text == passages[evidence.passage][evidence.start : evidence.end] != ""


def test_equal_pairs_are_scored_once_and_order_is_kept() -> None:
    model = KnownModel()
    jobs = [
        AlignmentJob(["B.", "A.", "B."], ["P [0.9 0.1 0]."]),
        AlignmentJob([], ["P [0.9 0.1 0]."]),
        AlignmentJob(["A."], ["P [0.9 0.1 0].", "P [0.9 0.1 0]."]),
    ]
    results = Aligner(model).align(jobs)
    assert [[result.claim for result in results_] for results_ in results] == [["B.", "A.", "B."], [], ["A."]]
    assert len(model.seen) == 2


def test_other_answers_do_not_change_a_result() -> None:
    job = AlignmentJob(["The old tower stands."], [SUPPORTING, DENYING])
    other = AlignmentJob(["Something else, 12."], ["Else [0.3 0.3 0.4].", "More [0.2 0.2 0.6]."])
    aligner = Aligner(KnownModel())
    (alone,) = aligner.align([job])
    assert aligner.align([other, job])[1][0].p_faithful == alone[0].p_faithful


def test_preselection_keeps_the_relevant_window_and_says_so() -> None:
    passages = [f"Filler number {i} [0.0 1.0 0.0]." for i in range(200)]
    passages[150] = "The old tower stands [0.9 0.1 0.0]."
    model = KnownModel()
    result = align("The old tower stands.", passages, model=model, max_windows_per_claim=5)
    assert len(model.seen) == 5
    assert result.p_faithful == 0.9
    assert result.notes == ("scored the 5 most relevant of 200 windows",)


def test_many_claims_share_a_bounded_number_of_pairs() -> None:
    model = KnownModel()
    claims = [f"Tower {i} stands." for i in range(100)]
    passages = [f"About tower {i} [0.9 0.1 0]." for i in range(100)]
    results = Aligner(model, max_pairs_per_answer=1000).align([AlignmentJob(claims, passages)])[0]
    assert len(model.seen) == 1000
    assert all(any(f"tower {i} [" in w.text for w in result.windows) for i, result in enumerate(results))


def test_over_long_claim_sentence_is_scored_in_parts() -> None:
    result = align("word " * 2000, ["P [0.5 0.5 0]."])
    assert len(result.sentences) > 1
    assert "".join(result.sentences).replace(" ", "") == "word" * 2000
    assert result.p_faithful == pytest.approx(0.5)
    assert any("in parts" in note for note in result.notes)


def test_progress_and_deadline_between_batches() -> None:
    job = AlignmentJob(["A claim."], [f"Passage {i}." for i in range(200)])
    seen: list[tuple[int, int]] = []
    Aligner(KnownModel(), max_windows_per_claim=200).align([job], progress=lambda *at: seen.append(at))
    assert seen == [(64, 200), (128, 200), (192, 200), (200, 200)]

    calls = []

    def deadline() -> None:
        calls.append(None)
        if len(calls) == 3:
            raise CheckTimeoutError("too late")

    model = KnownModel()
    with pytest.raises(CheckTimeoutError):
        Aligner(model, max_windows_per_claim=200).align([job], deadline=deadline)
    assert 0 < len(model.seen) < 200


def test_combiner_decides_the_score_but_not_the_evidence_numbers() -> None:
    combiner = LexicalCombiner("known", bias=-2.0, weights=(0.0, 0.0, 4.0, 0.0))
    result = align("The old tower stands.", [SUPPORTING, DENYING], combiner=combiner)
    assert result.p_faithful == pytest.approx(1 / (1 + math.exp(-2)))
    assert result.evidence()[0].aligned == 0.7


def by_line(text: str) -> list[object]:
    return []


@pytest.mark.parametrize(
    ("options", "id"),
    [
        ({}, "known/sentences-3"),
        ({"window_sentences": 1, "stride": 1}, "known/sentences-1"),
        ({"windowing": "nli_sp", "splitter": "rules"}, "known/nli_sp"),
        ({"windowing": "whole", "splitter": by_line}, "known/whole:by_line"),
        ({"combiner": LexicalCombiner("known", 0.0, (0.0,) * 4)}, "known+lexical/sentences-3"),
    ],
)
def test_id_names_what_changes_the_score(options: dict[str, object], id: str) -> None:
    assert Aligner(KnownModel(), **options).id == id


@pytest.mark.parametrize(
    "options",
    [
        {"windowing": "tokens"},
        {"window_sentences": 0},
        {"stride": 4},
        {"max_windows_per_claim": 0},
        {"combiner": LexicalCombiner("another", 0.0, (0.0,) * 4)},
    ],
)
def test_bad_settings_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        Aligner(KnownModel(), **options)


@pytest.mark.parametrize("job", [AlignmentJob([None], ["p"]), AlignmentJob(["c"], [b"p"])])
def test_what_is_not_text_is_refused(job: AlignmentJob) -> None:
    with pytest.raises(InputError, match="strings"):
        Aligner(KnownModel()).align([job])
