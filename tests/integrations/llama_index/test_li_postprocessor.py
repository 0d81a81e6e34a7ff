"""FranqNodePostprocessor inside real engines."""

import copy

import numpy as np
import pytest
from fakes import WordAligner, make_guard
from li_models import EIFFEL, HONEY, QUESTION, ScriptedLLM, make_index
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import ImageNode, MetadataMode, NodeWithScore, QueryBundle, TextNode
from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.event_handlers import BaseEventHandler

from franq_guard import ConfigError, ModelError
from franq_guard.retrieval import Screening
from llama_index_franq_guard import EvidenceEvent, FranqNodePostprocessor

TALLER = "The Eiffel Tower is 400 metres tall."


class YearAligner(WordAligner):
    """Different numbers contradict each other."""

    def score(self, pairs):
        rows = [
            [0, 0, 1] if ("330" in a) != ("330" in b) and ("400" in a) != ("400" in b) else [1, 0, 0]
            for a, b in pairs
        ]
        return np.asarray(rows, dtype=float).reshape(-1, 3)


class FailingAligner(WordAligner):
    def score(self, pairs):
        raise RuntimeError("boom")


def scored(*texts):
    return [
        NodeWithScore(node=TextNode(text=text, id_=f"n{at}", metadata={"title": "Paris"}), score=1 - at / 10)
        for at, text in enumerate(texts)
    ]


def screen(nodes, query=QUESTION, *, aligner=None, on_error="raise", **options):
    guard = make_guard(alignment_model=aligner or YearAligner(), on_error=on_error)
    return FranqNodePostprocessor(guard, **options).postprocess_nodes(
        nodes, query_bundle=None if query is None else QueryBundle(query)
    )


def findings(nodes):
    return [node.metadata["franq_guard"] for node in nodes]


@pytest.fixture
def events():
    found = []

    class Collector(BaseEventHandler):
        def handle(self, event, **kwargs):
            if isinstance(event, EvidenceEvent):
                found.append(event)

    collector, dispatcher = Collector(), get_dispatcher()
    dispatcher.add_event_handler(collector)
    yield found
    dispatcher.event_handlers = [handler for handler in dispatcher.event_handlers if handler is not collector]


def test_it_is_a_node_postprocessor():
    assert BaseNodePostprocessor in FranqNodePostprocessor.__mro__
    assert FranqNodePostprocessor.class_name() == "FranqNodePostprocessor"


def test_copies_are_annotated_and_originals_are_not():
    nodes = scored(EIFFEL, TALLER, HONEY, " ", EIFFEL)
    before = copy.deepcopy(nodes)
    found = screen(nodes)
    assert nodes == before
    assert [node.node.model_dump() for node in nodes] == [node.node.model_dump() for node in before]
    assert [finding["problems"] for finding in findings(found)] == [
        ["conflicting"],
        ["conflicting"],
        ["irrelevant"],
        ["empty"],
        ["duplicate", "conflicting"],
    ]
    assert [node.score for node in found] == [node.score for node in nodes]
    assert [node.node_id for node in found] == [node.node_id for node in nodes]
    assert findings(found)[4]["duplicate_of"] == 0


def test_the_model_and_embeddings_do_not_see_the_annotation():
    [node] = screen(scored(EIFFEL))
    assert "franq_guard" in node.node.get_content(MetadataMode.ALL)
    for mode in (MetadataMode.LLM, MetadataMode.EMBED):
        assert node.node.get_content(mode) == scored(EIFFEL)[0].node.get_content(mode)


def test_screening_twice_is_no_harm():
    once = screen(scored(EIFFEL, TALLER))
    twice = screen(once)
    assert findings(twice) == findings(once)
    assert twice[0].node.excluded_llm_metadata_keys == ["franq_guard"]


def test_problems_can_be_dropped(events):
    nodes = scored(EIFFEL, HONEY, " ", EIFFEL)
    assert screen(nodes, drop=["empty", "duplicate"])[1].get_content() == HONEY
    assert events[-1].dropped == ["n2", "n3"]
    assert [node.node_id for node in events[-1].nodes] == ["n0", "n1"]
    assert [n.node_id for n in screen(nodes, drop="irrelevant")] == ["n0", "n2", "n3"]
    assert screen(scored(EIFFEL, TALLER), drop=("conflicting",)) == []


def test_settings_are_passed_on():
    assert findings(screen(scored(EIFFEL, TALLER), screening=Screening(conflicts=False))) == [
        {
            "index": at,
            "problems": [],
            "duplicate_of": None,
            "conflicts_with": [],
            "relevance": relevance,
            "notes": [],
        }
        for at, relevance in enumerate([1.0, 0.75])
    ]


def test_no_query_and_no_nodes_are_defined():
    assert screen([]) == []
    assert findings(screen(scored(HONEY), query=None))[0]["relevance"] is None


def test_pictures_are_not_called_empty():
    picture = NodeWithScore(node=ImageNode(image="aGVsbG8=", id_="picture"))
    found = screen([picture, *scored("")], drop=["empty", "irrelevant"])
    assert [node.node_id for node in found] == ["picture"]
    assert findings(found)[0]["problems"] == []
    assert found[0].node.image == "aGVsbG8="


def test_a_failing_model_follows_on_error():
    found = screen(scored(EIFFEL, TALLER), aligner=FailingAligner(), on_error="block")
    assert all("boom" in finding["notes"][0] for finding in findings(found))
    with pytest.raises(ModelError, match="boom"):
        screen(scored(EIFFEL, TALLER), aligner=FailingAligner())


@pytest.mark.parametrize(
    ("options", "named"),
    [({"drop": ["blank"]}, "blank"), ({"drop": 3}, "problems"), ({"screening": {}}, "Screening")],
)
def test_wrong_settings_are_refused(options, named):
    with pytest.raises(ConfigError, match=named):
        FranqNodePostprocessor(make_guard(), **options)
    with pytest.raises(ConfigError, match="Guard"):
        FranqNodePostprocessor("guard")


async def test_engines_answer_from_what_is_left(events):
    index = make_index((EIFFEL, EIFFEL, HONEY), title="Paris")
    before = {key: node.model_dump() for key, node in index.docstore.docs.items()}
    llm = ScriptedLLM("Fine.")
    engine = index.as_query_engine(
        llm=llm,
        similarity_top_k=3,
        node_postprocessors=[FranqNodePostprocessor(make_guard(), drop=["duplicate", "irrelevant"])],
    )
    for response in (engine.query(QUESTION), await engine.aquery(QUESTION)):
        assert len(response.source_nodes) == 1
        assert llm.prompts[-1].count(EIFFEL) == 1
        assert HONEY not in llm.prompts[-1]
        assert "franq_guard" not in llm.prompts[-1]
    assert [event.query for event in events] == [QUESTION, QUESTION]
    assert {key: node.model_dump() for key, node in index.docstore.docs.items()} == before


def test_a_chat_engine_takes_it():
    llm = ScriptedLLM("Fine.")
    chat = make_index((EIFFEL, EIFFEL)).as_chat_engine(
        chat_mode="context",
        llm=llm,
        memory=ChatMemoryBuffer.from_defaults(token_limit=1000),
        node_postprocessors=[FranqNodePostprocessor(make_guard(), drop=["duplicate"])],
    )
    assert len(chat.chat(QUESTION).source_nodes) == 1
