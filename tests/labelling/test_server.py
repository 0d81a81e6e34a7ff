"""The page and its data over real HTTP on the loopback interface."""

import http.client
import json
import re
import socket
import threading

import pytest

from franq_guard.errors import ConfigError
from franq_guard.evaluation.labels import read_labels
from franq_guard.labelling.server import LabelServer
from franq_guard.labelling.session import Session
from franq_guard.labelling.store import LabelStore

pytestmark = [pytest.mark.enable_socket, pytest.mark.allow_hosts(["127.0.0.1"])]

YES = {"true": "yes", "faithful": "no", "note": "n"}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "labels.jsonl"


@pytest.fixture
def server(rows, path):
    with LabelStore(path, "ada") as store, LabelServer(Session(rows, store)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def ask(server):
    """Sends a request; by default as the page itself does."""

    def ask(url, body=None, *, method=None, headers=()):
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
        sent = {"X-Franq-Token": server.token}
        if body is not None:
            sent["Content-Type"] = "application/json"
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {name: value for name, value in (sent | dict(headers)).items() if value is not None}
        connection.request(method or ("GET" if body is None else "POST"), url, body, sent)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response, content

    return ask


@pytest.fixture
def data(ask):
    def data(url, body=None, **options):
        response, content = ask(url, body, **options)
        return response.status, json.loads(content)

    return data


def test_it_listens_on_this_machine_only(server):
    assert server.socket.getsockname()[0] == "127.0.0.1"
    assert server.url == f"http://127.0.0.1:{server.server_port}/"


def test_a_claim_is_shown_labelled_and_taken_back(data, path):
    status, shown = data("/api/items/next")
    assert status == 200
    assert shown["item"]["claim"] == "It is tall."
    assert shown["item"]["sentence"][0] == ["It is 🗼 tall", True]
    status, shown = data("/api/items/0", YES)
    assert (status, shown["item"]["index"], shown["progress"]["done"]) == (200, 1, 1)
    [row] = read_labels([path])
    assert (row.true, row.faithful, row.extra["note"]) == (True, False, "n")
    assert data("/api/items/0")[1]["item"]["answers"] == {"true": "yes", "faithful": "no"}
    status, shown = data("/api/undo", {})
    assert (status, shown["item"]["index"], shown["progress"]["done"]) == (200, 0, 0)
    assert path.read_bytes() == b""


def test_the_page_holds_no_text_from_outside_and_loads_nothing(ask, rows):
    response, content = ask("/", headers={"X-Franq-Token": None})
    page = content.decode()
    assert response.status == 200
    for row in rows:
        assert row.claim not in page
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!data:,)""", page)
    assert "http://" not in page and "https://" not in page
    policy = response.getheader("Content-Security-Policy")
    [nonce] = set(re.findall(r"'nonce-([^']+)'", policy))
    assert set(re.findall(r'nonce="([^"]+)"', page)) == {nonce}
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert response.getheader("Cache-Control") == "no-store"
    assert "{{" not in page
    assert nonce not in ask("/")[1].decode()


def test_the_page_sets_texts_as_texts_alone(ask):
    page = ask("/")[1].decode()
    for dangerous in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "srcdoc"):
        assert dangerous not in page
    assert not re.search(r"\son\w+\s*=", page)


def test_html_in_a_claim_is_sent_as_text(ask):
    response, content = ask("/api/items/1")
    assert response.getheader("Content-Type") == "application/json"
    assert response.getheader("X-Content-Type-Options") == "nosniff"
    assert json.loads(content)["item"]["claim"] == "<script>alert(1)</script>"


@pytest.mark.parametrize("token", [None, "", "wrong", "ü"])
def test_without_the_token_nothing_is_told_or_kept(ask, path, token):
    header = {"X-Franq-Token": None if token is None else token.encode()}
    for request in (("/api/items/next",), ("/api/items/0", YES), ("/api/undo", {})):
        response, content = ask(*request, headers=header)
        assert response.status == 403
        assert b"It is tall" not in content
    assert not path.exists()


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", ""])
def test_other_names_for_this_machine_are_refused(ask, server, host):
    host = host.format(port=server.server_port)
    for url in ("/", "/api/items/next"):
        response, content = ask(url, headers={"Host": host})
        assert response.status == 403
        assert server.token.encode() not in content
    assert ask("/", headers={"Host": f"localhost:{server.server_port}"})[0].status == 200


def test_other_sites_cannot_send_labels(ask, server, path):
    assert ask("/api/items/0", YES, headers={"Origin": "https://evil.example"})[0].status == 403
    assert ask("/api/items/0", YES, headers={"Origin": "null"})[0].status == 403
    assert ask("/api/items/0", YES, headers={"Content-Type": "text/plain"})[0].status == 415
    assert not path.exists()
    assert ask("/api/items/0", YES, headers={"Origin": server.url.rstrip("/")})[0].status == 200


@pytest.mark.parametrize(
    ("url", "body", "status"),
    [
        ("/api/items/0", {"true": "yes"}, 400),
        ("/api/items/0", YES | {"true": "perhaps"}, 400),
        ("/api/items/0", YES | {"note": 7}, 400),
        ("/api/items/0", YES | {"note": "x" * 5001}, 400),
        ("/api/items/0", b"{", 400),
        ("/api/items/0", b"[1]", 400),
        ("/api/items/0", b"[" * 50_000, 400),
        ("/api/items/0", b" " * 100_001, 413),
        ("/api/items/3", YES, 400),
        ("/api/items/-1", YES, 404),
        ("/api/items/" + "9" * 50, YES, 404),
        ("/api/items/", YES, 404),
        ("/api/none", {}, 404),
        ("/api/items/7", None, 400),
        ("/none", None, 404),
        ("/../page.html", None, 404),
    ],
)
def test_bad_requests_get_a_reason(data, path, url, body, status):
    found, answer = data(url, body)
    assert found == status
    assert answer["error"]
    assert not path.exists()


def test_other_methods_are_refused(ask):
    for method in ("PUT", "DELETE", "OPTIONS", "HEAD"):
        assert ask("/api/items/0", method=method)[0].status == 501


def test_a_body_without_a_length(server):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as client:
        client.sendall(
            f"POST /api/undo HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n"
            f"X-Franq-Token: {server.token}\r\nContent-Type: application/json\r\n\r\n".encode()
        )
        assert client.makefile("rb").readline().split()[1] == b"411"


def test_labels_from_several_tabs_at_once_are_all_kept(data, path):
    threads = [threading.Thread(target=data, args=(f"/api/items/{index}", YES)) for index in (0, 1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(row.id for row in read_labels([path])) == ["0", "1", "2"]


def test_a_taken_port_is_named(server, rows):
    with pytest.raises(ConfigError, match=f"port {server.server_port} .*--port"):
        LabelServer(server.session, port=server.server_port)


def test_tokens_differ_from_run_to_run(server):
    with LabelServer(server.session) as other:
        assert other.token != server.token
