"""The handler watches: nothing mixed up, nothing left behind, nothing changed."""

import asyncio
import logging
from contextlib import suppress

import pytest
from fakes import BrokenLM, make_guard
from langchain_core.language_models import FakeListChatModel, FakeListLLM, GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.tools import create_retriever_tool, tool
from lc_models import ANSWER, OLD, QUESTION, TALL, Echo, Shelf, rag

from franq_guard import ConfigError, ModelError, Policy
from langchain_franq_guard import AnswerBlockedError, FranqCallbackHandler, FranqEvidence, FranqGuardrail

BLOCKING = Policy(annotate_below=None, hedge_below=None, block_below=0.3)


class Reports(list):
    def __call__(self, report, ids):
        self.append((report, ids))


@pytest.fixture
def guard():
    return make_guard(policy=BLOCKING, on_error="raise")


@pytest.fixture
def reports():
    return Reports()


def chain_of(model=None, retriever=None):
    model = model or FakeListChatModel(responses=[ANSWER])
    prompt = ChatPromptTemplate.from_template("{context} {question}")
    retriever = retriever or Shelf(documents=[TALL, OLD])
    return {"context": retriever, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()


def run(chain, mode, value, config):
    async def streamed():
        return [chunk async for chunk in chain.astream(value, config)]

    return {
        "invoke": lambda: chain.invoke(value, config),
        "ainvoke": lambda: asyncio.run(chain.ainvoke(value, config)),
        "batch": lambda: chain.batch([value], config)[0],
        "abatch": lambda: asyncio.run(chain.abatch([value], config))[0],
        "stream": lambda: "".join(chain.stream(value, config)),
        "astream": lambda: "".join(asyncio.run(streamed())),
    }[mode]()


MODES = ["invoke", "ainvoke", "batch", "abatch", "stream", "astream"]


@pytest.mark.parametrize("mode", MODES)
def test_it_checks_the_answer_and_leaves_it_alone(guard, reports, mode):
    handler = FranqCallbackHandler(guard, on_report=reports)
    assert run(chain_of(), mode, QUESTION, {"callbacks": [handler]}) == ANSWER
    [(report, ids)] = reports
    assert (report.question, report.answer) == (QUESTION, ANSWER)
    assert [passage.id for passage in report.passages] == ["tall", "old"]
    assert [claim.action for claim in report.claims] == ["keep", "block"]
    assert ids.run_id == ids.root_run_id
    assert len(handler.runs) == 0


@pytest.mark.parametrize("mode", MODES)
def test_a_blocked_answer_raises_out_of_the_call(guard, mode):
    handler = FranqCallbackHandler(guard, on_blocked="raise")
    with pytest.raises(AnswerBlockedError, match="Picasso") as caught:
        run(chain_of(), mode, QUESTION, {"callbacks": [handler]})
    assert caught.value.report.answer == ANSWER
    assert len(handler.runs) == 0


def test_a_blocked_answer_is_logged_otherwise(guard, caplog):
    chain_of().invoke(QUESTION, {"callbacks": [FranqCallbackHandler(guard)]})
    assert "Picasso" in caplog.text


@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
@pytest.mark.parametrize("on_error", ["pass", "block", "raise"])
@pytest.mark.parametrize("on_blocked", ["log", "raise"])
def test_a_check_that_fails_follows_on_error(reports, mode, on_error, on_blocked):
    guard = make_guard(language_model=BrokenLM(RuntimeError("out of paper")), on_error=on_error)
    handler = FranqCallbackHandler(guard, on_blocked=on_blocked, on_report=reports)
    raised = None
    try:
        assert run(chain_of(), mode, QUESTION, {"callbacks": [handler]}) == ANSWER
    except (ModelError, AnswerBlockedError) as error:
        raised = type(error)
    expected = {"raise": ModelError, "block": AnswerBlockedError if on_blocked == "raise" else None}
    assert raised is expected.get(on_error)
    if on_error != "raise":
        assert "out of paper" in reports[0][0].error
    assert len(handler.runs) == 0


async def test_two_hundred_runs_at_once_are_never_mixed_up(guard, reports):
    """Every answer repeats its question, every document too: a report of two requests would show."""
    handler = FranqCallbackHandler(guard, on_report=reports)

    async def answer(prompt):
        await asyncio.sleep(0.001 * (len(prompt.to_string()) % 7))
        return AIMessage(f"I was asked {prompt.to_string().rsplit(' ', 1)[-1]}")

    chain = chain_of(RunnableLambda(answer), Echo())
    questions = [f"question-{number}" for number in range(200)]
    config = {"callbacks": [handler], "max_concurrency": 50}
    found = await chain.abatch(questions, config)
    assert found == [f"I was asked {question}" for question in questions]
    assert len(reports) == 200
    for report, _ in reports:
        assert report.answer == f"I was asked {report.question}"
        assert [p.text for p in report.passages] == [f"It is known about {report.question} that it is tall."]
    assert sorted(report.question for report, _ in reports) == sorted(questions)
    assert len({ids.run_id for _, ids in reports}) == 200
    assert len(handler.runs) == 0


async def test_two_hundred_guarded_runs_at_once_each_see_their_own_documents(guard):
    evidence = FranqEvidence()
    model = RunnableLambda(lambda prompt: AIMessage(f"Asked {prompt.to_string().rsplit(' ', 1)[-1]}"))
    prompt = ChatPromptTemplate.from_template("{context} {question}")
    chain = {"context": Echo(), "question": RunnablePassthrough()} | prompt | model | FranqGuardrail(guard)
    questions = [f"question-{number}" for number in range(200)]
    config = {"callbacks": [evidence], "max_concurrency": 50}
    found = await asyncio.gather(*(chain.ainvoke(question, config) for question in questions))
    for message, question in zip(found, questions, strict=True):
        report = message.response_metadata["franq_guard"]
        assert report["question"] == question
        assert [p["text"] for p in report["passages"]] == [f"It is known about {question} that it is tall."]
    assert len(evidence.runs) == 0


def test_a_run_that_fails_leaves_nothing(guard, reports):
    def fail(prompt):
        raise RuntimeError("no answer")

    handler = FranqCallbackHandler(guard, on_report=reports)
    with pytest.raises(RuntimeError, match="no answer"):
        chain_of(RunnableLambda(fail)).invoke(QUESTION, {"callbacks": [handler]})
    assert (len(handler.runs), reports) == (0, [])


async def test_a_cancelled_run_leaves_nothing(guard):
    handler = FranqCallbackHandler(guard)
    started = asyncio.Event()

    async def hang(prompt):
        started.set()
        await asyncio.sleep(3600)

    task = asyncio.create_task(chain_of(RunnableLambda(hang)).ainvoke(QUESTION, {"callbacks": [handler]}))
    await started.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert len(handler.runs) == 0


def test_a_stream_that_nobody_reads_to_its_end_is_forgotten_in_time(guard):
    handler = FranqCallbackHandler(guard, max_runs=3)
    streams = [chain_of().stream(QUESTION, {"callbacks": [handler]}) for _ in range(6)]
    for stream in streams:
        next(stream)
    assert len(handler.runs) <= 3
    for stream in streams:
        stream.close()


def test_a_guarded_chain_is_not_checked_twice(guard, reports):
    handler = FranqCallbackHandler(guard, on_report=reports)
    chain = chain_of() | FranqGuardrail(guard)
    assert "Picasso" not in chain.invoke(QUESTION, {"callbacks": [handler]})
    assert reports == []


def test_what_was_not_retrieved_is_not_checked_and_that_is_said(guard, reports, caplog):
    handler = FranqCallbackHandler(guard, on_report=reports)
    chain = RunnablePassthrough() | FakeListLLM(responses=[ANSWER])
    chain.invoke(QUESTION, {"callbacks": [handler]})
    assert reports == []
    assert "no retrieved document was seen; nothing was checked" in caplog.text


def test_chains_that_return_no_text_are_left_alone(guard, reports, caplog):
    handler = FranqCallbackHandler(guard, on_report=reports)
    (Shelf(documents=[TALL]) | (lambda documents: len(documents))).invoke(QUESTION, {"callbacks": [handler]})
    assert reports == []
    assert caplog.records == []


@pytest.mark.parametrize(
    "value",
    [
        {"question": QUESTION},
        {"input": QUESTION, "chat_history": []},
        {"messages": [HumanMessage("Hello"), AIMessage("Hi"), HumanMessage(QUESTION)]},
        QUESTION,
        [HumanMessage(QUESTION)],
    ],
)
def test_the_question_is_found_in_what_the_chain_was_given(guard, reports, value):
    handler = FranqCallbackHandler(guard, on_report=reports)
    steps = RunnableLambda(lambda _: Shelf(documents=[TALL]).invoke("eiffel height"))
    (RunnablePassthrough() | steps | (lambda _: ANSWER)).invoke(value, {"callbacks": [handler]})
    assert reports[0][0].question == QUESTION


@pytest.mark.parametrize(
    "output",
    [
        ANSWER,
        AIMessage(ANSWER),
        {"answer": ANSWER, "context": []},
        {"result": AIMessage(ANSWER)},
        {"messages": [HumanMessage(QUESTION), AIMessage(ANSWER)]},
        [HumanMessage(QUESTION), AIMessage(ANSWER)],
    ],
)
def test_the_answer_is_found_in_what_the_chain_returns(guard, reports, output):
    handler = FranqCallbackHandler(guard, on_report=reports)
    (Shelf(documents=[TALL]) | (lambda _: output)).invoke(QUESTION, {"callbacks": [handler]})
    assert reports[0][0].answer == ANSWER


def test_what_the_model_wrote_stands_in_for_an_output_without_text(guard, reports):
    handler = FranqCallbackHandler(guard, on_report=reports)
    model = FakeListChatModel(responses=[ANSWER])
    chain = Shelf(documents=[TALL]) | (lambda _: QUESTION) | model | (lambda message: {"length": 1})
    chain.invoke(QUESTION, {"callbacks": [handler]})
    assert reports[0][0].answer == ANSWER


def test_the_generators_own_log_probabilities_are_used(guard, reports):
    handler = FranqCallbackHandler(guard, on_report=reports)
    content = [{"token": f"{word} ", "logprob": -0.5} for word in ANSWER.split(" ")]
    message = AIMessage(ANSWER, response_metadata={"logprobs": {"content": content}})
    chain_of(GenericFakeChatModel(messages=iter([message]))).invoke(QUESTION, {"callbacks": [handler]})
    claim = reports[0][0].claims[0]
    assert claim.signals.max_claim_log_prob == pytest.approx(-0.5 * claim.signals.tokens)


def test_several_retrievals_count_together_without_repeats(guard, reports):
    handler = FranqCallbackHandler(guard, on_report=reports)

    def twice(question):
        Shelf(documents=[TALL]).invoke("first")
        Shelf(documents=[TALL, OLD]).invoke("second")
        return ANSWER

    RunnableLambda(twice).invoke(QUESTION, {"callbacks": [handler]})
    assert [passage.id for passage in reports[0][0].passages] == ["tall", "old"]


@tool(response_format="content_and_artifact")
def search(query: str):
    """Finds documents."""
    return "330 metres", [TALL, OLD]


@tool
def ask(query: str) -> str:
    """Looks something up."""
    return TALL.page_content


@tool
def broken(query: str) -> ToolMessage:
    """Fails."""
    return ToolMessage("no such table", tool_call_id="1", status="error")


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        (search, ["tall", "old"]),
        (ask, [None]),
        (create_retriever_tool(Shelf(documents=[TALL, OLD]), "find", "finds"), ["tall", "old"]),
        (broken, []),
    ],
)
@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
def test_tools_that_find_something_count_as_retrieval(guard, reports, used, expected, mode):
    handler = FranqCallbackHandler(guard, on_report=reports)
    call = {"name": used.name, "args": {"query": "height"}, "id": "1", "type": "tool_call"}

    def answer(question):
        used.invoke(call)
        Shelf(documents=[]).invoke("nothing")
        return ANSWER

    run(RunnableLambda(answer), mode, QUESTION, {"callbacks": [handler]})
    assert [passage.id for passage in reports[0][0].passages] == expected


