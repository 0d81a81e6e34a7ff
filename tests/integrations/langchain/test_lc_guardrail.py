"""What goes in and what comes out, over models made of words."""

import asyncio

import pytest
from fakes import BrokenLM, make_guard
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import ConfigurableField, RunnableLambda, RunnablePassthrough
from lc_models import ANSWER, OLD, QUESTION, TALL, Shelf, rag
from pydantic import ValidationError

from franq_guard import ConfigError, GuardReport, InputError, ModelError, Passage, Policy
from langchain_franq_guard import CLAIM_EVENT, AnswerBlockedError, FranqEvidence, FranqGuardrail

DOCUMENTS = [TALL, OLD]
WITHOUT_PICASSO = Policy(
    annotate_below=None, hedge_below=None, block_below=0.3, block_mode="drop", min_kept=0
)


@pytest.fixture
def guard():
    return make_guard(policy=WITHOUT_PICASSO, on_error="raise")


def exchange(answer=ANSWER, **others):
    return {"question": QUESTION, "context": DOCUMENTS, "answer": answer, **others}


def report_of(value):
    return GuardReport.from_dict(value)


def test_a_dictionary_keeps_its_keys_and_gains_the_report(guard):
    found = FranqGuardrail(guard).invoke(exchange(source="wiki"))
    assert found["answer"] == "The Eiffel Tower is 330 metres tall."
    assert found["context"] is DOCUMENTS
    assert found["source"] == "wiki"
    report = report_of(found["franq_guard"])
    assert report.answer == ANSWER
    assert report.text == found["answer"]
    assert [(p.text, p.id, p.source) for p in report.passages] == [
        (TALL.page_content, "tall", "guide.txt"),
        (OLD.page_content, "old", None),
    ]


def test_what_went_in_is_not_changed(guard):
    message = AIMessage(ANSWER, id="m")
    value = exchange(message)
    FranqGuardrail(guard).invoke(value)
    assert value == exchange(AIMessage(ANSWER, id="m"))


def test_a_message_in_a_dictionary_stays_a_message(guard):
    message = AIMessage(ANSWER, id="m1", response_metadata={"model_name": "x"}, name="bot")
    found = FranqGuardrail(guard).invoke(exchange(message))
    answer = found["answer"]
    assert (answer.id, answer.name, answer.content) == ("m1", "bot", "The Eiffel Tower is 330 metres tall.")
    assert answer.response_metadata["model_name"] == "x"
    assert answer.response_metadata["franq_guard"] == found["franq_guard"]


@pytest.mark.parametrize(
    ("question", "context", "answer"),
    [
        ("question", "context", "answer"),
        ("input", "context", "answer"),
        ("query", "source_documents", "result"),
        ("input", "documents", "output"),
    ],
)
def test_the_keys_of_well_known_chains_are_known(guard, question, context, answer):
    found = FranqGuardrail(guard).invoke({question: QUESTION, context: DOCUMENTS, answer: ANSWER})
    assert "Picasso" not in found[answer]


def test_keys_can_be_named(guard):
    guardrail = FranqGuardrail(
        guard, question_key="q", context_key="docs", answer_key="a", report_key="checked"
    )
    found = guardrail.invoke({"q": QUESTION, "docs": DOCUMENTS, "a": ANSWER, "answer": "left alone"})
    assert "Picasso" not in found["a"]
    assert found["answer"] == "left alone"
    assert report_of(found["checked"]).question == QUESTION


@pytest.mark.parametrize(
    "context", [TALL.page_content, TALL, [TALL.page_content], [Passage(TALL.page_content)]]
)
def test_evidence_may_be_texts_or_passages_too(guard, context):
    found = FranqGuardrail(guard).invoke({"question": QUESTION, "context": context, "answer": ANSWER})
    assert found["answer"] == "The Eiffel Tower is 330 metres tall."


def test_the_question_may_be_a_conversation(guard):
    messages = [HumanMessage("Hello"), AIMessage("Hi"), HumanMessage(QUESTION)]
    found = FranqGuardrail(guard).invoke({**exchange(), "question": messages})
    assert report_of(found["franq_guard"]).question == QUESTION


def test_documents_found_but_none_is_evidence_that_there_is_none(guard):
    found = FranqGuardrail(guard).invoke({**exchange(), "context": []})
    assert report_of(found["franq_guard"]).passages == ()


