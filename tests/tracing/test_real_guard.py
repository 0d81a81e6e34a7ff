"""Real models inside a real chain: the check lies under the chain that it guards."""

import pytest
from langchain_core.runnables import RunnableLambda
from openinference.instrumentation.langchain import LangChainInstrumentor
from places import ListSink
from test_opentelemetry import Backend

from franq_guard import Guard

QUESTION = "How tall is the Eiffel Tower?"
PASSAGES = ["The Eiffel Tower is 330 metres tall. It was completed in 1889."]
ANSWER = "The Eiffel Tower is 330 metres tall. It was painted green by Picasso in 1950."


@pytest.fixture(scope="module")
def backend():
    return Backend()


@pytest.fixture(scope="module")
def sink():
    return ListSink()


@pytest.fixture(scope="module")
def guard(backend, sink):
    return Guard.from_preset(
        "mini",
        device="cpu",
        dtype="float32",
        on_error="raise",
        form="long",
        calibration="none",
        tracing=[backend.sink(), sink],
    )


async def test_the_check_lies_under_the_chain_that_it_guards(guard, backend, sink):
    instrumentor = LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=backend.tracers)
    try:

        def sync(_):
            return guard.check(QUESTION, PASSAGES, ANSWER)

        async def awaited(_):
            return await guard.acheck(QUESTION, PASSAGES, ANSWER)

        chain = RunnableLambda(sync, awaited, name="guarded")
        reports = [chain.invoke(""), await chain.ainvoke("")]
        assert guard.tracing.flush()
    finally:
        instrumentor.uninstrument()
    chains = {span.context.span_id for span in backend.spans if span.name == "guarded"}
    checks = [span for span in backend.spans if span.name == "franq_guard.check"]
    assert {span.parent.span_id for span in checks} == chains
    assert len(chains) == len(checks) == 2
    assert [record.p_true for record in sink.records] == [report.p_true for report in reports]
    assert len({record.correlation.run_id for record in sink.records} - {None}) == 2
    true, invented = sink.records[0].claims
    assert true.p_true > invented.p_true
    assert set(checks[0].attributes) >= {f"franq_guard.timings.{stage}" for stage in reports[0].timings}
