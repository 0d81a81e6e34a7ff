from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from franq_guard.models.base import Generation, Prompt, Tokens, TokenScores
from franq_guard.policy import Policy
from franq_guard.rewriting import LMRewriter, rewrite
from franq_guard.rewriting.lm import adds_nothing
from franq_guard.schema import ScoredClaim

Scored = Callable[[str, str], list[ScoredClaim]]


class Typist:
    """A language model that writes what it is told."""

    id = "typist"

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        self.prompts: list[Prompt] = []

    def generate(self, prompts: Sequence[Prompt], *, max_new_tokens: int = 256) -> list[Generation]:
        self.prompts += prompts
        return [_generation(text) for text in self.texts[: len(prompts)]]

    def tokenize(self, text: str) -> Tokens:
        raise NotImplementedError

    def score(self, requests: Sequence[tuple[Prompt, Tokens]]) -> list[TokenScores]:
        raise NotImplementedError

    def sample(self, prompt: Prompt, **settings: Any) -> list[Generation]:
        raise NotImplementedError


def _generation(text: str) -> Generation:
    tokens = Tokens(text, (), np.zeros((0, 2), dtype=np.int64))
    return Generation(text, TokenScores(tokens, np.zeros(0)), None)


def yes(original: str, candidate: str) -> bool:
    return True


def hedged(
    scored: Scored, answer: str, codes: str, model: Typist, accept: Callable[[str, str], bool] = yes
) -> str:
    return rewrite(answer, scored(answer, codes), Policy(), rephraser=LMRewriter(model, accept)).text


def test_a_good_wording_is_taken(scored: Scored) -> None:
    model = Typist('"The tower is probably 330 m tall."\n\nI hope this helps.')
    answer = "It is so. The tower is 330 m tall."
    assert hedged(scored, answer, "ks hn", model) == "It is so. The tower is probably 330 m tall."
    assert "Sentence: The tower is 330 m tall.\n" in model.prompts[0].user
    assert "the documents do not mention it" in model.prompts[0].user


@pytest.mark.parametrize(
    "candidate",
    [
        "",
        "The tower is 330 m tall.",  # no hedge
        "The tower is probably 331 m tall.",  # another number
        "The tower is probably tall.",  # a number lost
        "The tower, built by Eiffel, is probably 330 m tall.",  # a new name
        "The tower is probably 330 m tall",  # no full stop
        "the tower is probably 330 m tall.",  # a small letter
        "The tower is probably (330 m tall.",  # a bracket
        "The tower is probably 330 m tall, " + "and so on " * 30 + ".",  # too long
    ],
)
def test_a_bad_wording_is_not(scored: Scored, candidate: str) -> None:
    answer = "The tower is 330 m tall."
    assert hedged(scored, answer, "hs", Typist(candidate)) == "Possibly, the tower is 330 m tall."


def test_what_the_original_does_not_entail_is_not_taken(scored: Scored) -> None:
    asked = []

    def no(original: str, candidate: str) -> bool:
        asked.append((original, candidate))
        return False

    answer = "The tower is tall."
    text = hedged(scored, answer, "hs", Typist("The tower is possibly tall."), no)
    assert text == "Possibly, the tower is tall."
    assert asked == [(answer, "The tower is possibly tall.")]


@pytest.mark.parametrize(
    ("answer", "codes"),
    [
        ("The tower is tall.", "as"),
        ("Paris is the capital of France and has 2 million people.", "ks hs"),
        ("The tower is tall [1].", "hs"),
        ("The tower is possibly tall.", "hs"),
        ("Paris", "hs"),
    ],
)
def test_the_model_is_asked_for_plain_doubtful_sentences_only(
    scored: Scored, answer: str, codes: str
) -> None:
    model = Typist("Never used.")
    hedged(scored, answer, codes, model)
    assert model.prompts == []


def test_all_sentences_go_in_one_batch(scored: Scored) -> None:
    model = Typist("It is possibly old.", "It is new, certainly.")
    assert (
        hedged(scored, "It is old. It is new.", "hs hs", model) == "It is possibly old. Possibly, it is new."
    )
    assert len(model.prompts) == 2


def test_a_model_that_writes_too_little_is_an_error(scored: Scored) -> None:
    with pytest.raises(ValueError):
        hedged(scored, "It is old. It is new.", "hs hs", Typist("It is possibly old."))


@pytest.mark.parametrize(
    ("original", "candidate", "expected"),
    [
        ("Paris has 2 million people.", "Paris probably has 2 million people.", True),
        ("Paris has 2 million people.", "Reportedly, Paris has 2 million people.", True),
        ("Paris has 2 million people.", "The city of Paris has 2 million people.", True),
        ("Paris has 2 million people.", "Paris, France, has 2 million people.", False),
        ("Paris has 2 million people.", "Paris has 2,000,000 people.", False),
        ("It rose 3.5% in 2020.", "It may have risen 3.5% in 2020.", True),
    ],
)
def test_new_names_and_numbers(original: str, candidate: str, expected: bool) -> None:
    assert adds_nothing(original, candidate) is expected
