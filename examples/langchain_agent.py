"""An agent whose final answer is guarded; the evidence is what its tool returned.

The embedded model is too small to decide on its own when to call a tool, so a few lines around it always
look the question up first. With a larger model, pass that to `create_agent` as it is.
"""

from typing import Any

from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

from franq_guard import GuardReport
from langchain_franq_guard import FranqGuardMiddleware
from langchain_franq_guard.demo import DemoRetriever, demo_chat_model, demo_guard


@tool(response_format="content_and_artifact")
def search(query: str) -> tuple[str, list[Document]]:
    """Searches the encyclopedia."""
    found = DemoRetriever(k=2).invoke(query)
    return "\n".join(document.page_content for document in found), found


class SearchFirst(BaseChatModel):
    """Looks every question up, then has another model answer it."""

    writer: BaseChatModel

    @property
    def _llm_type(self) -> str:
        return "search-first"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        """It knows its one tool."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            question = next(m for m in reversed(messages) if isinstance(m, HumanMessage)).text
            prompt = f"{last.text}\n\n{question} Answer in one short sentence."
            message = AIMessage(self.writer.invoke([HumanMessage(prompt)]).text)
        else:
            call = {"name": "search", "args": {"query": last.text}, "id": f"call-{len(messages)}"}
            message = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])


def main() -> None:
    model = demo_chat_model()
    agent: Any = create_agent(
        SearchFirst(writer=model), [search], middleware=[FranqGuardMiddleware(demo_guard(model))]
    )
    found = agent.invoke({"messages": [HumanMessage("When was the Eiffel Tower completed?")]})
    for message in found["messages"]:
        message.pretty_print()
    report = GuardReport.from_dict(found["messages"][-1].response_metadata["franq_guard"])
    print(report.p_true, [passage.title for passage in report.passages])


if __name__ == "__main__":
    main()
