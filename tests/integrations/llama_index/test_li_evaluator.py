"""FranqEvaluator in LlamaIndex's evaluation module."""

import pytest
from fakes import BrokenLM, WordAligner, make_guard
from li_models import EIFFEL, QUESTION, ScriptedLLM, make_index
from llama_index.core.base.response.schema import Response
from llama_index.core.evaluation import BaseEvaluator, BatchEvalRunner
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode

from franq_guard import ConfigError, InputError, ModelError
from llama_index_franq_guard import FranqEvaluator

# LlamaIndex's own runner calls a function of LlamaIndex's that is deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:asyncio_module:DeprecationWarning")

GOOD = "The Eiffel Tower is 330 metres tall."
BAD = "It was painted pink by dragons."


def evaluator(passing_from=0.2, **settings):
    return FranqEvaluator(make_guard(**settings), passing_from=passing_from)


def test_it_is_an_evaluator():
    assert BaseEvaluator in FranqEvaluator.__mro__
    assert evaluator().get_prompts() == {}


async def test_a_supported_answer_passes():
    result = evaluator().evaluate(QUESTION, GOOD, [EIFFEL])
    assert result.passing
    assert not result.invalid_result
    assert 0.2 <= result.score <= 1
    assert (result.query, result.response, result.contexts) == (QUESTION, GOOD, [EIFFEL])
    assert result.feedback == "Every claim is likely to be true."
    assert await evaluator().aevaluate(QUESTION, GOOD, [EIFFEL]) == result


async def test_the_worst_claim_decides():
    result = evaluator().evaluate(QUESTION, f"{GOOD} {BAD}", [EIFFEL])
    assert not result.passing
    assert result.score == pytest.approx(evaluator().evaluate(QUESTION, BAD, [EIFFEL]).score)
    assert result.feedback.startswith("P(true) = 0.")
    assert "painted pink by dragons" in result.feedback
    assert GOOD not in result.feedback


def test_the_threshold_itself_passes():
    score = evaluator().evaluate(QUESTION, GOOD, [EIFFEL]).score
    assert evaluator(score).evaluate(QUESTION, GOOD, [EIFFEL]).passing


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "makes no claim"),
        ("Hello! How can I help you?", "makes no claim"),
        ("I don't know.", "makes no claim"),
        ("Der Turm ist dreihundertdreißig Meter hoch und wurde für die Ausstellung gebaut.", "language 'de'"),
    ],
)
def test_what_could_not_be_checked_has_no_score(answer, reason):
    result = evaluator().evaluate(QUESTION, answer, [EIFFEL])
    assert result.invalid_result
    assert reason in result.invalid_reason
    assert result.score is None
    assert result.passing is None


def test_a_pass_needs_every_claim_checked_but_a_failure_does_not():
    german = "Der Turm ist dreihundertdreißig Meter hoch und wurde für die Ausstellung gebaut."
    mixed = evaluator().evaluate(QUESTION, f"{GOOD} {german}", [EIFFEL])
    assert mixed.invalid_result
    failing = evaluator().evaluate(QUESTION, f"{BAD} {german}", [EIFFEL])
    assert failing.passing is False


def test_a_failed_check_is_invalid_or_raises():
    broken = {"language_model": BrokenLM(RuntimeError("boom"))}
    for on_error in ("pass", "block"):
        result = evaluator(**broken, on_error=on_error).evaluate(QUESTION, GOOD, [EIFFEL])
        assert result.invalid_result
        assert "boom" in result.invalid_reason
        assert result.response == GOOD
    with pytest.raises(ModelError, match="boom"):
        evaluator(**broken, on_error="raise").evaluate(QUESTION, GOOD, [EIFFEL])


async def test_query_and_response_are_needed():
    for given in ({"query": QUESTION}, {"response": GOOD}, {}):
        with pytest.raises(InputError, match="needs a query and a response"):
            evaluator().evaluate(**given)
        with pytest.raises(InputError, match="needs a query and a response"):
            await evaluator().aevaluate(**given)
    with pytest.raises(InputError, match="needs a query and a response"):
        evaluator().evaluate_response(QUESTION, None)


def test_contexts_may_be_left_out():
    assert evaluator().evaluate(QUESTION, GOOD).contexts == []


async def test_responses_are_held_against_what_the_model_saw():
    node = NodeWithScore(node=TextNode(text=EIFFEL, metadata={"title": "Paris"}))
    response = Response(GOOD, source_nodes=[node])
    result = evaluator().evaluate_response(QUESTION, response)
    assert result.contexts == [f"title: Paris\n\n{EIFFEL}"]
    assert await evaluator().aevaluate_response(QUESTION, response) == result
    bare = FranqEvaluator(make_guard(), metadata_mode=MetadataMode.NONE)
    assert bare.evaluate_response(QUESTION, response).contexts == [EIFFEL]


@pytest.mark.parametrize("threshold", [-0.1, 1.5, float("nan"), "high", True, None])
def test_thresholds_out_of_range_are_refused(threshold):
    with pytest.raises(ConfigError, match="passing_from"):
        evaluator(threshold)
    with pytest.raises(ConfigError, match="Guard"):
        FranqEvaluator(None)


async def test_a_batch_runner_runs_it():
    answers = iter([GOOD, BAD, "I don't know."])
    engine = make_index().as_query_engine(llm=ScriptedLLM(lambda prompt: next(answers)), similarity_top_k=1)
    questions = ["How tall is the Eiffel Tower?", "Who painted the Eiffel Tower?", "Why?"]
    responses = [engine.query(question) for question in questions]
    runner = BatchEvalRunner({"franq": evaluator()}, workers=3)
    results = (await runner.aevaluate_responses(queries=questions, responses=responses))["franq"]
    assert [(result.query, result.passing, result.invalid_result) for result in results] == [
        (questions[0], True, False),
        (questions[1], False, False),
        (questions[2], None, True),
    ]


async def test_a_batch_runner_runs_it_on_texts():
    runner = BatchEvalRunner({"franq": evaluator(alignment_model=WordAligner())}, workers=2)
    results = await runner.aevaluate_response_strs(
        queries=[QUESTION] * 2, response_strs=[GOOD, BAD], contexts_list=[[EIFFEL]] * 2
    )
    assert [result.passing for result in results["franq"]] == [True, False]
