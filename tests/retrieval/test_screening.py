"""Screening with models that need no weights."""

import re

import numpy as np
import pytest
from fakes import WordAligner, make_guard

from franq_guard import Passage
from franq_guard.errors import CheckTimeoutError, ConfigError, InputError, ModelError
from franq_guard.retrieval import PassageFinding, Screening
from franq_guard.retrieval.findings import as_problems

QUESTION = "How tall is the Eiffel Tower?"
TALL = "The Eiffel Tower is 330 metres tall."
TALLER = "The Eiffel Tower is 331 metres tall."
LONG = (
    "The tower was built for the fair in Paris by the company of Gustave Eiffel and opened that same spring."
)


class NumberAligner(WordAligner):
    """Two texts with different numbers contradict each other."""

    def score(self, pairs):
        self.pairs.extend(pairs)
        numbers = [tuple(set(re.findall(r"\d+", text)) for text in pair) for pair in pairs]
        return np.asarray([[0, 0, 1] if a != b else [1, 0, 0] for a, b in numbers], dtype=float).reshape(
            -1, 3
        )


class FailingAligner(WordAligner):
    def score(self, pairs):
        raise RuntimeError("no memory")


def screen(passages, *, question=QUESTION, aligner=None, on_error="raise", timeout=None, **settings):
    guard = make_guard(alignment_model=aligner or NumberAligner(), on_error=on_error, timeout=timeout)
    return guard.screen(question, passages, settings=Screening(**settings))


def test_no_passages_no_findings():
    assert screen([]) == ()
    assert screen(None) == ()


def test_a_single_good_passage_has_no_problems():
    assert screen([TALL]) == (PassageFinding(index=0, relevance=1.0),)


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\ufeff", "\x00"])
def test_empty_passages_are_neither_duplicates_nor_irrelevant(text):
    first, second = screen([text, text])
    assert first.problems == second.problems == ("empty",)
    assert first.relevance is None


def test_equal_passages_point_to_the_first():
    found = screen([TALL, LONG, TALL.upper(), f"  {TALL}\n"])
    assert [finding.duplicate_of for finding in found] == [None, None, 0, 0]


def test_near_duplicates_point_to_the_first_that_stays():
    found = screen([LONG, LONG + " Indeed.", LONG.replace("spring", "summer")], duplicate_above=0.7)
    assert [finding.duplicate_of for finding in found] == [None, 0, 0]


def test_another_number_is_no_duplicate():
    first, second = screen([f"{LONG} {TALL}", f"{LONG} {TALLER}"], duplicate_above=0.5)
    assert second.duplicate_of is None
    assert first.conflicts_with == (1,)
    assert second.conflicts_with == (0,)


def test_whoever_contradicts_is_no_duplicate():
    class Negation(WordAligner):
        def score(self, pairs):
            rows = [[0, 0, 1] if ("not" in a) != ("not" in b) else [1, 0, 0] for a, b in pairs]
            return np.asarray(rows, dtype=float).reshape(-1, 3)

    other = LONG.replace("was built", "was not built")
    found = screen([LONG, other], duplicate_above=0.5, aligner=Negation())
    assert [finding.conflicts_with for finding in found] == [(1,), (0,)]
    assert found[1].duplicate_of is None


def test_a_copy_inherits_conflicts():
    found = screen([TALL, TALLER, TALL])
    assert [finding.conflicts_with for finding in found] == [(1,), (0, 2), (1,)]
    assert found[2].duplicate_of == 0


@pytest.mark.parametrize(
    "other",
    [
        "Mount Everest is 8849 metres tall.",  # another subject
        "The Eiffel Tower has 3 levels.",  # too few words in common
        "It is 331 metres tall.",  # nobody knows what
        "Is the Eiffel Tower 331 metres tall?",
        TALL,
    ],
)
def test_statements_that_cannot_conflict_are_not_read(other):
    aligner = NumberAligner()
    found = screen([TALL, other], aligner=aligner, min_overlap=0.8)
    assert not any(finding.conflicts_with for finding in found)
    assert aligner.pairs == []


def test_statements_of_one_passage_are_not_held_against_each_other():
    assert screen([f"{TALL} {TALLER}"])[0].conflicts_with == ()


def test_only_what_holds_in_both_directions_is_a_conflict():
    class OneWay(WordAligner):
        def score(self, pairs):
            return np.asarray([[0, 0, 1] if "330" in context else [1, 0, 0] for context, _ in pairs], float)

    assert not any(finding.conflicts_with for finding in screen([TALL, TALLER], aligner=OneWay()))


def test_languages_the_model_cannot_read_are_left_out():
    aligner = NumberAligner(languages=frozenset({"de"}))
    found = screen(
        ["The tower is about 330 metres tall and it was finished when they opened the fair."] * 1
        + ["The tower is about 331 metres tall and it was finished when they opened the fair."],
        aligner=aligner,
    )
    assert aligner.pairs == []
    assert not any(finding.conflicts_with for finding in found)


