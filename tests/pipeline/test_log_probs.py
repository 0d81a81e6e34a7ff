"""Two passes over each answer: what is asked of the model, and what is cut."""

import numpy as np
import pytest
from fakes import TOLD, UNTOLD, WordLM

from franq_guard.errors import CheckTimeoutError
from franq_guard.inputs import as_input
from franq_guard.pipeline.deadline import Deadline
from franq_guard.pipeline.log_probs import score_answers
from franq_guard.pipeline.prompts import question_prompt, rag_prompt
from franq_guard.schema import Passage


def score(model, items, **changed):
    options = {
        "max_prompt_tokens": 3072,
        "max_answer_tokens": 8192,
        "deadline": Deadline(None),
        "progress": lambda done, total: None,
    }
    return score_answers(model, items, **(options | changed))


def asked_with_passages(model):
    return next(prompt.user for prompt, _ in model.requests if "passage 1" in prompt.user)


def test_an_answer_is_scored_with_and_without_its_passages():
    model = WordLM()
    item = as_input("How tall?", ["It is iron."], "It is iron")
    [found] = score(model, [item])
    assert found.with_passages.log_probs.tolist() == [TOLD, TOLD, TOLD]
    assert found.without_passages.log_probs.tolist() == [UNTOLD, UNTOLD, UNTOLD]
    assert found.notes == ()
    prompts = {prompt for prompt, _ in model.requests}
    assert prompts == {rag_prompt("How tall?", [Passage("It is iron.")]), question_prompt("How tall?")}


def test_both_passes_see_the_same_tokens():
    model = WordLM()
    score(model, [as_input("Q?", ["p"], "some words here")])
    first, second = (tokens for _, tokens in model.requests)
    assert first is second


def test_handed_over_log_probs_save_a_pass():
    model = WordLM()
    item = as_input("Q?", ["p"], "Two words", [("Two", -0.3), (" words", -0.4)])
    [found] = score(model, [item])
    assert found.with_passages.log_probs.tolist() == [-0.3, -0.4]
    assert [prompt for prompt, _ in model.requests] == [question_prompt("Q?")]
    assert any("came with the answer" in note for note in found.notes)


def test_log_probs_of_another_text_are_not_used():
    model = WordLM()
    [found] = score(model, [as_input("Q?", ["p"], "Two words", [("Three", -0.3)])])
    assert found.with_passages.log_probs.tolist() == [UNTOLD, UNTOLD]
    assert len(model.requests) == 2
    assert any("do not spell it" in note for note in found.notes)


def test_many_answers_keep_their_order():
    model = WordLM()
    items = [as_input("Q?", ["p"], "word " * n) for n in range(1, 20)]
    items[3] = as_input("Q?", ["p"], "word " * 4, [("word ", -0.5)] * 4)
    found = score(model, items)
    assert [len(f.without_passages.log_probs) for f in found] == list(range(1, 20))
    assert [len(f.with_passages.log_probs) for f in found] == list(range(1, 20))
    assert found[3].with_passages.log_probs.tolist() == [-0.5] * 4


def test_no_answers_ask_nothing():
    model = WordLM()
    assert score(model, []) == []
    assert model.requests == []


def test_progress_counts_answers():
    seen = []
    items = [as_input("Q?", ["p"], "word")] * 11
    score(WordLM(), items, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (11, 11)
    assert seen == sorted(seen)


def test_a_passed_deadline_stops_before_the_model():
    model = WordLM()
    with pytest.raises(CheckTimeoutError):
        score(model, [as_input("Q?", ["p"], "word")], deadline=Deadline(-1))
    assert model.requests == []


def test_a_long_answer_is_cut_in_both_passes_with_a_note():
    [found] = score(WordLM(), [as_input("Q?", ["p"], "word " * 100)], max_answer_tokens=64)
    assert len(found.with_passages.log_probs) == len(found.without_passages.log_probs) == 64
    assert "scored the first 64 of 100 tokens of the answer" in found.notes


def test_passages_are_cut_to_the_budget_with_a_note():
    model = WordLM()
    passages = ["one " * 30, "two " * 30, "three " * 30]
    [found] = score(model, [as_input("Q?", passages, "word")], max_prompt_tokens=64)
    user = asked_with_passages(model)
    assert "one" in user
    assert "two" in user
    assert "three" not in user
    assert len(model.tokenize(user.split("below:")[1]).ids) <= 64 + 10
    assert any("saw 2 of 3 passages, the last one cut to fit" in note for note in found.notes)


def test_passages_that_fit_are_not_touched():
    model = WordLM()
    [found] = score(model, [as_input("Q?", ["  one two ", "three"], "word")], max_prompt_tokens=64)
    assert asked_with_passages(model) == rag_prompt("Q?", [Passage("  one two "), Passage("three")]).user
    assert found.notes == ()


@pytest.mark.parametrize("passages", [["x"] * 5000, [""] * 5000, [Passage("x", title="word " * 9)] * 5000])
def test_what_stands_around_passages_counts_too(passages):
    model = WordLM(max_context=1000)
    [found] = score(model, [as_input("Q?", passages, "word")])
    assert len(model.tokenize(asked_with_passages(model)).ids) < 550
    assert any("of 5,000 passages" in note for note in found.notes)


def test_a_long_title_cannot_push_the_text_out_of_bounds():
    model = WordLM()
    passages = [Passage("text", title="word " * 500), Passage("second")]
    [found] = score(model, [as_input("Q?", passages, "word")], max_prompt_tokens=64)
    assert all("passage 1" not in prompt.user for prompt, _ in model.requests)
    assert "the language model saw 0 of 2 passages" in found.notes


def test_the_prompt_leaves_half_of_the_context_to_the_answer():
    model = WordLM(max_context=200)
    score(model, [as_input("Q?", ["one " * 1000], "word")])
    assert len(model.tokenize(asked_with_passages(model)).ids) < 120


def test_a_long_question_is_cut_in_both_prompts_with_a_note():
    model = WordLM()
    [found] = score(model, [as_input("why " * 1000, ["one"], "word")], max_prompt_tokens=64)
    assert {prompt.user.count("why") for prompt, _ in model.requests} == {32}
    assert "the question was cut to fit the language model's prompt" in found.notes


def test_stretches_leave_a_note():
    class Stretching(WordLM):
        def score(self, requests):
            from dataclasses import replace

            return [replace(scores, stretches=3) for scores in super().score(requests)]

    [found] = score(Stretching(), [as_input("Q?", ["p"], "word")])
    assert any("scored in stretches" in note for note in found.notes)
    assert np.isfinite(found.with_passages.log_probs).all()
