"""FranqEventHandler beside real engines; models that need no weights."""

import asyncio
import logging
import threading

import pytest
from fakes import BrokenLM, WordLM, make_guard
from li_models import EIFFEL, HONEY, QUESTION, ScriptedLLM, finding_nothing, make_index
from llama_index.core.base.response.schema import Response
from llama_index.core.instrumentation.events.synthesis import SynthesizeEndEvent
from llama_index.core.memory import ChatMemoryBuffer
from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.dispatcher import instrument_tags
from llama_index_instrumentation.event_handlers import BaseEventHandler

from franq_guard import ConfigError, GuardReport
from franq_guard.tracing import Correlation
from llama_index_franq_guard import (
    FranqChatEngine,
    FranqEventHandler,
    FranqQueryEngine,
    GuardEndEvent,
    GuardStartEvent,
)

ANSWER = "The Eiffel Tower is 330 metres tall. It was painted pink by dragons."


def engine_of(answer=ANSWER, *, streaming=False, k=1):
    return make_index().as_query_engine(llm=ScriptedLLM(answer), similarity_top_k=k, streaming=streaming)


@pytest.fixture
def events():
    found = []

    class Collector(BaseEventHandler):
        def handle(self, event, **kwargs):
            if isinstance(event, GuardStartEvent | GuardEndEvent):
                found.append(event)

    collector, dispatcher = Collector(), get_dispatcher()
    dispatcher.add_event_handler(collector)
    yield found
    dispatcher.event_handlers = [handler for handler in dispatcher.event_handlers if handler is not collector]


@pytest.fixture
def observer():
    handler = FranqEventHandler(make_guard()).attach()
    yield handler
    handler.close()


def reports(events):
    return [event.report for event in events if isinstance(event, GuardEndEvent)]


async def test_an_engine_is_observed_and_not_changed(observer, events):
    engine = engine_of()
    assert engine.query(QUESTION).response == ANSWER
    assert (await engine.aquery(QUESTION)).response == ANSWER
    assert observer.flush(60)
    assert [report.answer for report in reports(events)] == [ANSWER, ANSWER]
    assert reports(events)[0].question == QUESTION
    assert [passage.text for passage in reports(events)[0].passages] == [EIFFEL]


async def test_streams_are_scored_when_they_were_read(observer, events):
    engine = engine_of(streaming=True)
    response = engine.query(QUESTION)
    awaited = await engine.aquery(QUESTION)
    assert observer.flush(60)
    assert reports(events) == []
    assert "".join(response.response_gen) == ANSWER
    assert "".join([piece async for piece in awaited.async_response_gen()]) == ANSWER
    assert observer.flush(60)
    assert [report.answer for report in reports(events)] == [ANSWER, ANSWER]


def test_a_stream_that_is_broken_off_is_not_scored(observer, events):
    response = engine_of(streaming=True).query(QUESTION)
    assert next(response.response_gen)
    response.response_gen.close()
    observer.flush(60)
    assert reports(events) == []


async def test_chat_engines_are_observed(observer, events):
    chat = make_index().as_chat_engine(
        chat_mode="context",
        llm=ScriptedLLM(ANSWER),
        similarity_top_k=1,
        memory=ChatMemoryBuffer.from_defaults(token_limit=1000),
    )
    chat.chat(QUESTION)
    await chat.achat(QUESTION)
    list(chat.stream_chat(QUESTION).response_gen)
    response = await chat.astream_chat(QUESTION)
    assert [piece async for piece in response.async_response_gen()]
    assert observer.flush(60)
    assert [report.answer for report in reports(events)] == [ANSWER] * 4


def test_events_carry_span_and_tags_of_the_answer(observer, events):
    with instrument_tags({"request": "r1"}):
        engine_of().query(QUESTION)
        response = engine_of(streaming=True).query(QUESTION)
    list(response.response_gen)
    observer.flush(60)
    assert [event.class_name() for event in events] == ["GuardStartEvent", "GuardEndEvent"] * 2
    assert all(event.tags == {"request": "r1"} for event in events)
    assert all(event.span_id.split("-")[0].endswith(".synthesize") for event in events)
    assert events[0].passages == 1


def test_events_become_plain_data(observer, events):
    engine_of().query(QUESTION)
    observer.flush(60)
    data = events[-1].model_dump()
    assert data["class_name"] == "GuardEndEvent"
    assert GuardReport.from_dict(data["report"]) == events[-1].report


