"""The embedded models behind LlamaIndex's interfaces: for examples and first steps, without an account."""

from __future__ import annotations

from functools import cache

from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import LLM
from llama_index.core.schema import TextNode

from franq_guard import Guard, Policy
from franq_guard.demo.guarding import MINI_ID, mini_folder, mini_guard
from franq_guard.demo.rag import load_corpus

from .language_model import language_model_from


@cache
def demo_llm(max_new_tokens: int = 48) -> LLM:
    """The language model of the preset "mini" as a `HuggingFaceLLM`.

    Args:
        max_new_tokens: most tokens of an answer.

    Raises:
        ImportError: if `llama-index-llms-huggingface` is not installed.
        ModelError: if the weights can neither be found nor fetched.
    """
    try:
        from llama_index.llms.huggingface import HuggingFaceLLM
    except ImportError as error:
        raise ImportError(
            "the demo needs llama-index-llms-huggingface: pip install llama-index-llms-huggingface"
        ) from error
    folder = str(mini_folder())
    llm: LLM = HuggingFaceLLM(
        model_name=folder,
        tokenizer_name=folder,
        device_map="cpu",
        model_kwargs={"dtype": "float32"},
        context_window=2048,
        max_new_tokens=max_new_tokens,
        is_chat_model=True,
        generate_kwargs={"do_sample": False},
    )
    return llm


def demo_guard(llm: LLM, policy: Policy | None = None) -> Guard:
    """The preset "mini" over the weights that `demo_llm` has loaded.

    Args:
        llm: from `demo_llm`.
        policy: None for the usual thresholds.
    """
    return mini_guard(language_model_from(llm, id=MINI_ID), policy, device="cpu", dtype="float32")


def demo_index() -> VectorStoreIndex:
    """The twenty passages that ship with the package, in memory."""
    nodes = [
        TextNode(text=passage.text, id_=str(passage.id), metadata={"title": str(passage.title)})
        for passage in load_corpus()
    ]
    return VectorStoreIndex(nodes, embed_model=HashedWords())


class HashedWords(BaseEmbedding):
    """Stands in for an embedding model: counts of hashed words, with nothing to download."""

    def _get_text_embedding(self, text: str) -> list[float]:
        from sklearn.feature_extraction.text import HashingVectorizer

        counts = HashingVectorizer(n_features=4096, stop_words="english").transform([text]).toarray()[0]
        # The constant keeps texts without words from being zero, which has no direction.
        return [*counts.tolist(), 0.01]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)
