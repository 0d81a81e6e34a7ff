from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.claims import ClaimExtractor, LLMExtractor, RuleExtractor
from franq_guard.errors import ConfigError, ModelError
from franq_guard.models.base import Generation, LanguageModel, Prompt, Tokens, TokenScores
from tests.claims.test_rules import assert_consistent
from tests.claims.texts import patient, texts

ANSWER = "The Eiffel Tower is in Paris. It was built in 1889 and has 3 levels."
GOOD = [
    "The Eiffel Tower is in Paris.",
    "The Eiffel Tower was built in 1889.",
    "The Eiffel Tower has 3 levels.",
]


class Scripted(LanguageModel):
    """A model that answers from a list, or by a function of the prompt."""

    def __init__(
        self, *replies: str, write: Callable[[Prompt], str] | None = None, fail: bool = False
    ) -> None:
        self.replies = list(replies)
        self.write = write
        self.fail = fail
        self.prompts: list[Prompt] = []

    @property
    def id(self) -> str:
        return "scripted"

    def generate(self, prompts: Sequence[Prompt], *, max_new_tokens: int = 256) -> list[Generation]:
        if self.fail:
            raise ModelError("the model is out of memory")
        self.prompts += prompts
        texts = [self.write(prompt) if self.write else self.replies.pop(0) for prompt in prompts]
        scores = TokenScores(Tokens("", (), np.empty((0, 2), dtype=np.int64)), np.empty(0))
        return [Generation(text, scores, 0.0) for text in texts]


def run(
    *replies: str, answer: str = ANSWER, question: str = ""
) -> tuple[list[tuple[str, str]], tuple[str, ...], str]:
    result = LLMExtractor(Scripted(*replies)).extract(answer, question=question)
    assert_consistent(answer, result)
    claims = [(claim.text, claim.extractor) for claim in result.claims if claim.checkworthy]
    return claims, result.notes, result.method


def test_it_is_a_claim_extractor() -> None:
    assert isinstance(LLMExtractor(Scripted()), ClaimExtractor)


@pytest.mark.parametrize("reply", [json.dumps(GOOD), str(GOOD), f"Sure!\n```python\n{GOOD}\n```"])
def test_a_good_list_is_located(reply: str) -> None:
    result = LLMExtractor(Scripted(reply)).extract(ANSWER)
    assert [claim.text for claim in result.claims] == GOOD
    assert [claim.source_text for claim in result.claims] == [
        "The Eiffel Tower is in Paris",
        "was built in 1889",
        "has 3 levels",
    ]
    assert {claim.extractor for claim in result.claims} == {"llm"}
    assert (result.notes, result.method) == ((), "llm")
    assert_consistent(ANSWER, result)


def test_the_prompt_holds_answer_and_question_as_literals() -> None:
    model = Scripted("[]")
    LLMExtractor(model).extract('Paris is "big".\nIt is old.', question="What is Paris?")
    assert r'atomic_facts("Paris is \"big\".\nIt is old.")' in model.prompts[0].user
    assert 'the question "What is Paris?"' in model.prompts[0].user


def test_an_unreadable_reply_is_repaired_once() -> None:
    model = Scripted("I think there are three.", str(GOOD))
    result = LLMExtractor(model).extract(ANSWER)
    assert [claim.text for claim in result.claims] == GOOD
    assert len(model.prompts) == 2
    assert "I think there are three." in model.prompts[1].user
    assert "no opening bracket" in model.prompts[1].user


@pytest.mark.parametrize(
    "reply",
    [
        "no list",
        "[__import__('os').system('true')]",
        "[" * 50_000,
        '["' + "a" * 10_000_000,
        "",
        '[["a"]]',
        "[1]",
    ],
    ids=lambda each: each[:12] or "empty",
)
def test_two_unreadable_replies_fall_back_to_rules(reply: str) -> None:
    result = LLMExtractor(Scripted(reply, reply)).extract(ANSWER)
    rules = RuleExtractor().extract(ANSWER)
    assert (result.claims, result.method) == (rules.claims, "rules")
    assert "rules were used instead" in result.notes[0]


def test_a_failing_model_falls_back_with_its_reason() -> None:
    result = LLMExtractor(Scripted(fail=True)).extract(ANSWER)
    assert result.claims == RuleExtractor().extract(ANSWER).claims
    assert "out of memory" in result.notes[0]


def test_a_model_that_returns_another_number_of_texts_falls_back() -> None:
    class Short(Scripted):
        def generate(self, prompts: Sequence[Prompt], *, max_new_tokens: int = 256) -> list[Generation]:
            return []

    result = LLMExtractor(Short()).extract(ANSWER)
    assert result.method == "rules"
    assert "returned 0 texts for 1 prompts" in result.notes[0]


def test_the_fallback_can_be_chosen() -> None:
    fallback = RuleExtractor(max_claims=1)
    result = LLMExtractor(Scripted(fail=True), fallback=fallback).extract(ANSWER)
    assert result.notes[1:] == ("claims beyond the first 1 are not checked",)