@pytest.mark.parametrize("kind", ["text", "message"])
def test_a_bare_answer_finds_its_documents_through_the_handler(guard, kind):
    model = FakeListChatModel(responses=[ANSWER])
    write = model if kind == "message" else model | RunnableLambda(lambda message: message.content)
    chain = rag(write, Shelf(documents=DOCUMENTS)) | (lambda state: state["answer"]) | FranqGuardrail(guard)
    evidence = FranqEvidence()
    found = chain.invoke(QUESTION, config={"callbacks": [evidence]})
    text = found if kind == "text" else found.content
    assert text == "The Eiffel Tower is 330 metres tall."
    assert len(evidence.runs) == 0
    if kind == "message":
        report = report_of(found.response_metadata["franq_guard"])
        assert (report.question, [p.id for p in report.passages]) == (QUESTION, ["tall", "old"])


@pytest.mark.parametrize("answer", [ANSWER, AIMessage(ANSWER)])
def test_a_bare_answer_without_its_documents_is_an_error_that_says_how_to_wire_it(guard, answer):
    with pytest.raises(InputError, match=r"no FranqEvidence listens.*'context'.*callbacks"):
        FranqGuardrail(guard).invoke(answer)
    with pytest.raises(InputError, match="no retriever or tool has run"):
        FranqGuardrail(guard).invoke(answer, config={"callbacks": [FranqEvidence()]})


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("question", "no question under 'question' or 'input'.*question_key"),
        ("context", "no retrieved documents under 'context'.*context_key.*callbacks"),
        ("answer", "no answer under 'answer'.*answer_key"),
    ],
)
def test_a_missing_part_is_named(guard, missing, message):
    value = exchange()
    del value[missing]
    with pytest.raises(InputError, match=message):
        FranqGuardrail(guard).invoke(value)


@pytest.mark.parametrize("answer", [None, 3, ["a"], HumanMessage("hi"), object()])
def test_answers_of_other_kinds_are_refused(guard, answer):
    with pytest.raises(InputError, match="a str or an AIMessage"):
        FranqGuardrail(guard).invoke(exchange(answer))


@pytest.mark.parametrize("question", [None, 3, [1]])
def test_questions_of_other_kinds_are_refused(guard, question):
    with pytest.raises(InputError, match="the question is a"):
        FranqGuardrail(guard).invoke({**exchange(), "question": question})


@pytest.mark.parametrize("answer", ["", "   ", "🗼", "埃菲尔铁塔高三百三十米。", "\ud800", "I don't know."])
def test_odd_answers_come_back_as_some_text(guard, answer):
    found = FranqGuardrail(guard).invoke(exchange(answer))
    assert isinstance(found["answer"], str)
    assert report_of(found["franq_guard"]).answer == answer


def test_tool_calls_and_empty_messages_pass_untouched(guard):
    call = AIMessage("Let me see.", tool_calls=[{"name": "search", "args": {}, "id": "1"}])
    for message in (call, AIMessage(""), AIMessage([{"type": "reasoning", "reasoning": "hm"}])):
        assert FranqGuardrail(guard).invoke(message) is message
        assert FranqGuardrail(guard).invoke(exchange(message)) == exchange(message)


def test_blocks_that_are_not_text_survive(guard):
    reasoning = {"type": "reasoning", "reasoning": "They ask for the height."}
    picture = {"type": "image", "url": "https://example.org/tower.png"}
    text = {"type": "text", "text": ANSWER, "annotations": [{"start_index": 40}], "id": "t"}
    found = FranqGuardrail(guard).invoke(exchange(AIMessage([reasoning, text, picture], id="m")))["answer"]
    assert found.id == "m"
    assert found.content == [
        reasoning,
        {"type": "text", "text": "The Eiffel Tower is 330 metres tall.", "id": "t"},
        picture,
    ]


def test_a_message_that_is_kept_keeps_its_blocks_and_annotations(guard):
    blocks = [
        {
            "type": "text",
            "text": "The Eiffel Tower is 330 metres tall. ",
            "annotations": [{"start_index": 1}],
        },
        {"type": "text", "text": "The Eiffel Tower was completed in 1889."},
    ]
    found = FranqGuardrail(guard).invoke(exchange(AIMessage(blocks)))["answer"]
    assert found.content == blocks
    assert report_of(found.response_metadata["franq_guard"]).text == found.text


