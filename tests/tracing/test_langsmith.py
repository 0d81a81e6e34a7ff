"""Feedback from the real client, whose session is replaced."""

import json
import uuid

import pytest
import requests
from langsmith import Client
from langsmith.schemas import FeedbackCreate
from places import ANSWER, PASSAGES, QUESTION, FailingLM, check

from franq_guard.tracing import Correlation, LangSmithSink

RUN, ROOT, PROJECT = (str(uuid.UUID(int=number)) for number in (1, 2, 3))
PLACE = Correlation(run_id=RUN, root_run_id=ROOT)


class Session(requests.Session):
    """Answers as LangSmith does, and keeps what it is sent."""

    def __init__(self):
        super().__init__()
        self.feedback = []
        self.projects = {"default": PROJECT}

    def request(self, method, url, **kwargs):
        response = requests.Response()
        response.status_code, response.url = 200, url
        response.request = requests.Request(method, url).prepare()
        body = {}
        if url.endswith("/info"):
            body = {"version": "0.9.0"}
        elif "/sessions" in url:
            name = kwargs["params"]["name"]
            found = self.projects.get(name)
            body = (
                [{"id": found, "name": name, "tenant_id": ROOT, "reference_dataset_id": None}]
                if found
                else []
            )
        elif url.endswith("/feedback"):
            self.feedback.append(json.loads(kwargs["data"]))
        response._content = json.dumps(body).encode()
        return response


@pytest.fixture
def session():
    return Session()


def sink_on(session, **options):
    client = Client(api_url="http://127.0.0.1:9", api_key="key", session=session, auto_batch_tracing=False)
    return LangSmithSink(client=client, project="default", **options)


def test_feedback_on_the_run(session):
    report = check(sink_on(session), correlation=PLACE)
    assert {(one["run_id"], one["trace_id"], one["session_id"]) for one in session.feedback} == {
        (RUN, ROOT, PROJECT)
    }
    assert [(one["key"], one.get("score"), one["value"]) for one in session.feedback] == [
        ("franq_guard.p_true", round(report.p_true, 4), "block"),
        ("franq_guard.decision", None, "block"),
        ("franq_guard.claim.p_true", round(report.claims[1].p_true, 4), "supported"),
        ("franq_guard.claim.p_true", round(report.claims[2].p_true, 4), "not_mentioned"),
    ]
    assert {one["extend_trace_retention"] for one in session.feedback} == {False}
    claim = session.feedback[3]
    assert claim["comment"].startswith("claim 2 (characters 55-86): not_mentioned, block")
    assert claim["feedback_source"]["type"] == "model"
    assert claim["feedback_source"]["metadata"]["characters"] == "55-86"
    for one in session.feedback:
        FeedbackCreate.model_validate(one)


def test_the_same_check_gives_the_same_ids(session):
    sink = sink_on(session)
    check(sink, correlation=PLACE)
    check(sink, correlation=PLACE)
    ids = [one["id"] for one in session.feedback]
    assert ids[:4] == ids[4:]
    assert len(set(ids)) == 4
    check(sink, correlation=Correlation(run_id=ROOT))
    assert not set(ids) & {one["id"] for one in session.feedback[8:]}


def test_a_failed_check(session):
    check(sink_on(session), correlation=PLACE, language_model=FailingLM())
    p_true, decision, *claims = session.feedback
    assert (p_true.get("score"), p_true["error"], p_true["extra"]) == (
        None,
        True,
        {"error.type": "RuntimeError"},
    )
    assert decision["value"] == "keep"
    assert [(one["key"], one["value"]) for one in claims] == [("franq_guard.claim.verdict", "unchecked")] * 2


def test_the_answer_alone(session):
    check(sink_on(session, claims=False), correlation=PLACE)
    assert [one["key"] for one in session.feedback] == ["franq_guard.p_true", "franq_guard.decision"]


def test_without_a_run_nothing_is_sent(session):
    from fakes import make_guard

    guard = make_guard(tracing=[sink_on(session)])
    guard.check(QUESTION, PASSAGES, ANSWER)
    assert guard.tracing.flush()
    assert (session.feedback, guard.tracing.stats()[0].uncorrelated) == ([], 1)


def test_a_project_that_is_still_to_come_is_waited_for(session):
    from fakes import make_guard

    session.projects.clear()
    guard = make_guard(tracing=[sink_on(session)])
    guard.check(QUESTION, PASSAGES, ANSWER, correlation=PLACE)
    assert not guard.tracing.flush()
    assert guard.tracing.stats()[0].waiting == 1
    session.projects["default"] = PROJECT
    assert guard.tracing.flush()
    assert len(session.feedback) == 4
