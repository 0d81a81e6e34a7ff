"""A guarded query engine as a tool, in a workflow whose last step checks the final answer.

The embedded model is too small to decide on its own when to call a tool, so the workflow always does. With a
larger model, `FunctionAgent(tools=[tool], llm=llm)` takes the same tool.
"""

import asyncio

from llama_index.core.llms import LLM, ChatMessage
from llama_index.core.tools import QueryEngineTool, ToolOutput
from llama_index.core.workflow import Event, StartEvent, StopEvent, Workflow, step

from franq_guard import Guard, GuardReport
from llama_index_franq_guard import FranqQueryEngine, report_of
from llama_index_franq_guard.demo import demo_guard, demo_index, demo_llm


class Found(Event):
    """What the tool has said."""

    output: ToolOutput


class Researcher(Workflow):
    """Looks a question up, then words the answer."""

    def __init__(self, tool: QueryEngineTool, llm: LLM, guard: Guard) -> None:
        super().__init__(timeout=None)
        self._tool, self._llm, self._guard = tool, llm, guard

    @step
    async def look_up(self, event: StartEvent) -> Found:
        """Calls the tool."""
        # A local model would hold up the event loop; the guard never does.
        return Found(output=await asyncio.to_thread(self._tool.call, event.question))

    @step
    async def answer(self, event: Found) -> StopEvent:
        """Words the answer, and checks it against what the tool had found."""
        found = report_of(event.output.raw_output)
        assert found is not None  # noqa: S101
        prompt = ChatMessage(f"{event.output.content}\n\n{found.question} Answer in one short sentence.")
        draft = await asyncio.to_thread(self._llm.chat, [prompt])
        answer = draft.message.content or ""
        return StopEvent(result=await self._guard.acheck(found.question, found.passages, answer.strip()))


async def research() -> None:
    llm = demo_llm()
    guard = demo_guard(llm)
    tool = QueryEngineTool.from_defaults(
        FranqQueryEngine(demo_index().as_query_engine(llm=llm, similarity_top_k=1), guard),
        name="encyclopedia",
        description="facts about the world",
    )
    report: GuardReport = await Researcher(tool, llm, guard).run(question="How deep is Lake Baikal?")
    print(report.text)
    print("P(true) of the least likely claim:", report.p_true)
    guard.close()


def main() -> None:
    asyncio.run(research())


if __name__ == "__main__":
    main()
