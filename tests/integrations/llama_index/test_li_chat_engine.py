"""FranqChatEngine over real chat engines; models that need no weights."""

import asyncio
import copy

import pytest
from fakes import BrokenLM, make_guard
from li_models import EIFFEL, HONEY, QUESTION, ScriptedLLM, make_index
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.chat_engine.types import (
    AgentChatResponse,
    BaseChatEngine,
    StreamingAgentChatResponse,
)
from llama_index.core.memory import ChatMemoryBuffer, Memory

from franq_guard import Action, ConfigError, ModelError, Policy
from llama_index_franq_guard import AnswerBlockedError, FranqChatEngine, report_of
from llama_index_franq_guard.memory import AnswerlessMemory

ANSWER = "The Eiffel Tower is 330 metres tall. It was painted pink by dragons."
MARKED = Policy(annotate_below=0.2, hedge_below=None, block_below=None)
BLOCKING = Policy(annotate_below=None, hedge_below=None, block_below=0.2, min_kept=0.0)
STANDALONE = "How tall is the Eiffel Tower?"
FOLLOW_UP = "And how tall is it?"


def script(prompt):
    """Condenses when asked to, else answers."""
    return STANDALONE if "standalone question" in prompt.lower() else ANSWER


def buffer():
    return ChatMemoryBuffer.from_defaults(token_limit=2000)


def inner(mode, llm=None, memory=None):
    llm = llm or ScriptedLLM(script)
    return make_index().as_chat_engine(
        chat_mode=mode, llm=llm, similarity_top_k=1, memory=memory or buffer(), verbose=False
    )


def simple(memory=None):
    return SimpleChatEngine.from_defaults(llm=ScriptedLLM(ANSWER), memory=memory or buffer())


ENGINES = {
    "context": (lambda: inner("context"), ContextChatEngine),
    "condense_plus_context": (lambda: inner("condense_plus_context"), CondensePlusContextChatEngine),
    "condense_question": (lambda: inner("condense_question"), CondenseQuestionChatEngine),
    "simple": (simple, SimpleChatEngine),
}


async def ask(chat, mode, message=QUESTION):
    """The response, and the text as its reader gets it, in one of the four modes."""
    if mode == "chat":
        response = chat.chat(message)
        return response, response.response
    if mode == "achat":
        response = await chat.achat(message)
        return response, response.response
    if mode == "stream_chat":
        response = chat.stream_chat(message)
        return response, "".join(response.response_gen)
    response = await chat.astream_chat(message)
    return response, "".join([piece async for piece in response.async_response_gen()])


MODES = ("chat", "achat", "stream_chat", "astream_chat")


def roles_and_texts(chat):
    return [(message.role.value, message.content) for message in chat.chat_history]


def test_it_is_a_chat_engine():
    assert BaseChatEngine in FranqChatEngine.__mro__


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ENGINES)
async def test_caller_and_memory_get_the_guarded_text(name, mode):
    make, kind = ENGINES[name]
    engine = make()
    assert isinstance(engine, kind)
    chat = FranqChatEngine(engine, make_guard(policy=BLOCKING))
    response, text = await ask(chat, mode)
    assert isinstance(response, StreamingAgentChatResponse if "stream" in mode else AgentChatResponse)
    report = report_of(response)
    assert report.answer == ANSWER
    assert text == report.text
    assert "dragons" not in text
    assert BLOCKING.sentence_message in text
    assert roles_and_texts(chat) == [("user", QUESTION), ("assistant", report.text.strip())]
    if name == "simple":
        assert report.passages == ()
    else:
        assert [passage.text for passage in report.passages] == [EIFFEL]
        assert response.sources


@pytest.mark.parametrize("mode", MODES)
async def test_the_next_prompt_has_no_blocked_word(mode):
    llm = ScriptedLLM(script)
    chat = FranqChatEngine(inner("context", llm), make_guard(policy=BLOCKING))
    await ask(chat, mode)
    await ask(chat, mode, FOLLOW_UP)
    assert BLOCKING.sentence_message in llm.prompts[-1]
    assert "dragons" not in llm.prompts[-1]
    assert [role for role, _ in roles_and_texts(chat)] == ["user", "assistant"] * 2


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["condense_plus_context", "condense_question"])
async def test_a_follow_up_is_checked_under_its_standalone_question(name, mode):
    chat = FranqChatEngine(ENGINES[name][0](), make_guard(policy=MARKED))
    first, _ = await ask(chat, mode)
    second, _ = await ask(chat, mode, FOLLOW_UP)
    assert report_of(first).question == QUESTION
    assert report_of(second).question == STANDALONE
    assert roles_and_texts(chat)[2] == ("user", FOLLOW_UP)


@pytest.mark.parametrize("mode", MODES)
async def test_a_given_history_is_kept(mode):
    history = [
        ChatMessage(role=MessageRole.USER, content="Hello."),
        ChatMessage(role=MessageRole.ASSISTANT, content="Hello!"),
    ]
    chat = FranqChatEngine(inner("context"), make_guard(policy=MARKED))
    if mode == "chat":
        chat.chat(QUESTION, history)
    elif mode == "achat":
        await chat.achat(QUESTION, history)
    elif mode == "stream_chat":
        list(chat.stream_chat(QUESTION, history).response_gen)
    else:
        response = await chat.astream_chat(QUESTION, history)
        assert [piece async for piece in response.async_response_gen()]
    assert roles_and_texts(chat)[:3] == [("user", "Hello."), ("assistant", "Hello!"), ("user", QUESTION)]
    assert len(chat.chat_history) == 4