def test_the_generators_own_log_probabilities_are_used(guard):
    words = [f"{word} " for word in ANSWER.split(" ")]
    content = [{"token": word, "logprob": -0.5} for word in words]
    message = AIMessage(ANSWER, response_metadata={"logprobs": {"content": content}})
    found = FranqGuardrail(guard).invoke(exchange(message))
    claim = report_of(found["franq_guard"]).claims[0]
    assert claim.signals.max_claim_log_prob == pytest.approx(-0.5 * claim.signals.tokens)


def test_a_batch_is_one_check(guard):
    model = guard._given["language_model"]
    answers = [f"The Eiffel Tower is {n} metres tall." for n in range(5)]
    found = FranqGuardrail(guard).batch([exchange(answer) for answer in answers])
    assert [report_of(one["franq_guard"]).answer for one in found] == answers
    assert len({id(r) for r in model.requests}) == len(model.requests)
    assert len({report_of(one["franq_guard"]).timings["total"] for one in found}) == 1


async def test_the_same_in_every_mode_for_a_whole_answer(guard):
    guardrail = FranqGuardrail(guard)
    expected = guardrail.invoke(exchange())["answer"]
    found = [
        (await guardrail.ainvoke(exchange()))["answer"],
        guardrail.batch([exchange()])[0]["answer"],
        (await guardrail.abatch([exchange()]))[0]["answer"],
    ]
    assert found == [expected] * 3


@pytest.mark.parametrize("batch", ["batch", "abatch"])
def test_one_bad_input_of_a_batch_is_told_apart(guard, batch):
    def run(**options):
        guardrail = FranqGuardrail(guard)
        inputs = [exchange(), {"question": QUESTION}, exchange("It is tall.")]
        if batch == "batch":
            return guardrail.batch(inputs, **options)
        return asyncio.run(guardrail.abatch(inputs, **options))

    first, second, third = run(return_exceptions=True)
    assert "Picasso" not in first["answer"]
    assert isinstance(second, InputError)
    assert third["franq_guard"]
    with pytest.raises(InputError, match="no answer"):
        run()


async def test_an_empty_batch_is_empty(guard):
    assert FranqGuardrail(guard).batch([]) == []
    assert await FranqGuardrail(guard).abatch([]) == []


def test_blocked_answers_raise_where_asked(guard):
    with pytest.raises(AnswerBlockedError, match="Picasso") as caught:
        FranqGuardrail(guard, on_blocked="raise").invoke(exchange())
    assert caught.value.report.answer == ANSWER
    assert [claim.action for claim in caught.value.claims] == ["block"]
    kept = FranqGuardrail(guard, on_blocked="raise").invoke(exchange("The Eiffel Tower is 330 metres tall."))
    assert kept["answer"] == "The Eiffel Tower is 330 metres tall."


def test_the_policy_can_be_switched_call_by_call(guard):
    guardrail = FranqGuardrail(guard).configurable_fields(policy=ConfigurableField(id="guard_policy"))
    chain = RunnablePassthrough() | guardrail

    def answer(policy):
        return chain.invoke(exchange(), config={"configurable": {"guard_policy": policy}})["answer"]

    assert answer({"block_below": None}) == ANSWER
    assert answer(Policy(block_below=1.0, hedge_below=None, annotate_below=None, min_kept=1.0)) != ANSWER
    assert "Picasso" not in chain.invoke(exchange())["answer"]
    assert guard.config.policy == WITHOUT_PICASSO


@pytest.mark.parametrize(
    ("policy", "message"),
    [("strict", "a Policy or a mapping"), ({"block": 0.4}, "block"), ({"block_below": 4}, "block_below")],
)
def test_a_senseless_policy_is_refused_at_once(guard, policy, message):
    with pytest.raises(ConfigError, match=message):
        FranqGuardrail(guard, policy=policy)


@pytest.mark.parametrize(
    "settings", [{"on_blocked": "stop"}, {"max_reasks": 0}, {"threshold": 1}, {"guard": None}]
)
def test_senseless_settings_are_refused(guard, settings):
    with pytest.raises((ValidationError, TypeError)):
        FranqGuardrail(**({"guard": guard} | settings))


