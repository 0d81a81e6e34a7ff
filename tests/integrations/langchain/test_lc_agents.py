"""Agents and graphs: whatever way they are run, only the guarded answer comes out."""

import asyncio

import pytest
from fakes import BrokenLM, make_guard
from lc_agents import SearchFirst, search
from lc_models import ANSWER, OLD, QUESTION, TALL

pytest.importorskip("langchain", reason="the middleware needs the package langchain")

from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from franq_guard import ConfigError, GuardReport, InputError, ModelError, Policy
from langchain_franq_guard import AnswerBlockedError, FranqGuardMiddleware, franq_guard_node

DROPPING = Policy(annotate_below=None, hedge_below=None, block_below=0.3, block_mode="drop", min_kept=0)
KEPT = "The Eiffel Tower is 330 metres tall."


@pytest.fixture
def guard():
    return make_guard(policy=DROPPING, on_error="raise")


def agent_of(guard, writer=ANSWER, **settings):
    return create_agent(
        SearchFirst(writer=writer), [search], middleware=[FranqGuardMiddleware(guard, **settings)]
    )


def asked(question=QUESTION):
    return {"messages": [HumanMessage(question)]}


def report_of(message):
    return GuardReport.from_dict(message.response_metadata["franq_guard"])


def collect(runnable, mode, value, **options):
    async def from_async():
        return [item async for item in runnable.astream(value, **options)]

    return list(runnable.stream(value, **options)) if mode == "stream" else asyncio.run(from_async())


@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
def test_the_state_holds_the_guarded_answer_only(guard, mode):
    agent = agent_of(guard)
    found = agent.invoke(asked()) if mode == "invoke" else asyncio.run(agent.ainvoke(asked()))
    kinds = [type(message).__name__ for message in found["messages"]]
    assert kinds == ["HumanMessage", "AIMessage", "ToolMessage", "AIMessage"]
    answer = found["messages"][-1]
    assert answer.text == KEPT
    assert answer.content[0] == {"type": "reasoning", "reasoning": "hm"}
    report = report_of(answer)
    assert (report.question, report.answer) == (QUESTION, ANSWER)
    assert [passage.id for passage in report.passages] == ["tall", "old"]
    assert "Picasso" not in "".join(message.text for message in found["messages"])


@pytest.mark.parametrize("mode", ["stream", "astream"])
def test_streamed_messages_hold_no_unguarded_token(guard, mode):
    found = collect(agent_of(guard), mode, asked(), stream_mode="messages")
    shown = [chunk for chunk, _ in found if isinstance(chunk, AIMessage) and not chunk.tool_calls]
    assert "".join(chunk.text for chunk in shown).strip() == KEPT
    assert not [chunk for chunk, _ in found if "Picasso" in chunk.text]
    assert report_of(shown[-1]).answer.strip() == ANSWER


async def test_streamed_updates_and_values_hold_no_unguarded_text(guard):
    for stream_mode in ("updates", "values"):
        async for item in agent_of(guard).astream(asked(), stream_mode=stream_mode):
            texts = str([getattr(m, "text", "") for part in item.values() for m in _messages(part)])
            assert "Picasso" not in texts


def _messages(part):
    return part["messages"] if isinstance(part, dict) else part


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol")
def test_the_third_version_of_events_holds_no_unguarded_message(guard):
    async def texts():
        shown = []
        stream = await agent_of(guard).astream_events(asked(), version="v3")
        async for message in stream.messages:
            shown.append(await message.text)
        return shown

    shown = "".join(asyncio.run(texts()))
    assert KEPT in shown
    assert "Picasso" not in shown


def test_the_evidence_is_that_of_this_turn_or_of_the_conversation(guard):
    for evidence, expected in (("turn", ["tall", "old"]), ("conversation", ["tall", "old", None])):
        earlier = [
            HumanMessage("Who painted it?"),
            AIMessage("", tool_calls=[{"name": "search", "args": {}, "id": "1"}]),
            ToolMessage("It was painted green by Picasso.", tool_call_id="1", name="search"),
            AIMessage("Picasso."),
        ]
        found = agent_of(guard, evidence=evidence).invoke({"messages": [*earlier, HumanMessage(QUESTION)]})
        report = report_of(found["messages"][-1])
        assert [passage.id for passage in report.passages] == expected
        assert ("Picasso" in report.text) == (evidence == "conversation")


def test_an_agent_that_called_no_tool_is_judged_without_documents(guard):
    agent = create_agent(
        FakeListChatModel(responses=[ANSWER]),
        middleware=[FranqGuardMiddleware(guard)],
        system_prompt="Be kind.",
    )
    report = report_of(agent.invoke(asked())["messages"][-1])
    assert report.passages == ()
    assert report.claims


def test_failed_tools_are_no_evidence(guard):
    failed = ToolMessage("Picasso painted it green", tool_call_id="1", status="error")
    agent = create_agent(FakeListChatModel(responses=[ANSWER]), middleware=[FranqGuardMiddleware(guard)])
    calling = AIMessage("", tool_calls=[{"name": "search", "args": {}, "id": "1"}])
    found = agent.invoke({"messages": [HumanMessage(QUESTION), calling, failed]})
    assert report_of(found["messages"][-1]).passages == ()


