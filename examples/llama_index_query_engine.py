"""A guarded query engine over an in-memory index, on the embedded models.

The language model of LlamaIndex and the guard share one copy of the weights.
"""

from llama_index_franq_guard import FranqNodePostprocessor, FranqQueryEngine, report_of
from llama_index_franq_guard.demo import demo_guard, demo_index, demo_llm


def main() -> None:
    llm = demo_llm()
    guard = demo_guard(llm)
    engine = FranqQueryEngine(
        demo_index().as_query_engine(
            llm=llm,
            similarity_top_k=2,
            node_postprocessors=[FranqNodePostprocessor(guard, drop=["empty", "duplicate"])],
        ),
        guard,
    )
    response = engine.query("When was the Eiffel Tower completed?")
    print(response)
    report = report_of(response)
    for claim in report.claims if report else ():
        print(claim.p_true, claim.verdict, claim.action, claim.source_text)


if __name__ == "__main__":
    main()