class Recorder(BaseCallbackHandler):
    def __init__(self):
        self.runs, self.events = {}, []

    def on_chain_start(self, serialized, inputs, *, run_id, parent_run_id=None, **kwargs):
        self.runs[run_id] = (kwargs.get("name"), kwargs.get("run_type"), parent_run_id)

    def on_custom_event(self, name, data, *, run_id, **kwargs):
        self.events.append((name, data, run_id))


@pytest.mark.parametrize("mode", ["invoke", "ainvoke", "batch", "abatch"])
def test_it_is_a_guardrail_run_below_the_chain_with_one_event_for_each_claim(guard, mode):
    recorder = Recorder()
    chain = RunnablePassthrough() | FranqGuardrail(guard)
    config = {"callbacks": [recorder]}
    found = {
        "invoke": lambda: chain.invoke(exchange(), config),
        "ainvoke": lambda: asyncio.run(chain.ainvoke(exchange(), config)),
        "batch": lambda: chain.batch([exchange()], config)[0],
        "abatch": lambda: asyncio.run(chain.abatch([exchange()], config))[0],
    }[mode]()
    [(run_id, (_, _, parent))] = [
        (run_id, run) for run_id, run in recorder.runs.items() if run[1] == "guardrail"
    ]
    assert recorder.runs[parent] == ("RunnableSequence", None, None)
    claims = report_of(found["franq_guard"]).claims
    assert [(name, run) for name, _, run in recorder.events] == [(CLAIM_EVENT, run_id)] * len(claims)
    for (_, data, _), claim in zip(recorder.events, claims, strict=True):
        assert data["p_true"] == claim.p_true
        assert [ANSWER[start:end] for start, end in data["spans"]] == [span.text for span in claim.spans]


async def test_events_reach_astream_events(guard):
    chain = RunnablePassthrough() | FranqGuardrail(guard)
    names = [event["name"] async for event in chain.astream_events(exchange(), version="v2")]
    assert names.count(CLAIM_EVENT) == 2


@pytest.mark.parametrize("mode", ["invoke", "ainvoke", "batch", "abatch"])
@pytest.mark.parametrize("on_error", ["pass", "block", "raise"])
def test_a_check_that_fails_follows_on_error_and_says_so(mode, on_error):
    guard = make_guard(language_model=BrokenLM(RuntimeError("out of paper")), on_error=on_error)
    chain = RunnablePassthrough() | FranqGuardrail(guard)
    run = {
        "invoke": lambda: chain.invoke(exchange()),
        "ainvoke": lambda: asyncio.run(chain.ainvoke(exchange())),
        "batch": lambda: chain.batch([exchange()])[0],
        "abatch": lambda: asyncio.run(chain.abatch([exchange()]))[0],
    }[mode]
    if on_error == "raise":
        with pytest.raises(ModelError, match="out of paper"):
            run()
        return
    found = run()
    report = report_of(found["franq_guard"])
    assert "out of paper" in report.error
    assert report.blocked == (on_error == "block")
    assert (found["answer"] == ANSWER) == (on_error == "pass")


def test_an_answer_withheld_unchecked_raises_where_blocking_does():
    guard = make_guard(language_model=BrokenLM(RuntimeError("out of paper")), on_error="block")
    with pytest.raises(AnswerBlockedError, match=r"withheld because its check failed.*out of paper"):
        FranqGuardrail(guard, on_blocked="raise").invoke(exchange())


def test_it_can_be_retried_fall_back_and_be_configured_like_any_runnable(guard):
    broken = make_guard(language_model=BrokenLM(RuntimeError("no")), on_error="raise")
    spare = FranqGuardrail(broken).with_fallbacks([FranqGuardrail(guard)]).with_config(tags=["x"])
    assert "Picasso" not in spare.invoke(exchange())["answer"]
    with pytest.raises(ModelError):
        FranqGuardrail(broken).with_retry(stop_after_attempt=2).invoke(exchange())


def test_a_document_without_text_is_no_obstacle(guard):
    found = FranqGuardrail(guard).invoke({**exchange(), "context": [Document(""), TALL]})
    assert found["answer"] == "The Eiffel Tower is 330 metres tall."
