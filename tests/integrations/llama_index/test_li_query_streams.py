"""Streams of FranqQueryEngine; models that need no weights."""

import asyncio

import pytest
from fakes import BrokenLM, make_guard
from li_engines import ANSWER, BLOCKING, FixedEngine, engine_of, guarded, numbered
from li_models import (
    QUESTION,
    ScriptedLLM,
    finding_nothing,
)
from llama_index.core.base.response.schema import (
    AsyncStreamingResponse,
    StreamingResponse,
)

from franq_guard import Action, ModelError
from llama_index_franq_guard import AnswerBlockedError, FranqQueryEngine, report_of


@pytest.fixture
def streamed():
    return engine_of(streaming=True)


def test_a_stream_releases_what_was_scored(streamed):
    response = guarded(streamed).query(QUESTION)
    assert isinstance(response, StreamingResponse)
    assert "franq_guard" not in response.metadata
    assert report_of(response) is None
    pieces = list(response.response_gen)
    report = report_of(response)
    assert "".join(pieces) == report.text
    assert pieces[0].startswith("The Eiffel Tower is 330 metres tall.")
    assert "dragons" not in pieces[0]
    assert [claim.action for claim in report.claims] == [Action.KEEP, Action.ANNOTATE]
    assert response.source_nodes[0].node_id == "node-0"


async def test_an_awaited_stream_releases_what_was_scored(streamed):
    response = await guarded(streamed).aquery(QUESTION)
    assert isinstance(response, AsyncStreamingResponse)
    pieces = [piece async for piece in response.async_response_gen()]
    report = report_of(response)
    assert "".join(pieces) == report.text == response.response_txt
    assert "dragons" not in pieces[0]
    assert (await response.get_response()).response == report.text


def test_a_stream_can_be_read_as_a_whole(streamed, capsys):
    response = guarded(streamed).query(QUESTION)
    whole = response.get_response()
    assert whole.response == str(response) == report_of(response).text
    assert report_of(whole) == report_of(response)
    printed = guarded(streamed).query(QUESTION)
    printed.print_response_stream()
    assert capsys.readouterr().out == report_of(printed).text


def test_a_stream_that_was_read_already_is_guarded(streamed):
    raw = streamed.query(QUESTION)
    str(raw)
    response = guarded(FixedEngine(raw)).query(QUESTION)
    assert "".join(response.response_gen) == report_of(response).text
    assert report_of(response).answer == ANSWER


async def test_no_blocked_word_is_ever_streamed(streamed):
    engine = guarded(streamed, BLOCKING)
    pieces = list(engine.query(QUESTION).response_gen)
    awaited = [piece async for piece in (await engine.aquery(QUESTION)).async_response_gen()]
    for found in (pieces, awaited):
        assert "dragons" not in "".join(found)
        assert BLOCKING.sentence_message in "".join(found)


async def test_a_blocked_sentence_can_end_a_stream(streamed):
    engine = guarded(streamed, BLOCKING, on_blocked="raise")
    shown = []
    with pytest.raises(AnswerBlockedError, match="dragons"):
        shown.extend(engine.query(QUESTION).response_gen)
    response = await engine.aquery(QUESTION)
    with pytest.raises(AnswerBlockedError, match="dragons"):
        async for piece in response.async_response_gen():
            shown.append(piece)
    assert "dragons" not in "".join(shown)


def test_a_stream_of_nothing_is_defined():
    def nothing():
        yield from ()

    response = guarded(FixedEngine(StreamingResponse(nothing()))).query(QUESTION)
    assert list(response.response_gen) == []
    assert report_of(response).claims == ()


async def test_an_empty_retrieval_streams_its_message():
    inner = finding_nothing(ScriptedLLM(ANSWER), streaming=True)
    assert "".join(guarded(inner).query(QUESTION).response_gen) == "Empty Response"
    awaited = await guarded(inner).aquery(QUESTION)
    assert (await awaited.get_response()).response == "Empty Response"


def test_a_failing_stream_follows_on_error(streamed):
    def text(on_error):
        broken = make_guard(language_model=BrokenLM(RuntimeError("boom")), on_error=on_error)
        response = FranqQueryEngine(streamed, broken).query(QUESTION)
        return "".join(response.response_gen), report_of(response)

    passed, report = text("pass")
    assert "dragons" in passed
    assert report.error or any(claim.unchecked_reason for claim in report.claims)
    blocked, _ = text("block")
    assert "dragons" not in blocked
    with pytest.raises(ModelError, match="boom"):
        text("raise")


def test_a_model_that_breaks_off_is_not_hidden():
    def broken():
        yield "The Eiffel Tower is 330 metres tall. It"
        raise ConnectionError("lost")

    response = guarded(FixedEngine(StreamingResponse(broken()))).query(QUESTION)
    with pytest.raises(ConnectionError, match="lost"):
        list(response.response_gen)


def test_a_stream_may_be_abandoned(streamed):
    response = guarded(streamed).query(QUESTION)
    assert next(response.response_gen)
    response.response_gen.close()
    assert report_of(response) is None


async def test_a_hundred_streams_at_once_are_not_mixed_up():
    inner, questions = numbered(100)
    inner._response_synthesizer._streaming = True
    engine = guarded(inner)

    async def read(question):
        response = await engine.aquery(question)
        return [piece async for piece in response.async_response_gen()], report_of(response)

    results = await asyncio.gather(*(read(question) for question in questions))
    for n, (question, (pieces, report)) in enumerate(zip(questions, results, strict=True)):
        assert report.question == question
        assert "".join(pieces) == report.text
        assert report.answer == f"Tower number{n} is {n + 1000} metres tall. Dragons built tower number{n}."
        assert [passage.text for passage in report.passages] == [
            f"Tower number{n} is {n + 1000} metres tall."
        ]
