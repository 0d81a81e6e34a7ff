"""A RAG chain in LCEL on the embedded models, with the guard as its last step.

The chat model and the guard share one copy of the weights.
"""

from langchain_core.documents import Document
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from franq_guard import GuardReport
from langchain_franq_guard import FranqDocumentCompressor, FranqGuardrail, with_uncertainty_clause
from langchain_franq_guard.demo import DemoRetriever, demo_chat_model, demo_guard

PROMPT = with_uncertainty_clause(
    ChatPromptTemplate.from_messages(
        [("system", "Answer in one short sentence."), ("human", "{documents}\n\n{question}")]
    )
)


def main() -> None:
    model = demo_chat_model()
    guard = demo_guard(model)
    retriever, compressor = DemoRetriever(), FranqDocumentCompressor(guard)

    def find(state: dict[str, str]) -> list[Document]:
        return compressor.compress_documents(retriever.invoke(state["question"]), state["question"])

    def as_text(state: dict[str, list[Document]]) -> str:
        return "\n".join(document.page_content for document in state["context"])

    chain = (
        {"question": RunnablePassthrough()}
        | RunnablePassthrough.assign(context=RunnableLambda(find))
        | RunnablePassthrough.assign(documents=RunnableLambda(as_text))
        | RunnablePassthrough.assign(answer=PROMPT | model)
        | FranqGuardrail(guard)
    )
    found = chain.invoke("How tall is the Eiffel Tower?")
    print(found["answer"].content)
    for claim in GuardReport.from_dict(found["franq_guard"]).claims:
        print(claim.p_true, claim.verdict, claim.source_text)


if __name__ == "__main__":
    main()