@pytest.mark.parametrize("mode", ["invoke", "ainvoke", "stream", "astream"])
def test_a_blocked_answer_raises_out_of_the_agent(guard, mode):
    agent = agent_of(guard, on_blocked="raise")
    run = {
        "invoke": lambda: agent.invoke(asked()),
        "ainvoke": lambda: asyncio.run(agent.ainvoke(asked())),
        "stream": lambda: collect(agent, "stream", asked(), stream_mode="messages"),
        "astream": lambda: collect(agent, "astream", asked(), stream_mode="messages"),
    }[mode]
    with pytest.raises(AnswerBlockedError, match="Picasso"):
        run()


@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
@pytest.mark.parametrize("on_error", ["pass", "block", "raise"])
def test_a_check_that_fails_follows_on_error(mode, on_error):
    agent = agent_of(make_guard(language_model=BrokenLM(RuntimeError("out of paper")), on_error=on_error))

    def run():
        return agent.invoke(asked()) if mode == "invoke" else asyncio.run(agent.ainvoke(asked()))

    if on_error == "raise":
        with pytest.raises(ModelError, match="out of paper"):
            run()
        return
    answer = run()["messages"][-1]
    assert "out of paper" in report_of(answer).error
    assert (answer.text == ANSWER) == (on_error == "pass")


def test_two_conversations_of_one_agent_keep_apart(guard):
    agent = create_agent(
        SearchFirst(writer=ANSWER),
        [search],
        middleware=[FranqGuardMiddleware(guard)],
        checkpointer=InMemorySaver(),
    )
    for thread in ("a", "b"):
        found = agent.invoke(asked(f"{QUESTION} {thread}"), {"configurable": {"thread_id": thread}})
        assert report_of(found["messages"][-1]).question == f"{QUESTION} {thread}"
    again = agent.invoke(asked("And when was it built?"), {"configurable": {"thread_id": "a"}})
    assert len(again["messages"]) == 8
    assert "Picasso" not in "".join(message.text for message in again["messages"])


@pytest.mark.parametrize("settings", [{"evidence": "all"}, {"answer_key": "x"}])
def test_senseless_settings_are_refused(guard, settings):
    for make in (FranqGuardMiddleware, franq_guard_node):
        with pytest.raises(ConfigError):
            make(guard, **settings)


def graph_of(guard, answer):
    """Documents come as a tool message, then the answer is written, then guarded."""
    looked_up = [
        AIMessage("", tool_calls=[{"name": "search", "args": {}, "id": "1"}]),
        ToolMessage("", artifact=[TALL, OLD], tool_call_id="1"),
    ]
    graph = StateGraph(MessagesState)
    graph.add_node("find", lambda state: {"messages": looked_up})
    graph.add_node("write", lambda state: {"messages": [answer]})
    graph.add_node("guard", franq_guard_node(guard))
    graph.add_edge(START, "find")
    graph.add_edge("find", "write")
    graph.add_edge("write", "guard")
    return graph.compile()


@pytest.mark.parametrize("mode", ["invoke", "ainvoke"])
def test_a_node_replaces_the_last_message(guard, mode):
    graph = graph_of(guard, AIMessage(ANSWER, id="answer"))
    found = graph.invoke(asked()) if mode == "invoke" else asyncio.run(graph.ainvoke(asked()))
    assert len(found["messages"]) == 4
    assert (found["messages"][-1].id, found["messages"][-1].content) == ("answer", KEPT)
    assert [passage.id for passage in report_of(found["messages"][-1]).passages] == ["tall", "old"]


@pytest.mark.parametrize("last", [AIMessage(""), HumanMessage("hi"), SystemMessage("s")])
def test_a_node_leaves_other_messages_alone(guard, last):
    assert franq_guard_node(guard).invoke({"messages": [last]}) == {}
    assert asyncio.run(franq_guard_node(guard).ainvoke({"messages": [last]})) == {}


@pytest.mark.parametrize("state", [{}, {"messages": "text"}, {"messages": ["text"]}, None])
def test_a_node_says_what_state_it_needs(guard, state):
    with pytest.raises(InputError, match="no list of messages"):
        franq_guard_node(guard).invoke(state)


def test_a_chunk_is_a_message_too(guard):
    state = {"messages": [HumanMessage(QUESTION), AIMessageChunk(content=ANSWER, id="c")]}
    [message] = franq_guard_node(guard).invoke(state)["messages"]
    assert message.id == "c"
    assert report_of(message).answer == ANSWER


def test_the_answer_is_asked_for_again_inside_the_agent_without_a_leak(guard):
    better = RunnableLambda(lambda prompt: AIMessage(KEPT))
    agent = agent_of(guard, reask=better)
    found = collect(agent, "stream", asked(), stream_mode="messages")
    shown = "".join(chunk.text for chunk, _ in found if isinstance(chunk, AIMessage))
    assert shown.strip() == KEPT
