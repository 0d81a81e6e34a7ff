"""Spans, events and metrics, read back from exporters in memory."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from places import ANSWER, MODEL_SPAN, PASSAGES, QUESTION, SPAN, TRACE, FailingLM, check

from franq_guard.tracing import Correlation, OpenTelemetrySink

PLACE = Correlation(trace_id=TRACE, span_id=SPAN, session_id="chat-1", response_id="resp-9")


class Backend:
    """Everything a sink wrote."""

    def __init__(self):
        self.exporter = InMemorySpanExporter()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.log_exporter = InMemoryLogRecordExporter()
        self.loggers = LoggerProvider()
        self.loggers.add_log_record_processor(SimpleLogRecordProcessor(self.log_exporter))
        self.reader = InMemoryMetricReader()
        self.meters = MeterProvider(metric_readers=[self.reader])

    def sink(self, **options):
        return OpenTelemetrySink(
            tracer_provider=self.tracers, logger_provider=self.loggers, meter_provider=self.meters, **options
        )

    @property
    def spans(self):
        return self.exporter.get_finished_spans()

    @property
    def events(self):
        return [found.log_record for found in self.log_exporter.get_finished_logs()]

    @property
    def metrics(self):
        data = self.reader.get_metrics_data()
        if data is None:
            return {}
        [scope] = data.resource_metrics[0].scope_metrics
        return {metric.name: metric for metric in scope.metrics}


@pytest.fixture
def backend():
    return Backend()


def test_the_span_of_a_check(backend):
    report = check(backend.sink(), correlation=PLACE)
    [span] = backend.spans
    assert (span.name, span.kind, span.instrumentation_scope.name) == (
        "franq_guard.check",
        trace.SpanKind.INTERNAL,
        "franq_guard",
    )
    assert f"{span.context.trace_id:032x}" == TRACE
    assert f"{span.parent.span_id:016x}" == SPAN
    assert span.end_time - span.start_time == int(report.timings["total"] * 1e9)
    assert span.status.status_code is trace.StatusCode.OK
    attributes = dict(span.attributes)
    claim = report.claims[1]
    expected = {
        "openinference.span.kind": "GUARDRAIL",
        "session.id": "chat-1",
        "gen_ai.response.id": "resp-9",
        "franq_guard.p_true": report.p_true,
        "franq_guard.decision": "block",
        "franq_guard.blocked": False,
        "franq_guard.form": "long",
        "franq_guard.calibration": "none",
        "franq_guard.samples": 0,
        "franq_guard.language_model": "words",
        "franq_guard.alignment_model": report.models["alignment_model"],
        "franq_guard.splitter": report.models["splitter"],
        "franq_guard.claims.total": 3,
        "franq_guard.claims.scored": 2,
        "franq_guard.claims.unchecked": 0,
        "franq_guard.coverage.total": report.coverage.total,
        "franq_guard.coverage.scored": report.coverage.scored,
        "franq_guard.coverage.not_checkworthy": report.coverage.not_checkworthy,
        "franq_guard.coverage.unchecked": 0,
        "franq_guard.question.length": len(QUESTION),
        "franq_guard.answer.length": len(ANSWER),
        "franq_guard.text.length": len(report.text),
        "franq_guard.passages.count": 2,
        "franq_guard.passages.length": tuple(len(passage["text"]) for passage in PASSAGES),
        "evaluations.0.evaluation.name": "franq_guard.p_true",
        "evaluations.0.evaluation.score": report.p_true,
        "evaluations.0.evaluation.label": "block",
        "evaluations.0.evaluation.annotator_kind": "CODE",
        "evaluations.0.evaluation.explanation": "3 claims (2 keep, 1 block); 2 scored, 0 unchecked",
        "evaluations.2.evaluation.name": "franq_guard.claim.p_true",
        "evaluations.2.evaluation.score": claim.p_true,
        "evaluations.2.evaluation.label": "supported",
        "evaluations.2.evaluation.annotator_kind": "CODE",
    }
    expected["evaluations.0.evaluation.explanation"] = attributes["evaluations.0.evaluation.explanation"]
    assert {name: attributes.get(name) for name in expected} == expected
    timings = {f"franq_guard.timings.{stage}": seconds for stage, seconds in report.timings.items()}
    assert timings.items() <= attributes.items()
    explained = {
        name
        for index in range(4)
        for name in attributes
        if name in (f"evaluations.{index}.evaluation.{key}" for key in ("explanation", "identifier"))
    }
    others = set(attributes) - set(expected) - set(timings) - explained
    assert others == {
        "franq_guard.answer_id",
        "franq_guard.question_id",
        "franq_guard.passages.sha256",
        *(
            f"evaluations.{index}.evaluation.{key}"
            for index in (1, 3)
            for key in ("name", "label", "annotator_kind")
        ),
        "evaluations.3.evaluation.score",
    }


def test_the_events_of_an_answer_and_its_claims(backend):
    report = check(backend.sink(), correlation=PLACE)
    answer, greeting, supported, invented = backend.events
    assert {event.event_name for event in backend.events} == {"gen_ai.evaluation.result"}
    assert {f"{event.span_id:016x}" for event in backend.events} == {SPAN}
    assert {f"{event.trace_id:032x}" for event in backend.events} == {TRACE}
    assert {event.timestamp for event in backend.events} == {backend.spans[0].end_time}
    assert {event.body for event in backend.events} == {None}
    found = dict(answer.attributes)
    assert found.pop("franq_guard.answer_id")
    assert found.pop("gen_ai.evaluation.explanation").startswith("3 claims (")
    assert found == {
        "gen_ai.evaluation.name": "franq_guard.p_true",
        "gen_ai.evaluation.score.value": report.p_true,
        "gen_ai.evaluation.score.label": "block",
        "gen_ai.response.id": "resp-9",
        "franq_guard.blocked": False,
    }
    claim = report.claims[2]
    found = dict(invented.attributes)
    assert found.pop("franq_guard.claim.id").endswith("-2")
    assert found.pop("gen_ai.evaluation.explanation").startswith("claim 2 (characters 55-86): not_mentioned")
    assert found == {
        "gen_ai.evaluation.name": "franq_guard.claim.p_true",
        "gen_ai.evaluation.score.value": claim.p_true,
        "gen_ai.evaluation.score.label": "not_mentioned",
        "gen_ai.response.id": "resp-9",
        "franq_guard.claim.index": 2,
        "franq_guard.claim.action": "block",
        "franq_guard.claim.review": True,
        "franq_guard.claim.p_faithful": claim.p_faithful,
        "franq_guard.claim.p_true_if_faithful": claim.p_true_if_faithful,
        "franq_guard.claim.p_true_if_unfaithful": claim.p_true_if_unfaithful,
        "franq_guard.claim.starts": (55,),
        "franq_guard.claim.ends": (86,),
        "franq_guard.claim.passages": tuple(piece.passage for piece in claim.evidence),
    } | {name: value for name, value in found.items() if name.endswith((".triggers", ".wording"))}
    assert supported.attributes["gen_ai.evaluation.score.label"] == "supported"
    assert "gen_ai.evaluation.score.value" not in greeting.attributes
    assert greeting.attributes["gen_ai.evaluation.score.label"] == "not_checkworthy"


def test_events_belong_to_the_models_span_where_it_is_known(backend):
    place = Correlation(trace_id=TRACE, span_id=SPAN, model_span_id=MODEL_SPAN)
    check(backend.sink(), correlation=place)
    assert {f"{event.span_id:016x}" for event in backend.events} == {MODEL_SPAN}
    assert f"{backend.spans[0].parent.span_id:016x}" == SPAN


def test_without_a_span_events_belong_to_the_check(backend):
    check(backend.sink())
    [span] = backend.spans
    assert span.parent is None
    assert {(event.trace_id, event.span_id) for event in backend.events} == {
        (span.context.trace_id, span.context.span_id)
    }


def test_the_span_lies_under_the_callers(backend):
    with backend.tracers.get_tracer("app").start_as_current_span("request"):
        check(backend.sink())
    own, request = backend.spans
    assert own.parent.span_id == request.context.span_id


def test_what_is_sampled_out_stays_out(backend):
    check(backend.sink(), correlation=Correlation(trace_id=TRACE, span_id=SPAN, sampled=False))
    assert backend.spans == ()


def test_metrics(backend):
    report = check(backend.sink())
    metrics = backend.metrics
    points = {name: list(metric.data.data_points) for name, metric in metrics.items()}
    assert set(points) == {
        "franq_guard.answers",
        "franq_guard.claims",
        "franq_guard.claim.p_true",
        "franq_guard.check.duration",
    }
    claims = {tuple(sorted(point.attributes.items())): point.value for point in points["franq_guard.claims"]}
    assert claims == {
        (("action", claim.action.value), ("verdict", claim.verdict.value)): 1 for claim in report.claims
    }
    [answers] = points["franq_guard.answers"]
    assert (answers.value, dict(answers.attributes)) == (1, {"decision": "block", "form": "long"})
    assert sum(point.count for point in points["franq_guard.claim.p_true"]) == 2
    assert points["franq_guard.claim.p_true"][0].explicit_bounds == tuple(
        tenth / 10 for tenth in range(1, 10)
    )
    [duration] = points["franq_guard.check.duration"]
    assert duration.sum == report.timings["total"]
    assert metrics["franq_guard.check.duration"].unit == "s"


def test_a_failed_check(backend):
    check(backend.sink(), language_model=FailingLM())
    [span] = backend.spans
    assert (span.status.status_code, span.status.description) == (trace.StatusCode.ERROR, "RuntimeError")
    assert span.attributes["error.type"] == "RuntimeError"
    assert "franq_guard.p_true" not in span.attributes
    answer, greeting, *unchecked = backend.events
    assert [event.attributes.get("error.type") for event in (answer, greeting, *unchecked)] == [
        "RuntimeError",
        None,
        "RuntimeError",
        "RuntimeError",
    ]
    [errors] = backend.metrics["franq_guard.errors"].data.data_points
    assert (errors.value, dict(errors.attributes)) == (1, {"error.type": "RuntimeError"})
    [unchecked] = backend.metrics["franq_guard.claims.unchecked"].data.data_points
    assert unchecked.value == 2


def test_content_on_request(backend):
    report = check(backend.sink(capture_content=True))
    attributes = backend.spans[0].attributes
    assert attributes["input.value"] == QUESTION
    assert attributes["output.value"] == report.text
    assert attributes["franq_guard.answer"] == ANSWER
    assert attributes["franq_guard.passages.text"] == tuple(passage["text"] for passage in PASSAGES)
    assert backend.events[2].attributes["franq_guard.claim.text"] == report.claims[1].text


def test_parts_can_be_left_out(backend):
    check(backend.sink(spans=False, span_kind="evaluator"), correlation=PLACE)
    assert backend.spans == ()
    assert {f"{event.span_id:016x}" for event in backend.events} == {SPAN}
    check(backend.sink(events=False, metrics=False, span_kind="evaluator"))
    assert len(backend.events) == 4
    assert backend.spans[0].attributes["openinference.span.kind"] == "EVALUATOR"
    assert backend.metrics["franq_guard.answers"].data.data_points[0].value == 1


def test_names_are_those_of_the_conventions():
    from openinference.semconv.trace import EvaluationAttributes, OpenInferenceSpanKindValues, SpanAttributes

    from franq_guard.tracing import names

    assert names.SPAN_KIND == SpanAttributes.OPENINFERENCE_SPAN_KIND
    assert names.INPUT_VALUE == SpanAttributes.INPUT_VALUE
    assert names.OUTPUT_VALUE == SpanAttributes.OUTPUT_VALUE
    assert names.SESSION_ID == SpanAttributes.SESSION_ID
    assert {kind.value for kind in OpenInferenceSpanKindValues} >= {"GUARDRAIL", "EVALUATOR"}
    for name in ("NAME", "SCORE", "LABEL", "EXPLANATION", "ANNOTATOR_KIND", "IDENTIFIER"):
        assert getattr(names, f"OI_{name}") == getattr(EvaluationAttributes, f"EVALUATION_{name}")
