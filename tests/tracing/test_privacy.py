"""By default no word of question, passages or answer leaves, whatever the sink."""

import json
import logging

import httpx
import mlflow
import pytest
from fakes import make_guard
from langsmith import Client as LangSmithClient
from phoenix.client import Client as PhoenixClient
from places import ANSWER, PASSAGES, QUESTION, SPAN, TRACE, WORDS, FailingLM
from test_langfuse import Server
from test_langsmith import RUN, Session
from test_opentelemetry import Backend

from franq_guard.tracing import (
    Correlation,
    JsonlSink,
    LangfuseSink,
    LangSmithSink,
    MLflowSink,
    OpenTelemetrySink,
    PhoenixSink,
    Tracing,
)

PLACE = Correlation(trace_id=TRACE, span_id=SPAN, run_id=RUN, mlflow_trace_id="tr-1", session_id="chat-1")


class Everything:
    """All sinks at once, and all that they sent, as text."""

    def __init__(self, folder, monkeypatch, **options):
        self.folder = folder
        self.requests = []
        self.assessments = []
        self.backend = Backend()
        self.langfuse = Server(f"pk-privacy-{len(options)}")
        self.session = Session()
        monkeypatch.setattr(mlflow, "log_feedback", lambda **given: self.assessments.append(given))
        http = httpx.Client(base_url="http://phoenix.invalid", transport=httpx.MockTransport(self._answer))
        langsmith = LangSmithClient(
            api_url="http://127.0.0.1:9", api_key="key", session=self.session, auto_batch_tracing=False
        )
        self.sinks = [
            self.backend.sink(**options),
            LangSmithSink(client=langsmith, project="default", **options),
            LangfuseSink(client=self.langfuse.client, **options),
            MLflowSink(**options),
            PhoenixSink(client=PhoenixClient(http_client=http), **options),
            JsonlSink(folder / "claims.jsonl", **options),
            JsonlSink(folder / "answers.jsonl", lines="answers", **options),
        ]

    def _answer(self, request):
        self.requests.append(request.content.decode())
        return httpx.Response(200, json={"data": []})

    def sent(self):
        return {
            "spans": "".join(span.to_json() for span in self.backend.spans),
            "events": "".join(str(dict(event.attributes)) for event in self.backend.events),
            "metrics": str(self.backend.metrics),
            "langsmith": json.dumps(self.session.feedback),
            "langfuse": json.dumps(self.langfuse.scores),
            "mlflow": str(
                [
                    {
                        name: value if name not in ("source", "error") else vars(value)
                        for name, value in one.items()
                        if value is not None
                    }
                    for one in self.assessments
                ]
            ),
            "phoenix": "".join(self.requests),
            "claims": (self.folder / "claims.jsonl").read_text(),
            "answers": (self.folder / "answers.jsonl").read_text(),
        }


@pytest.fixture
def everything(tmp_path, monkeypatch):
    made = []

    def make(**options):
        made.append(Everything(tmp_path, monkeypatch, **options))
        return made[-1]

    yield make
    for one in made:
        one.langfuse.client.shutdown()


def run(everything):
    for settings in (
        {},
        {"language_model": FailingLM()},
        {"form": "short"},
        {"on_error": "block", "timeout": 1e-9},
    ):
        guard = make_guard(tracing=everything.sinks, **settings)
        guard.check(QUESTION, PASSAGES, ANSWER, correlation=PLACE)
        assert guard.tracing.flush()
    stats = Tracing(everything.sinks).stats()
    assert [(one.emitted, one.failed) for one in stats] == [(4, 0)] * len(stats)
    return {place: text.lower() for place, text in everything.sent().items()}


def test_no_word_leaves_by_default(everything, caplog):
    sent = run(everything())
    for place, text in sent.items():
        assert text, place
        assert [word for word in WORDS if word in text] == [], place
        assert "trac" in text or "franq_guard" in text, place
    logged = [record.getMessage() for record in caplog.records if "tracing" in record.name]
    assert logged == []


def test_the_scan_finds_words_where_content_was_asked_for(everything):
    sent = run(everything(capture_content=True))
    without = {place for place, text in sent.items() if not any(word in text for word in WORDS)}
    assert without == {"metrics"}


def test_no_word_leaves_through_a_mask(everything):
    sent = run(everything(capture_content=True, mask=lambda text: "*" * len(text)))
    for place, text in sent.items():
        assert [word for word in WORDS if word in text] == [], place


def test_a_broken_sink_says_no_word_in_the_log(caplog):
    class Broken(OpenTelemetrySink):
        def emit(self, record):
            raise OSError(f"cannot send {record}")

    guard = make_guard(tracing=[Broken()])
    with caplog.at_level(logging.DEBUG):
        guard.check(QUESTION, PASSAGES, ANSWER, correlation=PLACE)
        assert guard.tracing.flush()
    assert "cannot send Record(" in caplog.text
    assert [word for word in WORDS if word in caplog.text.lower()] == []
