"""FranqQueryEngine over real engines; models that need no weights."""

import asyncio
import copy
import gc
import re

import pytest
from fakes import BrokenLM, make_guard
from li_models import (
    EIFFEL,
    HONEY,
    QUESTION,
    ScriptedLLM,
    WordEmbedding,
    finding_nothing,
    make_index,
    make_nodes,
)
from llama_index.core import SummaryIndex, get_response_synthesizer
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import (
    AsyncStreamingResponse,
    PydanticResponse,
    Response,
    StreamingResponse,
)
from llama_index.core.indices.query.query_transform.base import IdentityQueryTransform
from llama_index.core.prompts import PromptTemplate
from llama_index.core.query_engine import (
    CitationQueryEngine,
    CustomQueryEngine,
    RetrieverQueryEngine,
    RouterQueryEngine,
    SubQuestionQueryEngine,
    TransformQueryEngine,
)
from llama_index.core.question_gen.types import BaseQuestionGenerator, SubQuestion
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode
from llama_index.core.selectors import EmbeddingSingleSelector
from llama_index.core.tools import QueryEngineTool
from pydantic import BaseModel

from franq_guard import Action, ConfigError, InputError, ModelError, Policy
from franq_guard.outcome import WITHHELD
from llama_index_franq_guard import AnswerBlockedError, FranqQueryEngine, report_of

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


def test_a_doubtful_sentence_is_marked_and_a_supported_one_is_not():
    response = guarded().query(QUESTION)
    assert isinstance(response, Response)
    report = report_of(response)
    assert report.answer == ANSWER
    assert report.question == QUESTION
    assert [passage.id for passage in report.passages] == ["node-0"]
    assert [claim.action for claim in report.claims] == [Action.KEEP, Action.ANNOTATE]
    assert response.response == str(response) == report.text
    assert response.response.startswith("The Eiffel Tower is 330 metres tall. It was painted pink by dragons")
    assert response.response != ANSWER


async def test_the_awaited_answer_is_the_same():
    engine = guarded()
    response = await engine.aquery(QUESTION)
    assert isinstance(response, Response)
    assert response.response == engine.query(QUESTION).response


def test_the_metadata_keep_what_the_engine_put_there():
    response = guarded(engine_of(title="Paris")).query(QUESTION)
    assert response.metadata["node-0"] == {"title": "Paris"}
    assert response.metadata["franq_guard"]["schema"] == 1


def test_an_empty_retrieval_has_a_report_too():
    engine = finding_nothing(ScriptedLLM(ANSWER))
    assert engine.query(QUESTION).metadata is None
    response = guarded(engine).query(QUESTION)
    report = report_of(response)
    assert report.passages == ()
    assert report.answer == "Empty Response"


@pytest.mark.parametrize("text", [None, ""])
def test_no_text_stays_no_text(text):
    inner = FixedEngine(Response(text))
    response = guarded(inner).query(QUESTION)
    assert response.response == text
    assert report_of(response).claims == ()


def test_what_the_engine_holds_is_not_changed():
    raw = Response(ANSWER, source_nodes=[NodeWithScore(node=TextNode(text=EIFFEL))], metadata={"a": 1})
    response = guarded(FixedEngine(raw)).query(QUESTION)
    assert response is not raw
    assert (raw.response, raw.metadata) == (ANSWER, {"a": 1})
    assert response.source_nodes == raw.source_nodes


def test_the_evidence_is_what_the_model_saw():
    response = guarded(engine_of(title="Gustave Eiffel")).query(QUESTION)
    assert report_of(response).passages[0].text == f"title: Gustave Eiffel\n\n{EIFFEL}"
    bare = guarded(engine_of(title="Gustave Eiffel"), metadata_mode=MetadataMode.NONE).query(QUESTION)
    assert report_of(bare).passages[0].text == EIFFEL


def test_a_failing_check_follows_on_error():
    def engine(on_error):
        broken = make_guard(language_model=BrokenLM(RuntimeError("boom")), on_error=on_error)
        return FranqQueryEngine(engine_of(), broken)

    passed = engine("pass").query(QUESTION)
    assert passed.response == ANSWER
    assert "boom" in report_of(passed).error
    blocked = engine("block").query(QUESTION)
    assert blocked.response == WITHHELD
    assert report_of(blocked).blocked
    with pytest.raises(ModelError, match="boom"):
        engine("raise").query(QUESTION)


