"""FranqSynthesizer inside real engines; models that need no weights."""

import pytest
from fakes import make_guard
from li_models import EIFFEL, QUESTION, ScriptedLLM, make_index
from llama_index.core import get_response_synthesizer
from llama_index.core.base.response.schema import PydanticResponse, Response
from llama_index.core.chat_engine import CondenseQuestionChatEngine
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.prompts import PromptTemplate
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import BaseSynthesizer, ResponseMode
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import BaseModel

from franq_guard import ConfigError, Policy
from llama_index_franq_guard import AnswerBlockedError, FranqSynthesizer, report_of

ANSWER = "The Eiffel Tower is 330 metres tall. It was painted pink by dragons."
BLOCKING = Policy(annotate_below=None, hedge_below=None, block_below=0.2, min_kept=0.0)
NODES = [NodeWithScore(node=TextNode(text=EIFFEL, id_="eiffel"), score=1.0)]


def synthesizer(mode=ResponseMode.COMPACT, *, streaming=False, policy=BLOCKING, **options):
    inner = get_response_synthesizer(llm=ScriptedLLM(ANSWER), response_mode=mode, streaming=streaming)
    return FranqSynthesizer(inner, make_guard(policy=policy), **options)


def engine(**options):
    return RetrieverQueryEngine(
        make_index().as_retriever(similarity_top_k=1), response_synthesizer=synthesizer(**options)
    )


def test_it_is_a_synthesizer():
    assert BaseSynthesizer in FranqSynthesizer.__mro__


@pytest.mark.parametrize("mode", ["compact", "refine", "tree_summarize", "simple_summarize", "accumulate"])
async def test_an_engine_takes_it(mode):
    guarded = engine(mode=ResponseMode(mode))
    for response in (guarded.query(QUESTION), await guarded.aquery(QUESTION)):
        report = report_of(response)
        assert response.response == report.text
        assert "dragons" not in response.response
        assert [passage.text for passage in report.passages] == [EIFFEL]


async def test_its_streams_are_guarded():
    guarded = engine(streaming=True)
    response = guarded.query(QUESTION)
    assert "".join(response.response_gen) == report_of(response).text
    awaited = await guarded.aquery(QUESTION)
    text = "".join([piece async for piece in awaited.async_response_gen()])
    assert text == report_of(awaited).text
    assert "dragons" not in text


async def test_queries_may_be_texts_or_bundles():
    guarded = synthesizer()
    for query in (QUESTION, QueryBundle(QUESTION)):
        assert report_of(guarded.synthesize(query, NODES)).question == QUESTION
        assert report_of(await guarded.asynthesize(query, NODES)).question == QUESTION


def test_no_nodes_are_defined():
    response = synthesizer().synthesize(QUESTION, [])
    assert response.response == "Empty Response"
    assert report_of(response).passages == ()


async def test_bare_texts_are_guarded():
    guarded = synthesizer()
    for text in (
        guarded.get_response(QUESTION, [EIFFEL]),
        await guarded.aget_response(QUESTION, [EIFFEL]),
    ):
        assert text.startswith("The Eiffel Tower is 330 metres tall.")
        assert "dragons" not in text


async def test_bare_streams_are_guarded():
    guarded = synthesizer(streaming=True)
    pieces = list(guarded.get_response(QUESTION, [EIFFEL]))
    awaited = [piece async for piece in await guarded.aget_response(QUESTION, [EIFFEL])]
    for found in (pieces, awaited):
        assert "dragons" not in "".join(found)
        assert BLOCKING.sentence_message in "".join(found)


class Fact(BaseModel):
    text: str


class Structured(BaseSynthesizer):
    def get_response(self, query_str, text_chunks, **kwargs):
        return Fact(text=ANSWER)

    async def aget_response(self, query_str, text_chunks, **kwargs):
        return Fact(text=ANSWER)

    def _get_prompts(self):
        return {}

    def _update_prompts(self, prompts):
        pass


def test_bare_objects_are_handed_on_or_refused():
    inner = Structured(llm=ScriptedLLM(ANSWER), output_cls=Fact)
    kept = FranqSynthesizer(inner, make_guard(policy=Policy(block_below=None)))
    assert kept.get_response(QUESTION, [EIFFEL]) == Fact(text=ANSWER)
    response = kept.synthesize(QUESTION, NODES)
    assert isinstance(response, PydanticResponse)
    assert response.response == Fact(text=ANSWER)
    withheld = FranqSynthesizer(inner, make_guard(policy=BLOCKING))
    with pytest.raises(AnswerBlockedError, match="dragons"):
        withheld.get_response(QUESTION, [EIFFEL])


def test_a_blocked_answer_can_raise():
    with pytest.raises(AnswerBlockedError, match="dragons"):
        synthesizer(on_blocked="raise").synthesize(QUESTION, NODES)


def test_prompts_are_those_of_the_synthesizer_inside():
    guarded = engine()
    template = PromptTemplate("Tell me: {query_str} {context_str}")
    guarded.update_prompts({"response_synthesizer:text_qa_template": template})
    guarded.query(QUESTION)
    assert guarded._response_synthesizer._llm.prompts[-1].startswith("Tell me: ")


def test_the_callback_manager_is_that_of_the_synthesizer_inside():
    inner = get_response_synthesizer(llm=ScriptedLLM(ANSWER))
    guarded = FranqSynthesizer(inner, make_guard())
    assert guarded.callback_manager is inner.callback_manager
    guarded.callback_manager = other = type(inner.callback_manager)([])
    assert inner.callback_manager is other


def test_chat_engines_can_switch_its_streaming():
    memory = ChatMemoryBuffer.from_defaults(token_limit=1000)
    chat = CondenseQuestionChatEngine.from_defaults(engine(), memory=memory, llm=ScriptedLLM(QUESTION))
    assert "dragons" not in chat.chat(QUESTION).response
    assert "dragons" not in "".join(chat.stream_chat(QUESTION).response_gen)
    assert not any("dragons" in message.content for message in chat.chat_history)


def test_what_is_no_synthesizer_is_refused():
    with pytest.raises(ConfigError, match="get_response_synthesizer"):
        FranqSynthesizer(Response("x"), make_guard())