def test_the_guard_is_told_the_span():
    seen = []

    class Spy(type(make_guard())):
        def check(self, *args, correlation=None, **kwargs):
            seen.append(correlation)
            return super().check(*args, correlation=correlation, **kwargs)

    guard = make_guard()
    guard.__class__ = Spy
    with FranqEventHandler(guard):
        engine_of().query(QUESTION)
    [correlation] = seen
    assert isinstance(correlation, Correlation)
    assert len(correlation.run_id) == 36


def test_what_is_guarded_already_is_left_alone(observer, events):
    guard = make_guard()
    FranqQueryEngine(engine_of(), guard).query(QUESTION)
    FranqChatEngine(
        make_index().as_chat_engine(
            chat_mode="context",
            llm=ScriptedLLM(ANSWER),
            memory=ChatMemoryBuffer.from_defaults(token_limit=1000),
        ),
        guard,
    ).chat(QUESTION)
    observer.flush(60)
    assert len(reports(events)) == 2  # the wrappers' own


@pytest.mark.parametrize("streaming", [False, True])
def test_nothing_retrieved_is_no_answer(observer, events, streaming):
    engine = finding_nothing(ScriptedLLM(ANSWER), streaming=streaming)
    assert str(engine.query(QUESTION)) == "Empty Response"
    observer.flush(60)
    assert reports(events) == []


def test_reports_can_be_handed_to_a_function():
    found = []
    with FranqEventHandler(make_guard(), on_report=found.append):
        engine_of().query(QUESTION)
    assert [report.answer for report in found] == [ANSWER]


def test_odd_events_are_logged_and_harm_nobody(observer, caplog):
    event = SynthesizeEndEvent(query=QUESTION, response=Response(ANSWER))
    event.response.source_nodes = ["no node"]
    with caplog.at_level(logging.ERROR):
        get_dispatcher().event(event)
    assert any("could not be observed" in record.message for record in caplog.records)


def test_failures_are_logged_and_harm_nobody(caplog):
    def angry(report):
        raise RuntimeError("angry")

    broken = make_guard(language_model=BrokenLM(RuntimeError("boom")), on_error="raise")
    for handler in (FranqEventHandler(broken), FranqEventHandler(make_guard(), on_report=angry)):
        with handler, caplog.at_level(logging.ERROR):
            assert engine_of().query(QUESTION).response == ANSWER
    logged = [record for record in caplog.records if "could not be scored" in record.message]
    assert ["boom" in str(record.exc_info[1]) or "angry" in str(record.exc_info[1]) for record in logged] == [
        True,
        True,
    ]


def test_too_many_answers_are_dropped_and_counted():
    hold = threading.Event()

    class Held(WordLM):
        def score(self, requests):
            hold.wait(60)
            return super().score(requests)

    found = []
    with FranqEventHandler(
        make_guard(language_model=Held()), on_report=found.append, max_waiting=2
    ) as observer:
        for _ in range(5):
            engine_of().query(QUESTION)
        assert observer.dropped == 3
        assert not observer.flush(0.01)
        hold.set()
    assert len(found) == 2


def test_detached_it_hears_nothing(events):
    handler = FranqEventHandler(make_guard()).attach()
    assert any(found is handler for found in get_dispatcher().event_handlers)
    handler.close()
    assert not any(found is handler for found in get_dispatcher().event_handlers)
    engine_of().query(QUESTION)
    assert reports(events) == []


def test_wrong_settings_are_refused():
    with pytest.raises(ConfigError, match="max_waiting"):
        FranqEventHandler(make_guard(), max_waiting=0)
    with pytest.raises(ConfigError, match="Guard"):
        FranqEventHandler("guard")


async def test_interleaved_requests_are_not_mixed_up(observer, events):
    def answer(prompt):
        return "Honey keeps." if HONEY in prompt else ANSWER

    engine, streaming = engine_of(answer), engine_of(answer, streaming=True)

    async def read(question):
        response = await streaming.aquery(question)
        return [piece async for piece in response.async_response_gen()]

    asked = [QUESTION, "How long does honey keep?"] * 25
    await asyncio.gather(*(engine.aquery(q) for q in asked), *(read(q) for q in asked))
    assert await asyncio.to_thread(observer.flush, 60)
    assert len(reports(events)) == 100
    for report in reports(events):
        tower = report.question == QUESTION
        assert report.answer == (ANSWER if tower else "Honey keeps.")
        assert [passage.text for passage in report.passages] == [EIFFEL if tower else HONEY]
