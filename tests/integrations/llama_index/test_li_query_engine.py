"""FranqQueryEngine over real engines; models that need no weights."""

import asyncio
import copy
import gc

import pytest
from fakes import BrokenLM, make_guard
from li_engines import ANSWER, BLOCKING, MARKED, WITHHOLDING, FixedEngine, engine_of, guarded, numbered
from li_models import (
    EIFFEL,
    QUESTION,
    ScriptedLLM,
    finding_nothing,
    make_index,
)
from llama_index.core.base.response.schema import (
    PydanticResponse,
    Response,
)
from llama_index.core.prompts import PromptTemplate
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode
from pydantic import BaseModel

from franq_guard import Action, ConfigError, InputError, ModelError
from franq_guard.outcome import WITHHELD
from llama_index_franq_guard import AnswerBlockedError, FranqQueryEngine, report_of


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
