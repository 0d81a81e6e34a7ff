"""FranqQueryEngine over LlamaIndex's other kinds of engines."""

from li_engines import ANSWER, engine_of, guarded
from li_models import (
    EIFFEL,
    QUESTION,
    ScriptedLLM,
    WordEmbedding,
    make_index,
)
from llama_index.core import get_response_synthesizer
from llama_index.core.base.response.schema import (
    Response,
)
from llama_index.core.indices.query.query_transform.base import IdentityQueryTransform
from llama_index.core.query_engine import (
    CitationQueryEngine,
    CustomQueryEngine,
    RouterQueryEngine,
    SubQuestionQueryEngine,
    TransformQueryEngine,
)
from llama_index.core.question_gen.types import BaseQuestionGenerator, SubQuestion
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.selectors import EmbeddingSingleSelector
from llama_index.core.tools import QueryEngineTool

from franq_guard import Action
from llama_index_franq_guard import report_of


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
