"""Streams: sentences come one by one, each after it was scored, and nothing else is held back."""

import asyncio
import gc

import pytest
from fakes import BrokenLM, make_guard
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import RunnableGenerator, RunnableLambda, RunnablePassthrough
from lc_models import ANSWER, OLD, QUESTION, TALL, Shelf, rag

from franq_guard import GuardReport, InputError, ModelError, Policy
from langchain_franq_guard import (
    CLAIM_EVENT,
    AnswerBlockedError,
    FranqCallbackHandler,
    FranqEvidence,
    FranqGuardrail,
)

DROPPING = Policy(annotate_below=None, hedge_below=None, block_below=0.3, block_mode="drop", min_kept=0)
KEPT = "The Eiffel Tower is 330 metres tall."
LONG = f"{KEPT} It was painted green by Picasso. The Eiffel Tower was completed in 1889."
MODES = ["stream", "astream", "transform", "atransform"]


@pytest.fixture
def guard():
    return make_guard(policy=DROPPING, on_error="raise")


def chat(text=LONG):
    return GenericFakeChatModel(messages=iter([AIMessage(text)]))


def collect(runnable, mode, value, config=None):
    """The chunks; `transform` gets the parts of a list one by one."""
    parts = value if isinstance(value, list) else [value]

    async def source():
        for part in parts:
            yield part

    async def read():
        chunks = (
            runnable.astream(value, config) if mode == "astream" else runnable.atransform(source(), config)
        )
        return [chunk async for chunk in chunks]

    if mode == "stream":
        return list(runnable.stream(value, config))
    if mode == "transform":
        return list(runnable.transform(iter(parts), config))
    return asyncio.run(read())


def total(chunks):
    found = chunks[0]
    for chunk in chunks[1:]:
        found = found + chunk
    return found


@pytest.mark.parametrize("mode", MODES)
def test_a_dictionary_streams_its_answer_and_ends_with_the_report(guard, mode):
    chain = rag(chat(), Shelf(documents=[TALL, OLD])) | FranqGuardrail(guard)
    chunks = collect(chain, mode, QUESTION)
    texts = [chunk["answer"].content for chunk in chunks if "answer" in chunk]
    assert "".join(texts) == f"{KEPT} The Eiffel Tower was completed in 1889."
    assert len([text for text in texts if text]) >= 2
    assert list(chunks[-1]) == ["franq_guard"]
    whole = total(chunks)
    assert whole["question"] == QUESTION
    assert whole["context"] == [TALL, OLD]
    report = GuardReport.from_dict(whole["franq_guard"])
    assert (report.answer, report.text) == (LONG, "".join(texts))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["text", "message"])
def test_a_bare_answer_streams_with_documents_from_the_handler(guard, mode, kind):
    parser = StrOutputParser() if kind == "text" else RunnablePassthrough()
    front = {"context": Shelf(documents=[TALL, OLD]), "question": RunnablePassthrough()}
    chain = front | RunnableLambda(str) | chat() | parser | FranqGuardrail(guard)
    evidence = FranqEvidence()
    chunks = collect(chain, mode, QUESTION, {"callbacks": [evidence]})
    whole = total(chunks)
    assert (whole if kind == "text" else whole.content) == f"{KEPT} The Eiffel Tower was completed in 1889."
    assert len(evidence.runs) == 0
    if kind == "message":
        assert len({chunk.id for chunk in chunks}) == 1
        assert chunks[-1].chunk_position == "last"
        assert not any(chunk.chunk_position for chunk in chunks[:-1])
        assert GuardReport.from_dict(whole.response_metadata["franq_guard"]).question == QUESTION


class Writer:
    """Writes word by word, and remembers how far it got."""

    def __init__(self):
        self.written = 0
        self.runnable = RunnableGenerator(self.write, self.awrite)

    def write(self, chunks):
        for _ in chunks:
            pass
        for word in LONG.split(" "):
            self.written += 1
            yield f"{word} "

    async def awrite(self, chunks):
        async for _ in chunks:
            pass
        for word in LONG.split(" "):
            self.written += 1
            yield f"{word} "


