"""Streams a guarded answer to a terminal; each sentence is coloured by how likely it is to be true.

Events name the claims of a sentence just before the sentence itself is released.
"""

import asyncio
from typing import Any

from langchain_core.documents import Document
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from rich.console import Console

from franq_guard import Policy
from langchain_franq_guard import CLAIM_EVENT, FranqGuardrail
from langchain_franq_guard.demo import DemoRetriever, demo_chat_model, demo_guard

PROMPT = ChatPromptTemplate.from_messages([("human", "{documents}\n\n{question}")])
ONLY_COLOURS = Policy(annotate_below=None, hedge_below=None, block_below=None)


def colour(p_true: float | None) -> str:
    if p_true is None:
        return "dim"
    return "green" if p_true >= 0.7 else "yellow" if p_true >= 0.4 else "red"


async def show(console: Console) -> None:
    model = demo_chat_model()
    retriever = DemoRetriever(k=2)

    def find(state: dict[str, str]) -> list[Document]:
        return retriever.invoke(state["question"])

    def as_text(state: dict[str, list[Document]]) -> str:
        return "\n".join(document.page_content for document in state["context"])

    chain = (
        {"question": RunnablePassthrough()}
        | RunnablePassthrough.assign(context=RunnableLambda(find))
        | RunnablePassthrough.assign(documents=RunnableLambda(as_text))
        | RunnablePassthrough.assign(answer=PROMPT | model)
        | FranqGuardrail(demo_guard(model, ONLY_COLOURS))
    )
    question = "How tall is the Eiffel Tower, and when was it completed?"
    scores: list[float] = []
    async for event in chain.astream_events(question, version="v2"):
        data: Any = event["data"]
        if event["name"] == CLAIM_EVENT and data["p_true"] is not None:
            scores.append(data["p_true"])
        elif event["event"] == "on_guardrail_stream":
            chunk = data["chunk"].get("answer")
            if chunk is not None and chunk.text.strip():
                shown = f"{min(scores):.2f}" if scores else "-"
                console.print(chunk.text.strip(), f"({shown})", style=colour(min(scores, default=None)))
                scores.clear()


def main() -> None:
    asyncio.run(show(Console()))


if __name__ == "__main__":
    main()