async def test_a_blocked_answer_can_raise():
    engine = guarded(policy=BLOCKING, on_blocked="raise")
    with pytest.raises(AnswerBlockedError, match="dragons") as caught:
        engine.query(QUESTION)
    assert [claim.action for claim in caught.value.claims] == [Action.BLOCK]
    assert caught.value.report.answer == ANSWER
    with pytest.raises(AnswerBlockedError, match="dragons"):
        await engine.aquery(QUESTION)
    fine = guarded(engine_of("The Eiffel Tower is 330 metres tall."), BLOCKING, on_blocked="raise")
    assert fine.query(QUESTION).response == "The Eiffel Tower is 330 metres tall."


class Facts(BaseModel):
    height: str
    colours: list[str]
    year: int


FACTS = Facts(
    height="The Eiffel Tower is 330 metres tall.", colours=["It was painted pink by dragons."], year=1889
)


@pytest.mark.parametrize(("policy", "kept"), [(MARKED, True), (BLOCKING, False), (WITHHOLDING, False)])
async def test_an_object_is_handed_on_whole_or_withheld(policy, kept):
    raw = PydanticResponse(FACTS, source_nodes=[NodeWithScore(node=TextNode(text=EIFFEL))])
    engine = guarded(FixedEngine(raw), policy)
    for response in (engine.query(QUESTION), await engine.aquery(QUESTION)):
        assert isinstance(response, PydanticResponse)
        assert response.response == (FACTS if kept else None)
        report = report_of(response)
        assert report.answer == "The Eiffel Tower is 330 metres tall.\n\nIt was painted pink by dragons."
        assert report.acted
    assert raw.response == FACTS


def test_an_object_that_is_none_is_defined():
    response = guarded(FixedEngine(PydanticResponse(None))).query(QUESTION)
    assert response.response is None
    assert report_of(response).answer == ""


def test_an_unknown_kind_of_response_is_refused():
    class Odd(FixedEngine):
        def synthesize(self, query_bundle, nodes, additional_source_nodes=None):
            return "just a text"

    with pytest.raises(InputError, match="not str"):
        guarded(Odd(None)).synthesize(QueryBundle(QUESTION), [])


@pytest.mark.parametrize("wrong", [None, "engine", make_index()])
def test_what_is_no_engine_is_refused(wrong):
    with pytest.raises(ConfigError, match="as_query_engine"):
        FranqQueryEngine(wrong, make_guard())


def test_wrong_settings_are_refused():
    with pytest.raises(ConfigError, match="Guard"):
        FranqQueryEngine(engine_of(), "guard")
    with pytest.raises(ConfigError, match="on_blocked"):
        FranqQueryEngine(engine_of(), make_guard(), on_blocked="ignore")


def test_retrieval_and_synthesis_can_be_called_apart():
    inner = engine_of()
    engine = guarded(inner)
    assert engine.query_engine is inner
    bundle = QueryBundle(QUESTION)
    nodes = engine.retrieve(bundle)
    assert nodes == inner.retrieve(bundle)
    response = engine.synthesize(bundle, nodes)
    assert response.response == engine.query(QUESTION).response
    extra = [NodeWithScore(node=TextNode(text="A pink dragon painted it.", id_="extra"))]
    assert [p.id for p in report_of(engine.synthesize(bundle, nodes, extra)).passages] == ["node-0", "extra"]


async def test_retrieval_and_synthesis_can_be_awaited_apart():
    engine = guarded()
    bundle = QueryBundle(QUESTION)
    nodes = await engine.aretrieve(bundle)
    response = await engine.asynthesize(bundle, nodes)
    assert response.response == (await engine.aquery(QUESTION)).response


async def test_engines_without_retrieval_say_so():
    engine = guarded(FixedEngine(Response("x")))
    with pytest.raises(NotImplementedError):
        engine.retrieve(QueryBundle(QUESTION))
    with pytest.raises(NotImplementedError, match="FixedEngine has no aretrieve"):
        await engine.aretrieve(QueryBundle(QUESTION))


def test_prompts_have_the_same_keys_and_can_be_changed():
    inner = engine_of()
    engine = guarded(inner)
    assert engine.get_prompts().keys() == inner.get_prompts().keys()
    template = PromptTemplate("Tell me: {query_str} {context_str}")
    engine.update_prompts({"response_synthesizer:text_qa_template": template})
    assert inner.get_prompts()["response_synthesizer:text_qa_template"] == template
    engine.query(QUESTION)
    assert inner._response_synthesizer._llm.prompts[-1].startswith("Tell me: ")


def test_a_wrapped_engine_can_be_wrapped_in_other_engines():
    engine = TransformQueryEngine(guarded(), query_transform=IdentityQueryTransform())
    assert report_of(engine.query(QUESTION)).answer == ANSWER


