"""Every action in every mode, through real engines on a real local model."""

import pytest
from li_models import EIFFEL, QUESTION, make_index
from llama_index.core.base.llms.types import MessageRole
from llama_index.core.memory import ChatMemoryBuffer

from franq_guard import Action, CheckTimeoutError, Policy
from llama_index_franq_guard import (
    AnswerBlockedError,
    FranqChatEngine,
    FranqNodePostprocessor,
    FranqQueryEngine,
    report_of,
)

POLICIES = {
    Action.KEEP: Policy(annotate_below=None, hedge_below=None, block_below=None),
    Action.ANNOTATE: Policy(annotate_below=1.0, hedge_below=None, block_below=None),
    Action.HEDGE: Policy(annotate_below=None, hedge_below=1.0, block_below=None),
    Action.BLOCK: Policy(annotate_below=None, hedge_below=None, block_below=1.0, min_kept=0.0),
}
QUERY_MODES = ("query", "aquery", "streaming", "async_streaming")
CHAT_MODES = ("chat", "achat", "stream_chat", "astream_chat")


@pytest.fixture(scope="session")
def guards(guard_with):
    return {action: guard_with(policy=policy) for action, policy in POLICIES.items()}


def engine_on(llm, *, streaming=False):
    return make_index().as_query_engine(llm=llm, similarity_top_k=1, streaming=streaming)


def chat_on(llm):
    return make_index().as_chat_engine(
        chat_mode="context",
        llm=llm,
        similarity_top_k=1,
        memory=ChatMemoryBuffer.from_defaults(token_limit=600),
    )


async def query(llm, mode, wrap):
    """The response of a wrapped engine, and the pieces in which its reader gets the text."""
    engine = wrap(engine_on(llm, streaming="streaming" in mode))
    if mode == "query":
        response = engine.query(QUESTION)
        return response, [response.response]
    if mode == "aquery":
        response = await engine.aquery(QUESTION)
        return response, [response.response]
    if mode == "streaming":
        response = engine.query(QUESTION)
        return response, list(response.response_gen)
    response = await engine.aquery(QUESTION)
    return response, [piece async for piece in response.async_response_gen()]


async def converse(chat, mode):
    if mode == "chat":
        response = chat.chat(QUESTION)
        return response, [response.response]
    if mode == "achat":
        response = await chat.achat(QUESTION)
        return response, [response.response]
    if mode == "stream_chat":
        response = chat.stream_chat(QUESTION)
        return response, list(response.response_gen)
    response = await chat.astream_chat(QUESTION)
    return response, [piece async for piece in response.async_response_gen()]


def shows(action, text, report):
    """The text is what this action makes of the model's own answer."""
    raw = report.answer
    worded = [claim for claim in report.claims if claim.p_true is not None]
    assert worded
    assert {claim.action for claim in worded} == {action}
    assert text == report.text
    if action is Action.KEEP:
        assert text == raw
    elif action is Action.BLOCK:
        assert POLICIES[action].sentence_message in text
        assert not any(claim.source_text in text for claim in worded)
    else:
        assert text != raw
        assert "330" in text
    return True


@pytest.mark.parametrize("mode", QUERY_MODES)
@pytest.mark.parametrize("action", POLICIES)
async def test_what_a_caller_of_a_query_engine_receives(llm, guards, action, mode):
    response, pieces = await query(llm, mode, lambda engine: FranqQueryEngine(engine, guards[action]))
    report = report_of(response)
    assert "330" in report.answer
    assert shows(action, "".join(pieces), report)
    assert [passage.text for passage in report.passages] == [EIFFEL]


@pytest.mark.parametrize("mode", CHAT_MODES)
@pytest.mark.parametrize("action", POLICIES)
async def test_what_caller_and_memory_of_a_chat_engine_receive(llm, guards, action, mode):
    chat = FranqChatEngine(chat_on(llm), guards[action])
    response, pieces = await converse(chat, mode)
    report = report_of(response)
    worded = [claim for claim in report.claims if claim.p_true is not None]
    assert {claim.action for claim in worded} == {action}
    assert "".join(pieces) == report.text
    user, assistant = chat.chat_history
    assert user.content == QUESTION
    assert assistant.content == report.text.strip()
    if action is Action.BLOCK:
        assert not any(claim.source_text in assistant.content for claim in worded)


@pytest.mark.parametrize("mode", QUERY_MODES)
async def test_a_blocked_answer_raises_in_every_mode(llm, guards, mode):
    with pytest.raises(AnswerBlockedError, match="330"):
        await query(
            llm, mode, lambda engine: FranqQueryEngine(engine, guards[Action.BLOCK], on_blocked="raise")
        )


@pytest.mark.parametrize("mode", CHAT_MODES)
async def test_a_blocked_chat_answer_raises_in_every_mode(llm, guards, mode):
    chat = FranqChatEngine(chat_on(llm), guards[Action.BLOCK], on_blocked="raise")
    with pytest.raises(AnswerBlockedError):
        await converse(chat, mode)
    assert not any(message.role == MessageRole.ASSISTANT for message in chat.chat_history)


@pytest.mark.parametrize("mode", QUERY_MODES)
async def test_a_check_out_of_time_raises_in_every_mode(llm, guard_with, mode):
    guard = guard_with(timeout=1e-6)
    with pytest.raises(CheckTimeoutError):
        await query(llm, mode, lambda engine: FranqQueryEngine(engine, guard))


def test_wrapped_and_bare_engine_get_the_same_answer(llm, guards):
    bare = engine_on(llm).query(QUESTION).response
    assert report_of(FranqQueryEngine(engine_on(llm), guards[Action.KEEP]).query(QUESTION)).answer == bare


def test_a_supported_answer_scores_higher_than_another_ones(guards):
    guard = guards[Action.KEEP]
    good = guard.check(QUESTION, [EIFFEL], "The Eiffel Tower is 330 metres tall.")
    bad = guard.check(QUESTION, [EIFFEL], "The Eiffel Tower is 120 metres tall.")
    assert good.p_true > bad.p_true


def test_passages_that_disagree_are_flagged_before_the_model_sees_them(llm, guards):
    index = make_index((EIFFEL, "The Eiffel Tower is 120 metres tall."))
    before = {key: node.model_dump() for key, node in index.docstore.docs.items()}
    engine = index.as_query_engine(
        llm=llm,
        similarity_top_k=2,
        node_postprocessors=[FranqNodePostprocessor(guards[Action.KEEP])],
    )
    problems = [node.metadata["franq_guard"]["problems"] for node in engine.query(QUESTION).source_nodes]
    assert problems == [["conflicting"], ["conflicting"]]
    assert {key: node.model_dump() for key, node in index.docstore.docs.items()} == before
