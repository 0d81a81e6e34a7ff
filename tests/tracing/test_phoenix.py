"""Annotations from the real client: to a replaced transport, and to a real server if there is one."""

import json
import os
import socket
import subprocess
import time

import httpx
import pytest
from fakes import make_guard
from phoenix.client import Client
from places import ANSWER, MODEL_SPAN, PASSAGES, QUESTION, SPAN, TRACE, FailingLM, check

from franq_guard.tracing import Correlation, OpenTelemetrySink, PhoenixSink

PLACE = Correlation(trace_id=TRACE, span_id=SPAN)


@pytest.fixture
def sent():
    return []


@pytest.fixture
def client(sent):
    def answer(request):
        assert (request.method, request.url.path) == ("POST", "/v1/span_annotations")
        sent.append(json.loads(request.content)["data"])
        return httpx.Response(200, json={"data": []})

    transport = httpx.MockTransport(answer)
    return Client(http_client=httpx.Client(base_url="http://phoenix.invalid", transport=transport))


def test_annotations_on_the_span(client, sent):
    report = check(PhoenixSink(client=client), correlation=PLACE)
    [annotations] = sent
    assert {(one["span_id"], one["annotator_kind"]) for one in annotations} == {(SPAN, "CODE")}
    assert [(one["name"], one["result"]["label"], one["result"]["score"]) for one in annotations] == [
        ("franq_guard.p_true", "block", report.p_true),
        ("franq_guard.claim.p_true", "supported", report.claims[1].p_true),
        ("franq_guard.claim.p_true", "not_mentioned", report.claims[2].p_true),
    ]
    assert len({one["identifier"] for one in annotations}) == 3
    assert annotations[2]["result"]["explanation"].startswith("claim 2 (characters 55-86): not_mentioned")
    assert annotations[2]["metadata"]["characters"] == "55-86"


def test_the_models_span_comes_first_and_no_span_is_counted(client, sent):
    sink = PhoenixSink(client=client, claims=False)
    check(sink, correlation=Correlation(trace_id=TRACE, span_id=SPAN, model_span_id=MODEL_SPAN))
    check(sink, correlation=Correlation(trace_id=TRACE, span_id=SPAN, sampled=False))
    assert [[one["span_id"] for one in annotations] for annotations in sent] == [[MODEL_SPAN]]
    guard = make_guard(tracing=[sink])
    guard.check(QUESTION, PASSAGES, ANSWER)
    assert guard.tracing.flush()
    assert guard.tracing.stats()[0].uncorrelated == 1


def test_a_failed_check(client, sent):
    check(PhoenixSink(client=client), correlation=PLACE, language_model=FailingLM())
    answer, *claims = sent[0]
    assert "score" not in answer["result"]
    assert answer["metadata"]["error.type"] == "RuntimeError"
    assert [(one["name"], one["result"]["label"]) for one in claims] == [
        ("franq_guard.claim.verdict", "unchecked")
    ] * 2


def _free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture
def server(tmp_path, socket_enabled):
    executable = os.environ.get("FRANQ_GUARD_PHOENIX")
    if not executable:
        pytest.skip(
            "set FRANQ_GUARD_PHOENIX to the `phoenix` executable of an environment with arize-phoenix"
        )
    port = _free_port()
    process = subprocess.Popen(
        [executable, "serve"],
        env=os.environ
        | {
            "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_PORT": str(port),
            "PHOENIX_GRPC_PORT": str(_free_port()),
            "PHOENIX_WORKING_DIR": str(tmp_path),
            "PHOENIX_TELEMETRY_ENABLED": "false",
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                if httpx.get(f"{url}/healthz").is_success:
                    break
            except httpx.TransportError:
                assert process.poll() is None, "Phoenix ended"
            time.sleep(1)
        else:
            pytest.fail("Phoenix did not start")
        yield url
    finally:
        process.terminate()
        process.wait(30)


@pytest.mark.slow
def test_a_real_server_shows_the_span_and_keeps_the_annotations(server):
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    provider = TracerProvider(resource=Resource({"openinference.project.name": "tests"}))
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{server}/v1/traces")))
    client = Client(base_url=server)
    guard = make_guard(tracing=[PhoenixSink(client=client), OpenTelemetrySink(tracer_provider=provider)])
    tracer = provider.get_tracer("app")
    with tracer.start_as_current_span("rag", attributes={"openinference.span.kind": "CHAIN"}) as chain:
        report = guard.check(QUESTION, PASSAGES, ANSWER)
        # Annotations are sent before their span has ended.
        assert guard.tracing.flush(30)
    assert [stats.emitted for stats in guard.tracing.stats()] == [1, 1]

    chain_id = f"{chain.get_span_context().span_id:016x}"

    def read():
        spans = client.spans.get_spans(project_identifier="tests")
        annotations = client.spans.get_span_annotations(span_ids=[chain_id], project_identifier="tests")
        return spans, annotations

    for _ in range(60):
        try:
            spans, annotations = read()
        except httpx.HTTPStatusError:  # the project is made with its first span
            spans, annotations = [], []
        if len(spans) == 2 and len(annotations) == 3:
            break
        time.sleep(1)
    assert {span["name"]: span["span_kind"] for span in spans} == {
        "rag": "CHAIN",
        "franq_guard.check": "GUARDRAIL",
    }
    found = {(one["name"], one["result"]["label"]): one["result"]["score"] for one in annotations}
    assert found == {
        ("franq_guard.p_true", "block"): report.p_true,
        ("franq_guard.claim.p_true", "supported"): report.claims[1].p_true,
        ("franq_guard.claim.p_true", "not_mentioned"): report.claims[2].p_true,
    }