def test_a_router_is_guarded():
    tools = [
        QueryEngineTool.from_defaults(engine_of(), name="tower", description="about the Eiffel Tower"),
        QueryEngineTool.from_defaults(engine_of("Honey keeps."), name="honey", description="about bees"),
    ]
    router = RouterQueryEngine(
        selector=EmbeddingSingleSelector.from_defaults(embed_model=WordEmbedding()),
        query_engine_tools=tools,
        llm=ScriptedLLM("unused"),
    )
    response = guarded(router).query("How tall is the Eiffel Tower?")
    assert report_of(response).answer == ANSWER
    assert "selector_result" in response.metadata


def test_citations_are_guarded():
    engine = CitationQueryEngine.from_args(make_index(), llm=ScriptedLLM(ANSWER), similarity_top_k=1)
    report = report_of(guarded(engine).query(QUESTION))
    assert "Source 1:" in report.passages[0].text
    assert report.claims[0].p_faithful > 0.9


class OneSubQuestion(BaseQuestionGenerator):
    def generate(self, tools, query):
        return [SubQuestion(sub_question="How tall?", tool_name="tower")]

    async def agenerate(self, tools, query):
        return self.generate(tools, query)

    def _get_prompts(self):
        return {}

    def _update_prompts(self, prompts):
        pass


async def test_answers_to_sub_questions_are_no_evidence():
    llm = ScriptedLLM(ANSWER)
    engine = SubQuestionQueryEngine.from_defaults(
        query_engine_tools=[
            QueryEngineTool.from_defaults(engine_of(), name="tower", description="about the Eiffel Tower")
        ],
        question_gen=OneSubQuestion(),
        response_synthesizer=get_response_synthesizer(llm=llm),
        llm=llm,
        verbose=False,
        use_async=False,
    )
    for response in (guarded(engine).query(QUESTION), await guarded(engine).aquery(QUESTION)):
        assert any("dragons" in node.get_content() for node in response.source_nodes)
        report = report_of(response)
        assert [passage.text for passage in report.passages] == [EIFFEL]
        assert report.claims[1].action is Action.ANNOTATE


def test_a_custom_engine_is_guarded():
    class Custom(CustomQueryEngine):
        def custom_query(self, query_str):
            return Response(ANSWER, source_nodes=[NodeWithScore(node=TextNode(text=EIFFEL))])

    assert report_of(guarded(Custom()).query(QUESTION)).claims[1].action is Action.ANNOTATE


def test_a_text_from_a_custom_engine_is_guarded():
    class Custom(CustomQueryEngine):
        def custom_query(self, query_str):
            return ANSWER

    assert report_of(guarded(Custom()).query(QUESTION)).answer == ANSWER


def test_a_node_that_occurs_twice_counts_once():
    node = NodeWithScore(node=TextNode(text=EIFFEL, id_="same"), score=0.5)
    response = guarded(FixedEngine(Response(ANSWER, source_nodes=[node, node]))).query(QUESTION)
    [passage] = report_of(response).passages
    assert passage.metadata == {"score": 0.5}


def test_the_index_is_bit_identical_afterwards():
    index = make_index(title="Paris")
    before = copy.deepcopy(index.docstore.docs)
    engine = guarded(index.as_query_engine(llm=ScriptedLLM(ANSWER), similarity_top_k=2))
    engine.query(QUESTION)
    asyncio.run(engine.aquery(QUESTION))
    assert {key: node.model_dump() for key, node in index.docstore.docs.items()} == {
        key: node.model_dump() for key, node in before.items()
    }


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


async def test_a_hundred_queries_at_once_are_not_mixed_up():
    inner, questions = numbered(100)
    engine = guarded(inner)
    responses = await asyncio.gather(*(engine.aquery(question) for question in questions))
    for n, (question, response) in enumerate(zip(questions, responses, strict=True)):
        report = report_of(response)
        assert report.question == question
        assert [passage.text for passage in report.passages] == [
            f"Tower number{n} is {n + 1000} metres tall."
        ]
        assert report.answer == f"Tower number{n} is {n + 1000} metres tall. Dragons built tower number{n}."
        assert response.response == report.text
        assert [claim.action for claim in report.claims] == [Action.KEEP, Action.ANNOTATE]
    gc.collect()


@pytest.fixture
def streamed():
    return engine_of(streaming=True)


def test_a_stream_releases_what_was_scored(streamed):
    response = guarded(streamed).query(QUESTION)
    assert isinstance(response, StreamingResponse)
    assert "franq_guard" not in response.metadata
    assert report_of(response) is None
    pieces = list(response.response_gen)
    report = report_of(response)
    assert "".join(pieces) == report.text
    assert pieces[0].startswith("The Eiffel Tower is 330 metres tall.")
    assert "dragons" not in pieces[0]
    assert [claim.action for claim in report.claims] == [Action.KEEP, Action.ANNOTATE]
    assert response.source_nodes[0].node_id == "node-0"