@pytest.mark.parametrize("mode", MODES)
async def test_a_failing_check_raises_and_leaves_no_raw_answer(mode):
    broken = make_guard(language_model=BrokenLM(RuntimeError("boom")), on_error="raise")
    chat = FranqChatEngine(inner("context"), broken)
    with pytest.raises(ModelError, match="boom"):
        await ask(chat, mode)
    assert not any("dragons" in text for _, text in roles_and_texts(chat))


@pytest.mark.parametrize("mode", MODES)
async def test_a_blocked_answer_can_raise(mode):
    chat = FranqChatEngine(inner("context"), make_guard(policy=BLOCKING), on_blocked="raise")
    with pytest.raises(AnswerBlockedError, match="dragons"):
        await ask(chat, mode)
    assert not any("dragons" in text for _, text in roles_and_texts(chat))


async def test_a_stream_releases_sentence_by_sentence():
    chat = FranqChatEngine(inner("context"), make_guard(policy=MARKED))
    pieces = list(chat.stream_chat(QUESTION).response_gen)
    response = await chat.astream_chat(QUESTION)
    awaited = [piece async for piece in response.async_response_gen()]
    for found in (pieces, awaited):
        assert len(found) > 1
        assert found[0].startswith("The Eiffel Tower is 330 metres tall.")
        assert "dragons" not in found[0]


def test_a_stream_that_nobody_reads_is_still_remembered_guarded():
    chat = FranqChatEngine(inner("context"), make_guard(policy=BLOCKING))
    response = chat.stream_chat(QUESTION)
    response.write_response_to_history_thread.join()
    assert roles_and_texts(chat)[1] == ("assistant", report_of(response).text.strip())


def test_printing_a_stream_prints_the_guarded_text(capsys):
    chat = FranqChatEngine(inner("context"), make_guard(policy=BLOCKING))
    response = chat.stream_chat(QUESTION)
    response.print_response_stream()
    assert capsys.readouterr().out == report_of(response).text
    assert str(response) == report_of(response).text.strip()


def test_the_engine_inside_is_not_changed():
    engine = inner("context")
    before = copy.copy(vars(engine))
    chat = FranqChatEngine(engine, make_guard(policy=MARKED))
    chat.chat(QUESTION)
    assert vars(engine) == before
    assert vars(engine)["_memory"] is before["_memory"]
    assert engine.chat_history == chat.chat_history
    assert chat.callback_manager is engine.callback_manager


def test_the_index_is_bit_identical_afterwards():
    index = make_index(title="Paris")
    before = {key: node.model_dump() for key, node in index.docstore.docs.items()}
    engine = index.as_chat_engine(chat_mode="context", llm=ScriptedLLM(ANSWER), memory=buffer())
    chat = FranqChatEngine(engine, make_guard(policy=MARKED))
    chat.chat(QUESTION)
    list(chat.stream_chat(QUESTION).response_gen)
    assert {key: node.model_dump() for key, node in index.docstore.docs.items()} == before


def test_a_conversation_can_be_reset():
    chat = FranqChatEngine(inner("context"), make_guard())
    chat.chat(QUESTION)
    chat.reset()
    assert chat.chat_history == []


def test_a_memory_can_be_given():
    mine = buffer()
    chat = FranqChatEngine(inner("context"), make_guard(policy=MARKED), memory=mine)
    chat.chat(QUESTION)
    assert mine.get_all() == chat.chat_history
    assert len(chat.chat_history) == 2


@pytest.fixture
def default_memory():
    memory = Memory.from_defaults(token_limit=2000)
    yield memory
    asyncio.run(memory.sql_store._async_engine.dispose())


def test_llama_indexs_default_memory_keeps_the_guarded_text(default_memory):
    chat = FranqChatEngine(inner("context", memory=default_memory), make_guard(policy=BLOCKING))
    chat.chat(QUESTION)
    list(chat.stream_chat(FOLLOW_UP).response_gen)
    assert [role for role, _ in roles_and_texts(chat)] == ["user", "assistant"] * 2
    assert not any("dragons" in text for _, text in roles_and_texts(chat))


def test_what_cannot_be_guarded_is_refused():
    with pytest.raises(ConfigError, match="as_chat_engine"):
        FranqChatEngine("engine", make_guard())
    with pytest.raises(ConfigError, match="Guard"):
        FranqChatEngine(inner("context"), "guard")

    class Forgetful(SimpleChatEngine):
        def __init__(self):
            pass

    with pytest.raises(ConfigError, match="Forgetful keeps no memory"):
        FranqChatEngine(Forgetful(), make_guard())


async def test_the_answerless_memory_lets_all_else_through():
    mine = buffer()
    memory = AnswerlessMemory(mine)
    calling = ChatMessage(
        role=MessageRole.ASSISTANT, content="", additional_kwargs={"tool_calls": [{"id": "1"}]}
    )
    user = ChatMessage(role=MessageRole.USER, content=HONEY)
    answer = ChatMessage(role=MessageRole.ASSISTANT, content=HONEY)
    memory.put(user)
    await memory.aput(calling)
    memory.put(answer)
    await memory.aput(answer)
    memory.put_messages([user, answer])
    await memory.aput_messages([answer, calling])
    assert memory.get_all() == [user, calling, user, calling]
    memory.set([answer])
    assert memory.get_all() == mine.get_all() == [answer]


def test_claims_are_acted_on():
    chat = FranqChatEngine(inner("context"), make_guard(policy=MARKED))
    report = report_of(chat.chat(QUESTION))
    assert [claim.action for claim in report.claims] == [Action.KEEP, Action.ANNOTATE]