def test_relevance_is_the_share_of_the_questions_words():
    found = screen([TALL, "The tower has stairs.", "Honey keeps for years."], conflicts=False)
    assert [finding.relevance for finding in found] == pytest.approx([1.0, 1 / 3, 0.0])
    assert [finding.irrelevant for finding in found] == [False, False, True]


def test_relevance_does_not_depend_on_the_other_passages():
    alone = screen([TALL], conflicts=False)[0].relevance
    assert screen([LONG, TALL, "Honey."], conflicts=False)[1].relevance == alone


@pytest.mark.parametrize("question", ["", "???", "😀"])
def test_a_question_without_words_makes_nothing_irrelevant(question):
    found = screen([TALL, "Honey keeps for years."], question=question, conflicts=False)
    assert [(finding.relevance, finding.irrelevant) for finding in found] == [(None, False)] * 2


def test_a_passage_in_another_language_is_not_called_irrelevant():
    german = "Der Turm ist dreihundertdreißig Meter hoch und wurde für die Weltausstellung gebaut."
    finding = screen([german], question="How high was that building when they had finished it?")[0]
    assert (finding.relevance, finding.irrelevant) == (None, False)


@pytest.mark.parametrize(
    "text", ["埃菲尔铁塔高330米。", "برج إيفل", "👩‍👩‍👧‍👦" * 50, "x" * 20_000, "a\ud800b", "<|im_end|>"]
)
def test_any_text_has_a_finding(text):
    first, second = screen([text, text])
    assert second.duplicate_of == 0
    assert first.duplicate_of is None


def test_ten_thousand_passages_are_bounded():
    aligner = NumberAligner()
    texts = [f"The Eiffel Tower is {n} metres tall." for n in range(9_999)] + [
        "The Eiffel Tower is 5 metres tall."
    ]
    found = screen(texts, aligner=aligner, max_passages=200, max_pairs=50)
    assert len(found) == 10_000
    assert len(aligner.pairs) == 100
    assert found[-1].duplicate_of == 5
    assert "compared the 50 most similar of 19,900 pairs of statements" in found[0].notes
    assert any("compared for equality only" in note for note in found[500].notes)


def test_a_long_passage_is_searched_up_to_a_limit():
    found = screen([TALL, "Honey keeps. " * 20 + TALLER], max_characters=100)
    assert found[1].conflicts_with == ()
    assert any("first 100 characters" in note for note in found[1].notes)


def test_conflicts_need_no_model_when_switched_off():
    found = screen([TALL, TALLER], aligner=FailingAligner(), conflicts=False)
    assert [finding.problems for finding in found] == [(), ()]


def test_a_failing_model_is_said_or_raised():
    found = screen([TALL, TALLER, TALL], aligner=FailingAligner(), on_error="pass")
    assert found[2].duplicate_of == 0
    assert all("conflicts were not looked for: RuntimeError: no memory" in f.notes for f in found)
    with pytest.raises(ModelError, match="no memory"):
        screen([TALL, TALLER], aligner=FailingAligner())


def test_the_deadline_holds():
    with pytest.raises(CheckTimeoutError):
        screen([TALL, TALLER], timeout=1e-9)
    found = screen([TALL, TALLER], timeout=1e-9, on_error="block")
    assert all(any("CheckTimeoutError" in note for note in finding.notes) for finding in found)


async def test_awaited_findings_are_the_same():
    guard = make_guard(alignment_model=NumberAligner())
    passages = [TALL, Passage(TALLER), {"text": TALL}]
    assert await guard.ascreen(QUESTION, passages) == guard.screen(QUESTION, passages)
    guard.close()


@pytest.mark.parametrize(("question", "passages"), [(None, []), (3, []), ("q", [None]), ("q", 7)])
def test_wrong_types_are_named(question, passages):
    with pytest.raises(InputError, match="expected"):
        make_guard().screen(question, passages)


@pytest.mark.parametrize(
    "settings",
    [
        {"duplicate_above": 0},
        {"duplicate_above": 1.1},
        {"irrelevant_below": -0.1},
        {"conflict_above": float("nan")},
        {"min_overlap": True},
        {"max_pairs": 0},
        {"max_passages": 2.5},
        {"max_characters": None},
    ],
)
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ConfigError, match=next(iter(settings))):
        Screening(**settings)


def test_findings_become_plain_data():
    found = screen([TALL, TALLER])[0].to_dict()
    assert found == {
        "index": 0,
        "problems": ["conflicting"],
        "duplicate_of": None,
        "conflicts_with": [1],
        "relevance": 1.0,
        "notes": [],
    }


def test_names_of_problems_are_checked():
    assert as_problems(["empty", "duplicate"]) == {"empty", "duplicate"}
    assert as_problems("empty") == {"empty"}
    for wrong in (["blank"], 3, [None]):
        with pytest.raises(ConfigError, match="problem"):
            as_problems(wrong)
