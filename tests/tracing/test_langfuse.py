"""Scores from the real client, whose transport is replaced."""

import json
import logging

import httpx
import pytest
from fakes import make_guard
from langfuse import Langfuse
from langfuse.api import CreateScoreRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from places import ANSWER, MODEL_SPAN, PASSAGES, QUESTION, SPAN, TRACE, FailingLM, check

from franq_guard.tracing import Correlation, LangfuseSink

PLACE = Correlation(trace_id=TRACE, span_id=SPAN)


class Server:
    """A client whose requests come here."""

    def __init__(self, key):
        self.scores = []
        self.client = Langfuse(
            public_key=key,
            secret_key="secret",
            base_url="http://langfuse.invalid",
            httpx_client=httpx.Client(transport=httpx.MockTransport(self._answer)),
            span_exporter=InMemorySpanExporter(),
            tracer_provider=TracerProvider(),
        )

    def _answer(self, request):
        assert (request.method, request.url.path) == ("POST", "/api/public/scores")
        batch = json.loads(request.content)
        self.scores += batch if isinstance(batch, list) else [batch]
        return httpx.Response(207, json={"successes": [], "errors": []})


@pytest.fixture(scope="module")
def shared():
    server = Server("pk-tests")
    yield server
    server.client.shutdown()


@pytest.fixture
def server(shared):
    shared.scores.clear()
    return shared


def test_scores_on_the_trace_and_the_observation(server):
    report = check(LangfuseSink(client=server.client), correlation=PLACE)
    assert {(one["traceId"], one["observationId"]) for one in server.scores} == {(TRACE, SPAN)}
    assert [(one["name"], one["value"], one["dataType"]) for one in server.scores] == [
        ("franq_guard.p_true", report.p_true, "NUMERIC"),
        ("franq_guard.decision", "block", "CATEGORICAL"),
        ("franq_guard.claim.p_true", report.claims[1].p_true, "NUMERIC"),
        ("franq_guard.claim.p_true", report.claims[2].p_true, "NUMERIC"),
    ]
    claim = server.scores[3]
    assert claim["comment"].startswith("claim 2 (characters 55-86): not_mentioned, block")
    assert claim["metadata"]["characters"] == "55-86"
    for one in server.scores:
        CreateScoreRequest.model_validate(one)


def test_the_same_check_gives_the_same_ids(server):
    sink = LangfuseSink(client=server.client)
    check(sink, correlation=PLACE)
    check(sink, correlation=PLACE)
    ids = [one["id"] for one in server.scores]
    assert ids[:4] == ids[4:]
    assert len(set(ids)) == 4


def test_the_span_of_the_current_observation(server):
    with server.client.start_as_current_observation(name="rag", as_type="chain") as observation:
        check(LangfuseSink(client=server.client, claims=False))
    assert {(one["traceId"], one["observationId"]) for one in server.scores} == {
        (observation.trace_id, observation.id)
    }
    assert len(server.scores) == 2


def test_the_models_observation_a_session_and_nothing(server):
    sink = LangfuseSink(client=server.client)
    check(sink, correlation=Correlation(trace_id=TRACE, span_id=SPAN, model_span_id=MODEL_SPAN))
    check(sink, correlation=Correlation(session_id="chat-1"))
    check(sink, correlation=Correlation(trace_id=TRACE, span_id=SPAN, sampled=False))
    assert {
        (one.get("traceId"), one.get("observationId"), one.get("sessionId")) for one in server.scores
    } == {
        (TRACE, MODEL_SPAN, None),
        (None, None, "chat-1"),
    }
    guard = make_guard(tracing=[sink])
    guard.check(QUESTION, PASSAGES, ANSWER)
    assert guard.tracing.flush()
    assert guard.tracing.stats()[0].uncorrelated == 1


def test_a_failed_check(server):
    check(LangfuseSink(client=server.client), correlation=PLACE, language_model=FailingLM())
    assert [(one["name"], one["value"]) for one in server.scores] == [
        ("franq_guard.decision", "keep"),
        ("franq_guard.claim.verdict", "unchecked"),
        ("franq_guard.claim.verdict", "unchecked"),
    ]
    assert {one["metadata"]["error.type"] for one in server.scores} == {"RuntimeError"}


def test_the_applications_client_is_found(server):
    check(LangfuseSink(public_key="pk-tests"), correlation=PLACE)
    assert len(server.scores) == 4


def test_a_client_that_is_switched_off_is_a_failure(server, caplog):
    with caplog.at_level(logging.ERROR, logger="langfuse"):
        guard = make_guard(tracing=[LangfuseSink(public_key="pk-other")])
        guard.check(QUESTION, PASSAGES, ANSWER, correlation=PLACE)
        assert guard.tracing.flush()
    assert guard.tracing.stats()[0].failed == 1