@pytest.mark.parametrize(
    "invented",
    [
        "Lake Ume froze in January.",
        "The Eiffel Tower is in London.",
        "The Eiffel Tower was built in 1890.",
        "The Eiffel Tower has 4 levels.",
        "The Eiffel Tower is not in Paris.",
        "Gustave Eiffel built the Eiffel Tower.",
        "",
    ],
)
def test_what_the_answer_does_not_say_is_dropped(invented: str) -> None:
    claims, notes, _ = run(json.dumps([*GOOD, invented]))
    assert claims == [(text, "llm") for text in GOOD]
    assert notes == (
        ("1 of 4 claims by the language model are not in the answer and were dropped",) if invented else ()
    )


def test_a_lost_negation_is_not_accepted() -> None:
    claims, _, _ = run('["Paris is in Germany."]', answer="Paris is not in Germany.")
    assert claims == [("Paris is not in Germany.", "rules")]


def test_a_name_from_the_question_is_accepted() -> None:
    claims, _, _ = run(
        '["Mount Everest is 8849 m high."]',
        answer="It is 8849 m high.",
        question="How high is Mount Everest?",
    )
    assert claims == [("Mount Everest is 8849 m high.", "llm")]


def test_what_the_model_leaves_out_is_filled_in_by_rules() -> None:
    claims, notes, method = run(json.dumps(GOOD[:2]))
    assert claims == [(GOOD[0], "llm"), (GOOD[1], "llm"), ("The Eiffel Tower has 3 levels", "rules")]
    assert notes == ("1 claims were made by rules, as the language model left them out",)
    assert method == "llm"


def test_an_empty_list_leaves_everything_to_rules() -> None:
    claims, _, method = run("[]")
    assert [text for text, _ in claims] == [claim.text for claim in RuleExtractor().extract(ANSWER).claims]
    assert method == "rules"


def test_a_reply_that_was_cut_is_used_as_far_as_it_goes() -> None:
    claims, notes, _ = run(json.dumps(GOOD)[:-20])
    assert [extractor for _, extractor in claims] == ["llm", "llm", "rules"]
    assert "a reply of the language model was cut by its length limit" in notes


def test_repeated_sentences_get_their_own_claims() -> None:
    answer = "Paris is big. Lyon is small. Paris is big."
    result = LLMExtractor(Scripted('["Paris is big.", "Lyon is small.", "Paris is big."]')).extract(answer)
    assert [claim.spans[0].start for claim in result.claims] == [0, 14, 29]


def test_talk_is_neither_asked_about_nor_claimed() -> None:
    model = Scripted()
    result = LLMExtractor(model).extract("Hello! How are you?")
    assert not model.prompts
    assert [claim.reason for claim in result.claims] == ["greeting", "question"]
    result = LLMExtractor(Scripted('["Paris is big.", "Is there anything else?"]')).extract(
        "Paris is big. Is there anything else?"
    )
    assert [(claim.text, claim.reason) for claim in result.claims] == [
        ("Paris is big.", ""),
        ("Is there anything else?", "question"),
    ]


def test_a_long_answer_is_asked_about_in_chunks_in_one_batch() -> None:
    answer = " ".join(f"Item {at} is number {at} of the list." for at in range(200))
    model = Scripted(write=lambda prompt: "[]")
    result = LLMExtractor(model).extract(answer)
    assert len(model.prompts) == len(answer) // 2000 + 1
    assert len(result.claims) == 200


def test_one_unreadable_chunk_leaves_the_others() -> None:
    first = " ".join(f"Item {at} is here." for at in range(130))
    answer = f"{first} Paris is big."
    model = Scripted(write=lambda prompt: '["Paris is big."]' if "Paris is big" in prompt.user else "no")
    result = LLMExtractor(model).extract(answer)
    assert result.claims[-1].extractor == "llm"
    assert "1 of 2 replies of the language model could not be read" in result.notes
    assert len(result.claims) == 131


def test_limits() -> None:
    result = LLMExtractor(Scripted(str(GOOD)), max_claims=2).extract(ANSWER)
    assert len(result.claims) == 3
    assert "claims beyond the first 2 are not checked" in result.notes
    with pytest.raises(ConfigError, match="max_new_tokens"):
        LLMExtractor(Scripted(), max_new_tokens=0)
    with pytest.raises(ConfigError, match="max_claims"):
        LLMExtractor(Scripted(), max_claims=0)


def test_half_surrogates_do_not_reach_the_model() -> None:
    model = Scripted(write=lambda prompt: prompt.user.encode("utf-8").decode("utf-8") and "[]")
    LLMExtractor(model).extract("Paris \ud800 is big.", question="Is \udfff so?")
    assert len(model.prompts) == 1


@patient
@given(texts, st.lists(texts | st.sampled_from(GOOD), max_size=5), texts)
def test_any_answer_and_reply_give_exact_spans(answer: str, claims: list[str], question: str) -> None:
    model = Scripted(write=lambda prompt: json.dumps(claims))
    assert_consistent(answer, LLMExtractor(model).extract(answer, question=question))
