"""Guarded query engines over models that need no weights."""

import re

from fakes import make_guard
from li_models import (
    EIFFEL,
    HONEY,
    ScriptedLLM,
    make_index,
    make_nodes,
)
from llama_index.core import SummaryIndex
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.query_engine import (
    RetrieverQueryEngine,
)

from franq_guard import Policy
from llama_index_franq_guard import FranqQueryEngine

ANSWER = "The Eiffel Tower is 330 metres tall. It was painted pink by dragons."
MARKED = Policy(annotate_below=0.2, hedge_below=None, block_below=None)
BLOCKING = Policy(annotate_below=None, hedge_below=None, block_below=0.2, min_kept=0.0)
WITHHOLDING = Policy(annotate_below=None, hedge_below=None, block_below=1.0, min_kept=1.0)


def engine_of(answer=ANSWER, texts=(EIFFEL, HONEY), *, streaming=False, k=1, **metadata):
    llm = ScriptedLLM(answer)
    return make_index(texts, **metadata).as_query_engine(llm=llm, similarity_top_k=k, streaming=streaming)


def guarded(engine=None, policy=MARKED, **options):
    return FranqQueryEngine(engine or engine_of(), make_guard(policy=policy), **options)


class FixedEngine(BaseQueryEngine):
    """Hands out whatever it was given."""

    def __init__(self, response):
        self._response = response
        super().__init__(callback_manager=None)

    def _query(self, query_bundle):
        return self._response

    async def _aquery(self, query_bundle):
        return self._response

    def _get_prompt_modules(self):
        return {}


def numbered(count):
    """An engine that answers about the node that it found, and the questions."""
    texts = [f"Tower number{n} is {n + 1000} metres tall." for n in range(count)]

    def answer(prompt):
        found = re.search(r"Tower number(\d+) is (\d+) metres tall", prompt)
        return f"Tower number{found[1]} is {found[2]} metres tall. Dragons built tower number{found[1]}."

    index = SummaryIndex(make_nodes(texts))
    retriever = index.as_retriever()

    class ByNumber(type(retriever)):
        def _retrieve(self, query_bundle):
            wanted = re.search(r"number\d+", query_bundle.query_str)[0]
            found = super()._retrieve(query_bundle)
            return [node for node in found if f"{wanted} " in node.get_content()]

    return (
        RetrieverQueryEngine.from_args(ByNumber(index), llm=ScriptedLLM(answer)),
        [f"How tall is tower number{n}?" for n in range(count)],
    )
