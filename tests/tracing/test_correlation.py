"""Which runs and spans an answer belongs to."""

import subprocess
import sys
import uuid

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from places import SPAN, TRACE

from franq_guard.errors import InputError
from franq_guard.tracing import Correlation
from franq_guard.tracing.correlation import as_correlation

TRACER = TracerProvider().get_tracer("tests")


def ids(span):
    context = span.get_span_context()
    return f"{context.trace_id:032x}", f"{context.span_id:016x}"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"run_id": uuid.uuid4()}, r"run_id: expected a text or None, not UUID.*write str\(\.\.\.\)"),
        ({"session_id": ""}, "session_id"),
        ({"trace_id": "abc"}, "trace_id: 'abc' will not do; write 32 lower-case hexadecimal"),
        ({"trace_id": TRACE.upper()}, "lower-case"),
        ({"span_id": "0" * 16}, "not all zero"),
        ({"span_id": 17}, "span_id"),
        ({"model_span_id": TRACE}, "write 16"),
    ],
)
def test_bad_ids_are_refused(fields, message):
    with pytest.raises(InputError, match=message):
        Correlation(**fields)


def test_mappings_will_do():
    assert as_correlation(None) is None
    assert as_correlation({"trace_id": TRACE, "span_id": SPAN}) == Correlation(trace_id=TRACE, span_id=SPAN)
    with pytest.raises(InputError, match="no field tracer; the fields are run_id"):
        as_correlation({"tracer": TRACE})
    with pytest.raises(InputError, match="expected a Correlation or a mapping, not str"):
        as_correlation(TRACE)


def test_the_models_span_is_what_is_evaluated_if_it_is_known():
    assert Correlation().evaluated_span_id is None
    assert Correlation(span_id=SPAN).evaluated_span_id == SPAN
    assert Correlation(span_id=SPAN, model_span_id="f" * 16).evaluated_span_id == "f" * 16


def test_nothing_is_current_outside_of_everything():
    assert Correlation.current() == Correlation()


def test_the_current_span_of_opentelemetry():
    with TRACER.start_as_current_span("request") as span:
        found = Correlation.current()
    assert (found.trace_id, found.span_id, found.sampled) == (*ids(span), True)
    context = trace.SpanContext(1, 2, is_remote=True, trace_flags=trace.TraceFlags(0))
    with trace.use_span(trace.NonRecordingSpan(context)):
        assert not Correlation.current().sampled


def test_the_current_run_of_langchain():
    from langchain_core.runnables import RunnableLambda

    root = uuid.uuid4()
    found = RunnableLambda(lambda _: Correlation.current()).invoke("", config={"run_id": root})
    assert found.run_id == str(root)


def test_the_current_run_of_langsmith():
    from langsmith import RunTree
    from langsmith.run_helpers import tracing_context

    root = RunTree(name="root", client=None, ls_client=object())
    child = root.create_child(name="child")
    with tracing_context(parent=child, enabled=False):
        found = Correlation.current()
    assert (found.run_id, found.root_run_id) == (str(child.id), str(root.id))


def test_the_span_of_openinference_inside_a_runnable():
    from langchain_core.runnables import RunnableLambda
    from openinference.instrumentation.langchain import LangChainInstrumentor, get_current_span

    instrumentor = LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=TracerProvider())
    try:
        with TRACER.start_as_current_span("request"):
            found, span = RunnableLambda(lambda _: (Correlation.current(), get_current_span())).invoke("")
    finally:
        instrumentor.uninstrument()
    assert (found.trace_id, found.span_id) == ids(span)


def test_a_library_in_trouble_costs_nothing(monkeypatch):
    def fail():
        raise RuntimeError("no context")

    with TRACER.start_as_current_span("request"):
        monkeypatch.setattr(trace, "get_current_span", fail)
        assert Correlation.current() == Correlation()


def test_nothing_is_imported_to_look():
    code = (
        "import sys; sys.path.insert(0, 'tests'); from fakes import make_guard\n"
        "from franq_guard.tracing import BaseSink, Correlation\n"
        "class Quiet(BaseSink):\n    def emit(self, record): pass\n"
        "make_guard(tracing=[Quiet()]).check('q', ['p'], 'The tower is tall.')\n"
        "assert Correlation.current() == Correlation()\n"
        "assert not {'opentelemetry', 'mlflow', 'langsmith', 'langchain_core', 'langfuse'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
