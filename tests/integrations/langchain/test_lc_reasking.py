"""Asking again: the doubtful claims are named, and the better answer is kept."""

import asyncio

import pytest
from fakes import make_guard
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from lc_models import ANSWER, OLD, QUESTION, TALL

from franq_guard import GuardReport, Policy
from langchain_franq_guard import AnswerBlockedError, FranqGuardrail

GOOD = "The Eiffel Tower is 330 metres tall."
BETTER = "The Eiffel Tower is 330 metres tall. It was completed in ancient times."
WORSE = "Napoleon once ate seven very ripe yellow bananas before breakfast."


class Model:
    """Answers from a list; remembers what it was asked."""

    def __init__(self, *answers):
        self.prompts = []
        self._answers = list(answers)
        self.runnable = RunnableLambda(self.answer)

    def answer(self, prompt):
        self.prompts.append(prompt.to_string())
        found = self._answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return AIMessage(found)


@pytest.fixture
def guard():
    policy = Policy(annotate_below=None, hedge_below=None, block_below=0.4, min_kept=0)
    return make_guard(policy=policy, on_error="raise")


MODES = ["invoke", "ainvoke", "batch", "abatch", "stream", "astream"]


def run(guardrail, mode, answer=ANSWER):
    value = {"question": QUESTION, "context": [TALL, OLD], "answer": answer}

    async def streamed():
        return [chunk async for chunk in guardrail.astream(value)]

    def total(chunks):
        found = chunks[0]
        for chunk in chunks[1:]:
            found = found + chunk
        return found

    return {
        "invoke": lambda: guardrail.invoke(value),
        "ainvoke": lambda: asyncio.run(guardrail.ainvoke(value)),
        "batch": lambda: guardrail.batch([value])[0],
        "abatch": lambda: asyncio.run(guardrail.abatch([value]))[0],
        "stream": lambda: total(list(guardrail.stream(value))),
        "astream": lambda: total(asyncio.run(streamed())),
    }[mode]()


@pytest.mark.parametrize("mode", MODES)
def test_a_better_answer_is_taken(guard, mode):
    model = Model(GOOD)
    found = run(FranqGuardrail(guard, reask=model.runnable), mode)
    assert found["answer"] == GOOD
    report = GuardReport.from_dict(found["franq_guard"])
    assert report.answer == GOOD
    assert "asked again once: a better answer was taken" in report.notes
    [prompt] = model.prompts
    assert "painted green by Picasso.\n" in prompt.partition("doubtful:")[2]
    assert "330" not in prompt.partition("doubtful:")[2]
    assert QUESTION in prompt
    assert TALL.page_content in prompt


@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
def test_a_worse_answer_is_not(guard, mode):
    found = run(FranqGuardrail(guard, reask=Model(WORSE).runnable), mode)
    report = GuardReport.from_dict(found["franq_guard"])
    assert report.answer == ANSWER
    assert "asked again once: the first answer was kept" in report.notes


def test_a_good_answer_is_not_asked_for_again(guard):
    model = Model()
    assert run(FranqGuardrail(guard, reask=model.runnable), "invoke", GOOD)["answer"] == GOOD
    assert model.prompts == []


@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
@pytest.mark.parametrize(("attempts", "asked"), [(1, 1), (2, 2), (3, 2)])
def test_it_stops_at_a_good_answer_or_when_the_attempts_are_used_up(guard, mode, attempts, asked):
    model = Model(WORSE, GOOD)
    found = run(FranqGuardrail(guard, reask=model.runnable, max_reasks=attempts), mode)
    assert len(model.prompts) == asked
    assert (found["answer"] == GOOD) == (asked == 2)


def test_the_second_prompt_is_about_the_best_answer_so_far(guard):
    model = Model(BETTER, GOOD)
    run(FranqGuardrail(guard, reask=model.runnable, max_reasks=2), "invoke")
    assert "ancient times" in model.prompts[1]


@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
def test_a_model_that_fails_leaves_the_first_answer(guard, mode, caplog):
    model = Model(RuntimeError("no credit"))
    found = run(FranqGuardrail(guard, reask=model.runnable), mode)
    assert GuardReport.from_dict(found["franq_guard"]).answer == ANSWER
    assert "no credit" in caplog.text


def test_a_refusal_does_not_win_over_an_answer(guard):
    found = run(FranqGuardrail(guard, reask=Model("I don't know.").runnable), "invoke")
    assert GuardReport.from_dict(found["franq_guard"]).answer == ANSWER


def test_a_refusal_wins_over_an_answer_that_cannot_be_shown(guard):
    strict = {"min_kept": 1.0}
    found = run(FranqGuardrail(guard, policy=strict, reask=Model("I don't know.").runnable), "invoke")
    assert found["answer"] == "I don't know."


def test_blocking_raises_only_if_no_answer_is_better(guard):
    kept = FranqGuardrail(guard, on_blocked="raise", reask=Model(GOOD).runnable)
    assert run(kept, "invoke")["answer"] == GOOD
    with pytest.raises(AnswerBlockedError):
        run(FranqGuardrail(guard, on_blocked="raise", reask=Model(WORSE).runnable), "invoke")


def test_a_plain_language_model_will_do(guard):
    found = run(FranqGuardrail(guard, reask=FakeListLLM(responses=[GOOD])), "invoke")
    assert found["answer"] == GOOD