@pytest.mark.parametrize("mode", ["stream", "astream"])
def test_the_first_sentence_comes_before_the_model_has_finished(guard, mode):
    writer = Writer()
    chain = RunnablePassthrough.assign(answer=writer.runnable) | FranqGuardrail(guard)
    given = {"question": QUESTION, "context": [TALL, OLD]}

    async def read():
        return [(chunk, writer.written) async for chunk in chain.astream(given)]

    if mode == "stream":
        seen = [(chunk, writer.written) for chunk in chain.stream(given)]
    else:
        seen = asyncio.run(read())
    first, written = next((chunk["answer"], at) for chunk, at in seen if "answer" in chunk)
    assert first.strip() == KEPT
    assert written < len(LONG.split(" "))


EXCHANGE = {"question": QUESTION, "context": [TALL, OLD]}


@pytest.mark.parametrize("mode", ["transform", "atransform"])
def test_an_answer_that_comes_before_its_documents_waits_for_them(guard, mode):
    parts = [{"answer": f"{KEPT} "}, {"question": QUESTION}, {"answer": "It was painted "}]
    parts += [{"context": [TALL, OLD]}, {"answer": "green by Picasso."}, {"sources": 2}]
    chunks = collect(FranqGuardrail(guard), mode, parts)
    assert [key for chunk in chunks for key in chunk] == [
        "question",
        "context",
        "answer",
        "sources",
        "franq_guard",
    ]
    assert total(chunks)["answer"] == KEPT


@pytest.mark.parametrize("mode", MODES)
def test_a_whole_answer_is_streamed_by_sentence_too(guard, mode):
    for answer in (LONG, AIMessage(LONG, id="m", response_metadata={"model_name": "x"})):
        whole = total(collect(FranqGuardrail(guard), mode, {**EXCHANGE, "answer": answer}))
        text = whole["answer"] if answer is LONG else whole["answer"].content
        assert text == f"{KEPT} The Eiffel Tower was completed in 1889."
        if answer is not LONG:
            assert whole["answer"].id == "m"
            assert whole["answer"].response_metadata["model_name"] == "x"


@pytest.mark.parametrize("mode", ["transform", "atransform"])
def test_everything_but_text_passes_at_once(guard, mode):
    chunks = [
        AIMessageChunk(content=[{"type": "reasoning", "reasoning": "hm", "index": 0}], id="m"),
        AIMessageChunk(content=[{"type": "text", "text": f"{KEPT} It was painted", "index": 1}], id="m"),
        AIMessageChunk(content=[{"type": "text", "text": " green by Picasso.", "index": 1}], id="m"),
        AIMessageChunk(
            content="",
            id="m",
            usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
            chunk_position="last",
        ),
    ]
    found = collect(FranqGuardrail(guard), mode, [{**EXCHANGE}, *({"answer": chunk} for chunk in chunks)])
    answers = [chunk["answer"] for chunk in found if "answer" in chunk]
    assert answers[0].content[0]["type"] == "reasoning"
    whole = total(answers)
    assert whole.content == [
        {"type": "reasoning", "reasoning": "hm", "index": 0},
        {"type": "text", "text": KEPT, "index": 1},
    ]
    assert (whole.id, whole.usage_metadata["total_tokens"]) == ("m", 3)


@pytest.mark.parametrize("mode", MODES)
def test_tool_calls_pass_untouched(guard, mode):
    call = {"name": "search", "args": "{}", "id": "1", "index": 0, "type": "tool_call_chunk"}
    chunk = AIMessageChunk(content="", tool_call_chunks=[call], id="m")
    whole = AIMessage("Let me see.", tool_calls=[{"name": "search", "args": {}, "id": "1"}])
    assert total(collect(FranqGuardrail(guard), mode, chunk)).tool_calls == chunk.tool_calls
    assert collect(FranqGuardrail(guard), mode, whole) == [whole]


