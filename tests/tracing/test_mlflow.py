"""Assessments on traces in a real store, read back."""

import mlflow
import pytest
from fakes import make_guard
from places import ANSWER, PASSAGES, QUESTION, FailingLM

from franq_guard.tracing import Correlation, MLflowSink, worker


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_ENABLE_ASYNC_TRACE_LOGGING", "false")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'mlflow.db'}")
    yield
    mlflow.set_tracking_uri(before)


@pytest.fixture
def slowly(monkeypatch):
    """A record that came too early waits for the flush."""
    monkeypatch.setattr(worker, "RETRY_FIRST_S", 60.0)


def assessments(trace_id):
    return mlflow.get_trace(trace_id).info.assessments


@pytest.mark.filterwarnings("ignore::Warning:alembic", "ignore::Warning:mlflow", "ignore::DeprecationWarning")
def test_assessments_of_an_answer_and_its_claims(store, slowly):
    guard = make_guard(tracing=[MLflowSink()])
    with mlflow.start_span("chain") as chain:
        report = guard.check(QUESTION, PASSAGES, ANSWER)
        assert not guard.tracing.flush(), "the trace is not stored before its span ends"
    assert guard.tracing.flush()
    found = assessments(chain.trace_id)
    assert {(one.source.source_type, one.source.source_id) for one in found} == {("CODE", "franq_guard")}
    assert {one.span_id for one in found} == {chain.span_id}
    assert [(one.name, one.value) for one in found] == [
        ("franq_guard.p_true", report.p_true),
        ("franq_guard.decision", "block"),
        ("franq_guard.claim.p_true", report.claims[1].p_true),
        ("franq_guard.claim.p_true", report.claims[2].p_true),
    ]
    claim = found[3]
    assert claim.rationale.startswith("claim 2 (characters 55-86): not_mentioned, block; P(true)")
    assert claim.metadata["characters"] == "55-86"
    assert claim.metadata["verdict"] == "not_mentioned"
    assert "text" not in claim.metadata

    # A check that fails is an assessment with an error.
    failing = make_guard(tracing=[MLflowSink()], language_model=FailingLM())
    with mlflow.start_span("chain") as chain:
        failing.check(QUESTION, PASSAGES, ANSWER)
    assert failing.tracing.flush()
    p_true, decision, *claims = assessments(chain.trace_id)
    assert (p_true.value, p_true.error.error_code) == (None, "RuntimeError")
    assert decision.value == "keep"
    assert [(one.name, one.value) for one in claims] == [("franq_guard.claim.verdict", "unchecked")] * 2

    # By hand, later, without claims and with content.
    with mlflow.start_span("chain") as chain:
        pass
    place = Correlation(mlflow_trace_id=chain.trace_id)
    later = make_guard(tracing=[MLflowSink(claims=False, capture_content=True)])
    later.check(QUESTION, PASSAGES, ANSWER, correlation=place)
    assert later.tracing.flush()
    assert [one.name for one in assessments(chain.trace_id)] == ["franq_guard.p_true", "franq_guard.decision"]

    # What belongs to no trace is counted.
    later.check(QUESTION, PASSAGES, ANSWER)
    assert later.tracing.flush()
    assert later.tracing.stats()[0].uncorrelated == 1
