"""The guard inside agents, workflows and event loops."""

import asyncio
import subprocess
import sys

import pytest
from blockbuster import blockbuster_ctx
from fakes import SlowLM, make_guard
from li_models import EIFFEL, QUESTION, ScriptedLLM, make_index
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata, MessageRole
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools import QueryEngineTool
from llama_index.core.workflow import Event, StartEvent, StopEvent, Workflow, step
from pydantic import PrivateAttr

from franq_guard import Policy
from llama_index_franq_guard import FranqQueryEngine, report_of

ANSWER = "The Eiffel Tower is 330 metres tall. It was painted pink by dragons."
BLOCKING = Policy(annotate_below=None, hedge_below=None, block_below=0.2, min_kept=0.0)


class ToolUser(FunctionCallingLLM):
    """Calls its one tool, then repeats what the tool said."""

    _seen: list = PrivateAttr(default_factory=list)

    @property
    def metadata(self):
        return LLMMetadata(is_function_calling_model=True, model_name="tool user")

    def _prepare_chat_with_tools(self, tools, user_msg=None, chat_history=None, **kwargs):
        return {"messages": chat_history or []}

    async def astream_chat_with_tools(self, tools, user_msg=None, chat_history=None, **kwargs):
        said = next((m.content for m in reversed(chat_history) if m.role == MessageRole.TOOL), None)
        self._seen.append(said)
        calls = [] if said else [{"id": "1", "name": tools[0].metadata.name}]
        message = ChatMessage(
            role=MessageRole.ASSISTANT, content=said or "", additional_kwargs={"tool_calls": calls}
        )

        async def stream():
            yield ChatResponse(message=message, delta=said or "", raw={})

        return stream()

    async def achat_with_tools(self, tools, user_msg=None, chat_history=None, **kwargs):
        async for response in await self.astream_chat_with_tools(tools, user_msg, chat_history):
            return response

    def get_tool_calls_from_response(self, response, error_on_no_tool_call=True, **kwargs):
        return [
            ToolSelection(tool_id=call["id"], tool_name=call["name"], tool_kwargs={"input": QUESTION})
            for call in response.message.additional_kwargs["tool_calls"]
        ]

    def chat(self, messages, **kwargs):
        raise NotImplementedError

    stream_chat = complete = stream_complete = chat

    async def achat(self, messages, **kwargs):
        raise NotImplementedError

    astream_chat = acomplete = astream_complete = achat


def guarded_engine(guard):
    engine = make_index().as_query_engine(llm=ScriptedLLM(ANSWER), similarity_top_k=1)
    return FranqQueryEngine(engine, guard)


# LlamaIndex looks at every attribute of its agents, also at those that pydantic has deprecated.
@pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning")
async def test_a_tool_over_a_guarded_engine_gives_an_agent_guarded_text():
    tool = QueryEngineTool.from_defaults(
        guarded_engine(make_guard(policy=BLOCKING)), name="tower", description="about the Eiffel Tower"
    )
    agent = FunctionAgent(tools=[tool], llm=ToolUser())
    result = await agent.run(QUESTION)
    [call] = result.tool_calls
    report = report_of(call.tool_output.raw_output)
    assert report.answer == ANSWER
    assert call.tool_output.content == report.text == str(result)
    assert "dragons" not in str(result)


class Drafted(Event):
    question: str
    answer: str


class Guarded(Workflow):
    def __init__(self, guard, **kwargs):
        super().__init__(**kwargs)
        self._guard = guard

    @step
    async def write(self, event: StartEvent) -> Drafted:
        return Drafted(question=event.question, answer=ANSWER)

    @step
    async def check(self, event: Drafted) -> StopEvent:
        report = await self._guard.acheck(event.question, [EIFFEL], event.answer)
        return StopEvent(result=report)


async def test_a_workflow_step_can_check():
    guard = make_guard(policy=BLOCKING)
    reports = await asyncio.gather(*(Guarded(guard).run(question=f"{QUESTION} {n}") for n in range(10)))
    for n, report in enumerate(reports):
        assert report.question == f"{QUESTION} {n}"
        assert "dragons" not in report.text
    guard.close()


async def test_no_mode_blocks_the_event_loop():
    guard = make_guard(language_model=SlowLM(), policy=BLOCKING)
    index = make_index()
    plain = index.as_query_engine(llm=ScriptedLLM(ANSWER), similarity_top_k=1)
    streaming = index.as_query_engine(llm=ScriptedLLM(ANSWER), similarity_top_k=1, streaming=True)
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            await asyncio.sleep(0.005)
            ticks += 1

    heart = asyncio.create_task(tick())
    with blockbuster_ctx():  # raises where a blocking call is made on the loop
        await FranqQueryEngine(plain, guard).aquery(QUESTION)
        response = await FranqQueryEngine(streaming, guard).aquery(QUESTION)
        assert [piece async for piece in response.async_response_gen()]
    heart.cancel()
    assert ticks > 10
    guard.close()


def test_it_needs_no_langchain():
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['langchain', 'langchain_core', 'langgraph']))\n"
        "import llama_index_franq_guard\n"
        "assert 'langchain_franq_guard' not in sys.modules\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