async def test_an_awaited_stream_releases_what_was_scored(streamed):
    response = await guarded(streamed).aquery(QUESTION)
    assert isinstance(response, AsyncStreamingResponse)
    pieces = [piece async for piece in response.async_response_gen()]
    report = report_of(response)
    assert "".join(pieces) == report.text == response.response_txt
    assert "dragons" not in pieces[0]
    assert (await response.get_response()).response == report.text


def test_a_stream_can_be_read_as_a_whole(streamed, capsys):
    response = guarded(streamed).query(QUESTION)
    whole = response.get_response()
    assert whole.response == str(response) == report_of(response).text
    assert report_of(whole) == report_of(response)
    printed = guarded(streamed).query(QUESTION)
    printed.print_response_stream()
    assert capsys.readouterr().out == report_of(printed).text


def test_a_stream_that_was_read_already_is_guarded(streamed):
    raw = streamed.query(QUESTION)
    str(raw)
    response = guarded(FixedEngine(raw)).query(QUESTION)
    assert "".join(response.response_gen) == report_of(response).text
    assert report_of(response).answer == ANSWER


async def test_no_blocked_word_is_ever_streamed(streamed):
    engine = guarded(streamed, BLOCKING)
    pieces = list(engine.query(QUESTION).response_gen)
    awaited = [piece async for piece in (await engine.aquery(QUESTION)).async_response_gen()]
    for found in (pieces, awaited):
        assert "dragons" not in "".join(found)
        assert BLOCKING.sentence_message in "".join(found)


async def test_a_blocked_sentence_can_end_a_stream(streamed):
    engine = guarded(streamed, BLOCKING, on_blocked="raise")
    shown = []
    with pytest.raises(AnswerBlockedError, match="dragons"):
        shown.extend(engine.query(QUESTION).response_gen)
    response = await engine.aquery(QUESTION)
    with pytest.raises(AnswerBlockedError, match="dragons"):
        async for piece in response.async_response_gen():
            shown.append(piece)
    assert "dragons" not in "".join(shown)


def test_a_stream_of_nothing_is_defined():
    def nothing():
        yield from ()

    response = guarded(FixedEngine(StreamingResponse(nothing()))).query(QUESTION)
    assert list(response.response_gen) == []
    assert report_of(response).claims == ()


async def test_an_empty_retrieval_streams_its_message():
    inner = finding_nothing(ScriptedLLM(ANSWER), streaming=True)
    assert "".join(guarded(inner).query(QUESTION).response_gen) == "Empty Response"
    awaited = await guarded(inner).aquery(QUESTION)
    assert (await awaited.get_response()).response == "Empty Response"


def test_a_failing_stream_follows_on_error(streamed):
    def text(on_error):
        broken = make_guard(language_model=BrokenLM(RuntimeError("boom")), on_error=on_error)
        response = FranqQueryEngine(streamed, broken).query(QUESTION)
        return "".join(response.response_gen), report_of(response)

    passed, report = text("pass")
    assert "dragons" in passed
    assert report.error or any(claim.unchecked_reason for claim in report.claims)
    blocked, _ = text("block")
    assert "dragons" not in blocked
    with pytest.raises(ModelError, match="boom"):
        text("raise")


def test_a_model_that_breaks_off_is_not_hidden():
    def broken():
        yield "The Eiffel Tower is 330 metres tall. It"
        raise ConnectionError("lost")

    response = guarded(FixedEngine(StreamingResponse(broken()))).query(QUESTION)
    with pytest.raises(ConnectionError, match="lost"):
        list(response.response_gen)


def test_a_stream_may_be_abandoned(streamed):
    response = guarded(streamed).query(QUESTION)
    assert next(response.response_gen)
    response.response_gen.close()
    assert report_of(response) is None


async def test_a_hundred_streams_at_once_are_not_mixed_up():
    inner, questions = numbered(100)
    inner._response_synthesizer._streaming = True
    engine = guarded(inner)

    async def read(question):
        response = await engine.aquery(question)
        return [piece async for piece in response.async_response_gen()], report_of(response)

    results = await asyncio.gather(*(read(question) for question in questions))
    for n, (question, (pieces, report)) in enumerate(zip(questions, results, strict=True)):
        assert report.question == question
        assert "".join(pieces) == report.text
        assert report.answer == f"Tower number{n} is {n + 1000} metres tall. Dragons built tower number{n}."
        assert [passage.text for passage in report.passages] == [
            f"Tower number{n} is {n + 1000} metres tall."
        ]
