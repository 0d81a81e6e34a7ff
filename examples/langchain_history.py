"""A retrieval chain with a history: follow-up questions are completed before anything is looked up.

The chain returns a bare message; the guard finds question and documents through the handler, which also
watches the retriever.
"""

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda

from franq_guard import GuardReport
from langchain_franq_guard import FranqEvidence, FranqGuardrail, with_uncertainty_clause
from langchain_franq_guard.demo import DemoRetriever, demo_chat_model, demo_guard

COMPLETE = ChatPromptTemplate.from_messages(
    [
        (
            "human",
            "Earlier: When was the Louvre Pyramid built?\nNow: Who designed it?\nWrite the last question out "
            "in full.",
        ),
        ("ai", "Who designed the Louvre Pyramid?"),
        ("human", "Earlier: {earlier}\nNow: {question}\nWrite the last question out in full."),
    ]
)
ANSWER = with_uncertainty_clause(
    ChatPromptTemplate.from_messages(
        [("system", "Answer in one short sentence."), ("human", "{context}\n\n{question}")]
    )
)


def main() -> None:
    model = demo_chat_model()
    complete = COMPLETE | model
    retriever = DemoRetriever(k=2)

    def standalone(state: dict[str, list[BaseMessage]]) -> dict[str, str]:
        *history, last = [m.text for m in state["messages"] if isinstance(m, HumanMessage)]
        if history:
            last = complete.invoke({"earlier": history[-1], "question": last}).text
        return {"question": last}

    def with_context(state: dict[str, str]) -> dict[str, str]:
        found: list[Document] = retriever.invoke(state["question"])
        return state | {"context": "\n".join(document.page_content for document in found)}

    chain = (
        RunnableLambda(standalone)
        | RunnableLambda(with_context)
        | ANSWER
        | model
        | FranqGuardrail(demo_guard(model))
    )
    messages: list[BaseMessage] = []
    for question in ("When was the Eiffel Tower completed?", "How tall is the Eiffel Tower?"):
        messages.append(HumanMessage(question))
        answer: AIMessage = chain.invoke({"messages": messages}, {"callbacks": [FranqEvidence()]})
        # The guarded answer goes into the history: a doubtful claim must not come back as a fact.
        messages.append(answer)
        print(question, "->", answer.text)
        print(GuardReport.from_dict(answer.response_metadata["franq_guard"]).p_true)


if __name__ == "__main__":
    main()
