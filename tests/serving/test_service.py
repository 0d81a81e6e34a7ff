"""Checks and alignment over HTTP."""

import json
import re
import threading
import time

import pytest
from fakes import BrokenLM, SlowLM, WordAligner, WordLM, make_guard

from franq_guard.errors import CheckTimeoutError, ConfigError, InputError, ModelError
from franq_guard.report.serialise import from_dict
from franq_guard.servers.address import parse_server
from franq_guard.servers.alignment_model import ServedAlignmentModel
from franq_guard.serving.settings import ServiceSettings

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

ITEM = {
    "question": "How tall is the tower?",
    "passages": [
        "The tower is 330 metres tall.",
        {"text": "It is old.", "title": "Age", "metadata": {"a": 1}},
    ],
    "answer": "The tower is 330 metres tall. It was sold in 1925.",
}
TOKEN = "a-token-of-thirty-two-characters"


def test_a_check_gives_the_guards_own_report(serve):
    guard = make_guard()
    got = serve(guard).post("/v1/check", json=ITEM)
    assert got.status_code == 200
    report = from_dict(got.json())
    own = guard.check(**ITEM)
    assert [claim.p_true for claim in report.claims] == [claim.p_true for claim in own.claims]
    assert (report.text, report.passages) == (own.text, own.passages)


def test_many_checks_keep_their_order(serve):
    items = [ITEM | {"answer": f"The tower is {height} metres tall."} for height in range(5)]
    got = serve().post("/v1/check_many", json={"items": items}).json()
    assert [report["answer"] for report in got["reports"]] == [item["answer"] for item in items]
    assert serve().post("/v1/check_many", json={"items": []}).json() == {"reports": []}


@pytest.mark.parametrize("answer", ["", "ふじさんは高い。", "😀 \ud800", "x" * 10_000])
def test_odd_answers_have_a_report(serve, answer):
    sent = json.dumps(ITEM | {"answer": answer})
    got = serve().post("/v1/check", content=sent, headers={"Content-Type": "application/json"})
    assert got.status_code == 200
    assert from_dict(got.json()).answer == answer


@pytest.mark.parametrize(
    "sent",
    [
        {},
        [],
        ITEM | {"answer": None},
        ITEM | {"question": 3},
        ITEM | {"passages": [None]},
        ITEM | {"passages": [{"text": "x", "secret": "y"}]},
        ITEM | {"token_log_probs": [{"token": "x"}]},
        {"question": "secret", "answer": "secret"},
    ],
)
def test_what_is_no_check_is_refused_with_a_reason(serve, sent):
    got = serve().post("/v1/check", json=sent)
    assert got.status_code == 422
    assert got.json()["error"]["type"] == "InputError"
    assert got.json()["error"]["message"]
    assert '"secret"' not in got.text


@pytest.mark.parametrize("sent", [b"", b"{", b"\xff\xfe", b"[" * 5000, b'{"a": NaN'])
def test_what_is_no_json_is_refused(serve, sent):
    got = serve().post("/v1/check", content=sent, headers={"Content-Type": "application/json"})
    assert got.status_code in (400, 422)
    assert set(got.json()["error"]) == {"type", "message"}


def test_unknown_paths_and_methods(serve):
    client = serve()
    assert client.get("/v2/check").status_code == 404
    assert client.get("/v1/check").status_code == 405
    assert client.get("/docs").status_code == 404


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ModelError("broken"), 502),
        (CheckTimeoutError("late"), 504),
        (InputError("wrong"), 422),
        (KeyError("x"), 502),
    ],
)
def test_failures_have_a_status_when_the_guard_raises(serve, error, status):
    guard = make_guard(language_model=BrokenLM(error), on_error="raise")
    got = serve(guard).post("/v1/check", json=ITEM)
    assert got.status_code == status
    assert got.json()["error"]["message"]


@pytest.mark.parametrize("on_error", ["pass", "block"])
def test_failures_are_reports_otherwise(serve, on_error):
    guard = make_guard(language_model=BrokenLM(ModelError("broken")), on_error=on_error)
    got = serve(guard).post("/v1/check", json=ITEM)
    assert got.status_code == 200
    report = from_dict(got.json())
    assert report.error == "ModelError: broken"
    assert report.blocked is (on_error == "block")


