"""Chat models and chains that the tests share."""

import sys
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough

sys.path.insert(0, str(Path(__file__).parents[2]))

TALL = Document("The Eiffel Tower is 330 metres tall.", id="tall", metadata={"source": "guide.txt"})
OLD = Document("The Eiffel Tower was completed in 1889.", id="old")
QUESTION = "How tall is the Eiffel Tower?"
ANSWER = "The Eiffel Tower is 330 metres tall. It was painted green by Picasso."


class Shelf(BaseRetriever):
    """Finds the same documents for every query."""

    documents: list[Document]

    def _get_relevant_documents(self, query, *, run_manager):
        return self.documents


class Echo(BaseRetriever):
    """Finds one document that repeats the query."""

    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(f"It is known about {query} that it is tall.")]


try:
    from langchain_huggingface import ChatHuggingFace
except ImportError:  # the oldest langchain-core is older than what this package needs
    LocalChat = None
else:

    class LocalChat(ChatHuggingFace):
        """Runs the pipeline in a thread where the original refuses to be awaited."""

        _agenerate = BaseChatModel._agenerate
        _astream = BaseChatModel._astream


PROMPT = ChatPromptTemplate.from_messages([("human", "{documents}\n\n{question}")])


def texts_of(state):
    return " ".join(document.page_content for document in state["context"])


def rag(model, retriever):
    """Documents, question and answer side by side, as most chains keep them."""
    write = RunnablePassthrough.assign(documents=texts_of) | PROMPT | model
    return {"question": RunnablePassthrough(), "context": retriever} | RunnablePassthrough.assign(
        answer=write
    )
