"""Language models, embeddings and indexes for LlamaIndex: real weights, and scripts that need none."""

import asyncio
import re

from llama_index.core import VectorStoreIndex
from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.schema import TextNode
from llama_index.llms.huggingface import HuggingFaceLLM
from pydantic import PrivateAttr
from sklearn.feature_extraction.text import HashingVectorizer

EIFFEL = "The Eiffel Tower is 330 metres tall. It was completed in March 1889."
HONEY = "Honey keeps for a very long time because it contains little water."
QUESTION = "How tall is the Eiffel Tower, and when was it completed?"

_HASHED = HashingVectorizer(n_features=256, stop_words="english")


class WordEmbedding(BaseEmbedding):
    """Hashed words: equal on every machine, and good enough for a handful of passages."""

    def _get_text_embedding(self, text):
        # The constant keeps texts without words from being zero, which has no direction.
        return [*_HASHED.transform([text]).toarray()[0].tolist(), 0.1]

    def _get_query_embedding(self, query):
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query):
        return self._get_text_embedding(query)


class LocalLLM(HuggingFaceLLM):
    """The real model. What it has written to a prompt before, greedily, it need not write again."""

    _written: dict = PrivateAttr(default_factory=dict)

    @llm_completion_callback()
    def complete(self, prompt, formatted=False, **kwargs):
        key = (prompt, formatted)
        if key not in self._written:
            self._written[key] = super().complete(prompt, formatted=formatted, **kwargs)
        return self._written[key]

    @llm_completion_callback()
    def stream_complete(self, prompt, formatted=False, **kwargs):
        key = (prompt, formatted, "stream")
        if key not in self._written:
            self._written[key] = list(super().stream_complete(prompt, formatted=formatted, **kwargs))

        def pieces():
            yield from self._written[key]

        return pieces()


class ScriptedLLM(CustomLLM):
    """Answers from a function of the prompt, word by word, without ever blocking an event loop."""

    _answer: object = PrivateAttr()
    _prompts: list = PrivateAttr(default_factory=list)

    def __init__(self, answer, **kwargs):
        super().__init__(**kwargs)
        self._answer = answer if callable(answer) else lambda prompt: answer

    @property
    def prompts(self):
        return self._prompts

    @property
    def metadata(self):
        return LLMMetadata(context_window=8192, num_output=256, model_name="scripted")

    def _text(self, prompt):
        self._prompts.append(prompt)
        return self._answer(prompt)

    @llm_completion_callback()
    def complete(self, prompt, formatted=False, **kwargs):
        return CompletionResponse(text=self._text(prompt))

    @llm_completion_callback()
    def stream_complete(self, prompt, formatted=False, **kwargs):
        return self._stream(self._text(prompt))

    @llm_completion_callback()
    async def acomplete(self, prompt, formatted=False, **kwargs):
        await asyncio.sleep(0)
        return CompletionResponse(text=self._text(prompt))

    @llm_completion_callback()
    async def astream_complete(self, prompt, formatted=False, **kwargs):
        async def pieces():
            for piece in self._stream(self._text(prompt)):
                await asyncio.sleep(0)
                yield piece

        return pieces()

    def _stream(self, text):
        written = ""
        for word in re.findall(r"\S+\s*", text):
            written += word
            yield CompletionResponse(text=written, delta=word)


def make_nodes(texts, **metadata):
    return [
        TextNode(text=text, id_=f"node-{number}", metadata=dict(metadata))
        for number, text in enumerate(texts)
    ]


def make_index(texts=(EIFFEL, HONEY), **metadata):
    return VectorStoreIndex(make_nodes(texts, **metadata), embed_model=WordEmbedding())


def finding_nothing(llm, **options):
    """An engine whose retrieval comes back empty."""
    cut = SimilarityPostprocessor(similarity_cutoff=2.0)
    return make_index().as_query_engine(llm=llm, node_postprocessors=[cut], **options)