def test_without_the_token_nobody_passes(serve):
    client = serve(token=TOKEN)
    for given in (
        None,
        "",
        TOKEN,
        f"Bearer {TOKEN}x",
        f"Basic {TOKEN}",
        "Bearer",
        "Bearer \u00e9".encode("latin-1"),
    ):
        headers = {} if given is None else {"Authorization": given}
        for got in (
            client.post("/v1/check", json=ITEM, headers=headers),
            client.get("/metrics", headers=headers),
            client.get("/v1/align", headers=headers),
        ):
            assert got.status_code == 401
            assert TOKEN not in got.text
    assert client.get("/health").status_code == 200


def test_with_the_token_everything_is_open(serve):
    client = serve(token=TOKEN)
    for scheme in ("Bearer", "bearer"):
        headers = {"Authorization": f"{scheme} {TOKEN}"}
        assert client.post("/v1/check", json=ITEM, headers=headers).status_code == 200
        assert client.get("/metrics", headers=headers).status_code == 200


def test_a_service_without_token_answers_only_to_this_machines_name(serve):
    client = serve()
    assert client.get("/health", headers={"Host": "evil.example"}).status_code == 421
    assert client.get("/health", headers={"Host": "localhost:8700"}).status_code == 200
    assert client.get("/health", headers={"Host": "[::1]:8700"}).status_code == 200
    assert serve(local_only=False).get("/health", headers={"Host": "guard.example"}).status_code == 200


def test_requests_that_are_too_large_are_refused(serve):
    client = serve(max_body=2000, max_items=2, max_pairs=2)
    large = json.dumps(ITEM | {"answer": "x" * 3000}).encode()
    assert client.post("/v1/check", content=large).status_code == 413

    def pieces():
        yield large

    assert client.post("/v1/check", content=pieces()).status_code == 413  # without Content-Length
    small = {"question": "q", "passages": [], "answer": "a"}
    assert client.post("/v1/check_many", json={"items": [small] * 3}).status_code == 422
    assert client.post("/v1/check_many", json={"items": [small] * 2}).status_code == 200
    assert client.post("/v1/align", json={"pairs": [["a", "b"]] * 3}).status_code == 422


class HeldLM(WordLM):
    """Scores when it is told to."""

    def __init__(self):
        super().__init__()
        self.go = threading.Event()
        self.begun = threading.Event()

    def score(self, requests):
        self.begun.set()
        self.go.wait(30)
        return super().score(requests)


def test_a_busy_service_tells_callers_to_come_back(serve):
    lm = HeldLM()
    client = serve(make_guard(language_model=lm), concurrency=1, max_waiting=0)
    got = []
    thread = threading.Thread(target=lambda: got.append(client.post("/v1/check", json=ITEM, timeout=60)))
    thread.start()
    assert lm.begun.wait(30)
    busy = client.post("/v1/check", json=ITEM)
    assert busy.status_code == 503
    assert busy.headers["Retry-After"] == "1"
    assert client.get("/health").status_code == 200
    lm.go.set()
    thread.join()
    assert got[0].status_code == 200


def test_a_request_ends_in_time(serve):
    lm = HeldLM()
    client = serve(make_guard(language_model=lm), timeout=0.2)
    got = client.post("/v1/check", json=ITEM, timeout=60)
    lm.go.set()
    assert got.status_code == 504
    assert "0.2 s" in got.json()["error"]["message"]


def test_many_callers_at_once(serve):
    client = serve(make_guard(language_model=SlowLM()), max_waiting=100)
    got = []
    threads = [
        threading.Thread(target=lambda: got.append(client.post("/v1/check", json=ITEM, timeout=60)))
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.status_code for one in got] == [200] * 12
    assert len({json.dumps(one.json()["claims"]) for one in got}) == 1


