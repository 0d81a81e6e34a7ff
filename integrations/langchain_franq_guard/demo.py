"""The embedded models behind LangChain's interfaces: for examples, and for trying things out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.retrievers import BaseRetriever

from franq_guard import Guard, Policy
from franq_guard.demo.guarding import MINI_ID, mini_folder, mini_guard
from franq_guard.demo.rag import TfidfRetriever, load_corpus

from .sharing import language_model_from


@cache
def demo_chat_model(max_new_tokens: int = 64) -> BaseChatModel:
    """The language model of the preset "mini" as a chat model of `langchain-huggingface`.

    Args:
        max_new_tokens: most tokens of an answer.

    Raises:
        ImportError: if `langchain-huggingface` is not installed.
        ModelError: if the weights can neither be found nor fetched.
    """
    try:
        from langchain_huggingface import ChatHuggingFace, HuggingFacePipeline
    except ImportError as error:
        raise ImportError(
            "the demo needs langchain-huggingface: pip install langchain-huggingface"
        ) from error

    class LocalChat(ChatHuggingFace):
        """Runs its pipeline in a thread where the original cannot be awaited."""

        async def _agenerate(self, *args: Any, **kwargs: Any) -> Any:
            return await BaseChatModel._agenerate(self, *args, **kwargs)

        async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            async for chunk in BaseChatModel._astream(self, *args, **kwargs):
                yield chunk

    folder = mini_folder()
    writing = {"max_new_tokens": max_new_tokens, "do_sample": False, "return_full_text": False}
    pipeline = HuggingFacePipeline.from_model_id(str(folder), "text-generation", pipeline_kwargs=writing)
    return LocalChat(llm=pipeline)


def demo_guard(model: BaseChatModel, policy: Policy | None = None) -> Guard:
    """The preset "mini" over the weights that `demo_chat_model` has loaded.

    Args:
        model: from `demo_chat_model`.
        policy: None for the usual thresholds.
    """
    return mini_guard(language_model_from(model, id=MINI_ID), policy)


class DemoRetriever(BaseRetriever):
    """Searches the twenty passages that ship with the package.

    Attributes:
        k: most documents found.
    """

    k: int = 3

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [
            Document(passage.text, id=passage.id, metadata={"title": passage.title})
            for passage in _shelf().retrieve(query, self.k)
        ]


@cache
def _shelf() -> TfidfRetriever:
    return TfidfRetriever(load_corpus())