def test_a_tag_draws_the_line_between_requests_under_one_root(guard, reports):
    handler = FranqCallbackHandler(guard, on_report=reports, boundary="request")
    one = chain_of(RunnableLambda(lambda _: "It is tall."), Echo()).with_config(tags=["request"])
    RunnableLambda(lambda questions: [one.invoke(q) for q in questions] and None).invoke(
        ["first", "second"], {"callbacks": [handler]}
    )
    assert [report.question for report, _ in reports] == ["first", "second"]
    assert [len(report.passages) for report, _ in reports] == [1, 1]
    assert len(handler.runs) == 0


def test_the_session_travels_with_the_ids(guard, reports):
    handler = FranqCallbackHandler(guard, on_report=reports)
    chain_of().invoke(QUESTION, {"callbacks": [handler], "metadata": {"session_id": "s1"}})
    assert reports[0][1].session_id == "s1"


@pytest.mark.parametrize("settings", [{"on_blocked": "stop"}, {"max_age": 0}, {"max_runs": 0}])
def test_senseless_settings_are_refused(guard, settings):
    with pytest.raises(ConfigError):
        FranqCallbackHandler(guard, **settings)


def test_it_works_beside_a_chain_that_keeps_everything(guard, reports, caplog):
    caplog.set_level(logging.WARNING)
    handler = FranqCallbackHandler(guard, on_report=reports)
    model = FakeListChatModel(responses=["The Eiffel Tower is 330 metres tall."])
    found = rag(model, Shelf(documents=[TALL])).invoke(QUESTION, {"callbacks": [handler]})
    assert found["answer"].content == "The Eiffel Tower is 330 metres tall."
    assert [claim.action for claim in reports[0][0].claims] == ["keep"]
    assert caplog.records == []