def wait_for(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_it_is_ready_once_the_models_are_there(serve):
    client = serve()
    wait_for(lambda: client.get("/ready").status_code == 200)
    assert client.get("/ready").json() == {"status": "ready"}


def test_it_is_not_ready_without_models(serve):
    guard = make_guard()
    guard.warm_up = lambda: (_ for _ in ()).throw(ModelError("not there"))
    client = serve(guard)
    assert client.get("/ready").status_code == 503
    assert client.get("/ready").json() == {"status": "starting"}


def test_metrics_count_and_show_no_text(serve):
    client = serve()
    client.post("/v1/check", json=ITEM)
    client.post("/v1/check", json={})
    client.post("/v1/align", json={"pairs": [["a", "b"], ["c", "d"]]})
    client.get("/secret-path")
    client.get("/health", headers={"Host": "evil.example"})
    text = client.get("/metrics").text
    for line in (
        'franq_guard_requests_total{path="/v1/check",status="200"} 1.0',
        'franq_guard_requests_total{path="/v1/check",status="422"} 1.0',
        'franq_guard_requests_total{path="other",status="404"} 1.0',
        'franq_guard_requests_total{path="refused",status="421"} 1.0',
        "franq_guard_pairs_total 2.0",
        "franq_guard_requests_running 0.0",
    ):
        assert line in text
    assert re.search(r'franq_guard_claims_total\{action="\w+",verdict="supported"\} 1.0', text)
    assert "tower" not in text and "secret" not in text


def test_the_document_describes_the_service(serve):
    document = serve(token=TOKEN).get("/openapi.json").json()
    assert document["openapi"].startswith("3.")
    for path in document["paths"].values():
        for operation in path.values():
            assert operation["summary"]
            assert {"401", "413", "422", "503", "504"} <= set(operation["responses"])
    assert set(document["paths"]) == {
        "/health",
        "/ready",
        "/metrics",
        "/v1/check",
        "/v1/check_many",
        "/v1/align",
    }


class ThirdsAligner(WordAligner):
    """Numbers that decimals cannot write."""

    def score(self, pairs):
        if any(claim == "too long" for _, claim in pairs):
            raise InputError("the claim does not fit")
        return super().score(pairs) * (2 / 3) + [1 / 9, 1 / 9, 1 / 9]


def served(client, **options):
    extra = "&".join(f"{name}={value}" for name, value in options.items())
    return ServedAlignmentModel(parse_server(f"franq:{str(client.base_url).rstrip('/')}#{extra}"))


def test_other_guards_get_equal_scores(serve):
    own = ThirdsAligner(id="thirds", languages=frozenset({"en", "de"}))
    model = served(serve(aligner=own))
    assert (model.id, model.languages, model.reading) == ("thirds", frozenset({"en", "de"}), "sentences")
    pairs = [(f"the tower is {number} high", f"tower {number * 2} é😀") for number in range(150)]
    assert model.score(pairs).tolist() == own.score(pairs).tolist()
    assert model.score([]).shape == (0, 3)


def test_a_claim_that_does_not_fit_is_an_input_error(serve):
    with pytest.raises(InputError, match="too long"):
        served(serve(aligner=ThirdsAligner())).score([("a", "too long")])


def test_the_alignment_model_needs_the_token(serve, monkeypatch):
    client = serve(token=TOKEN)
    with pytest.raises(ModelError, match="FRANQ_GUARD_TOKEN"):
        served(client)
    monkeypatch.setenv("FRANQ_GUARD_TOKEN", TOKEN)
    assert served(client).score([("a b", "a")]).tolist() == [[1.0, 0.0, 0.0]]


def test_another_model_behind_the_address_is_found_out(serve):
    own = WordAligner()
    model = served(serve(aligner=own))
    own.id = "another"
    with pytest.raises(ModelError, match="any more"):
        model.score([("a", "b")])


def test_a_guard_over_a_served_alignment_model_gives_equal_results(serve):
    local = make_guard(alignment_model=ThirdsAligner())
    remote = make_guard(alignment_model=served(serve(aligner=ThirdsAligner())))
    one, two = local.check(**ITEM), remote.check(**ITEM)
    assert one.claims == two.claims
    assert one.models == two.models


@pytest.mark.parametrize("url", ["/health", "/nothing"])
def test_what_serves_no_alignment_model_is_found_out(serve, url):
    client = serve()
    with pytest.raises(ModelError):
        ServedAlignmentModel(parse_server(f"franq:{str(client.base_url).rstrip('/')}{url}"))


@pytest.mark.parametrize(
    "limits",
    [{"token": "short"}, {"timeout": 0}, {"timeout": float("nan")}, {"concurrency": 0}, {"max_waiting": -1}],
)
def test_limits_out_of_range(limits):
    with pytest.raises(ConfigError):
        ServiceSettings(**limits)


def test_settings_do_not_show_the_token():
    assert TOKEN not in repr(ServiceSettings(token=TOKEN))