@pytest.mark.parametrize("mode", MODES)
def test_missing_documents_are_an_error_that_says_how_to_wire_them(guard, mode):
    with pytest.raises(InputError, match="no FranqEvidence listens"):
        collect(FranqGuardrail(guard), mode, LONG)
    with pytest.raises(InputError, match="no retrieved documents under 'context'"):
        collect(FranqGuardrail(guard), mode, {"question": QUESTION, "answer": LONG})
    with pytest.raises(InputError, match="no question under"):
        collect(FranqGuardrail(guard), mode, {"context": [], "answer": LONG})
    with pytest.raises(InputError, match="a str or an AIMessage"):
        collect(FranqGuardrail(guard), mode, {**EXCHANGE, "answer": 3})


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("answer", ["", " ", "🗼", "埃菲尔铁塔高三百三十米。它建于一八八九年。", "\ud800"])
def test_odd_answers_come_out_as_they_are_checked(guard, mode, answer):
    whole = total(collect(FranqGuardrail(guard), mode, {**EXCHANGE, "answer": answer}))
    expected = FranqGuardrail(guard).invoke({**EXCHANGE, "answer": answer})
    assert whole["answer"] == expected["answer"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("on_error", ["pass", "block", "raise"])
def test_a_check_that_fails_follows_on_error_and_says_so(mode, on_error):
    guard = make_guard(language_model=BrokenLM(RuntimeError("out of paper")), on_error=on_error)
    chain = RunnablePassthrough() | FranqGuardrail(guard)
    if on_error == "raise":
        with pytest.raises(ModelError, match="out of paper"):
            collect(chain, mode, {**EXCHANGE, "answer": LONG})
        return
    whole = total(collect(chain, mode, {**EXCHANGE, "answer": LONG}))
    report = GuardReport.from_dict(whole["franq_guard"])
    assert "out of paper" in report.error
    assert report.text == whole["answer"]
    assert (whole["answer"] == LONG) == (on_error == "pass")
    assert ("330" in whole["answer"]) == (on_error == "pass")


@pytest.mark.parametrize("mode", ["stream", "astream"])
def test_a_blocked_sentence_stops_the_stream_where_asked(guard, mode):
    shown = []
    chain = RunnablePassthrough.assign(answer=RunnableLambda(str) | chat()) | FranqGuardrail(
        guard, on_blocked="raise"
    )

    async def read():
        async for chunk in chain.astream(EXCHANGE):
            shown.append(chunk)

    with pytest.raises(AnswerBlockedError, match="Picasso"):
        if mode == "stream":
            for chunk in chain.stream(EXCHANGE):
                shown.append(chunk)
        else:
            asyncio.run(read())
    assert total(shown)["answer"].content.strip() == KEPT


async def test_events_name_the_claims_of_a_sentence_before_it_is_shown(guard):
    chain = RunnablePassthrough.assign(
        answer=RunnableLambda(str) | chat() | StrOutputParser()
    ) | FranqGuardrail(guard)
    order = []
    async for event in chain.astream_events(EXCHANGE, version="v2"):
        if event["name"] == CLAIM_EVENT:
            order.append(event["data"]["index"])
        elif event["event"] == "on_guardrail_stream":
            order.append(event["data"]["chunk"].get("answer", "").strip())
    assert [item for item in order if item != ""] == [
        0,
        KEPT,
        1,
        2,
        "The Eiffel Tower was completed in 1889.",
    ]


@pytest.mark.parametrize("mode", ["stream", "astream"])
def test_a_handler_that_watches_does_not_check_again(guard, mode):
    reports = []
    handler = FranqCallbackHandler(guard, on_report=lambda report, ids: reports.append(report))
    front = {"context": Shelf(documents=[TALL, OLD]), "question": RunnablePassthrough()}
    chain = front | RunnableLambda(str) | chat(ANSWER) | FranqGuardrail(guard)
    assert total(collect(chain, mode, QUESTION, {"callbacks": [handler]})).content == KEPT
    assert reports == []
    assert len(handler.runs) == 0


async def test_a_stream_that_is_left_early_leaves_nothing(guard):
    evidence = FranqEvidence()
    front = {"context": Shelf(documents=[TALL, OLD]), "question": RunnablePassthrough()}
    chain = front | RunnableLambda(str) | chat() | FranqGuardrail(guard)
    stream = chain.astream(QUESTION, {"callbacks": [evidence]})
    await anext(stream)
    await stream.aclose()
    del stream
    # LangChain's inner generators are closed by the event loop, some rounds later.
    for _ in range(20):
        gc.collect()
        await asyncio.sleep(0)
    assert len(evidence.runs) == 0
