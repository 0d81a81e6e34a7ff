"""`franq-guard serve`: what it refuses, and how it ends."""

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from franq_guard.cli.serve import _config
from franq_guard.errors import ConfigError
from franq_guard.serving.running import listen, url_of
from franq_guard.serving.settings import is_loopback, require_safe

HELD = """
import sys
sys.path.insert(0, {tests!r})
from fakes import WordLM, make_guard
from franq_guard.serving.app import create_app
from franq_guard.serving.running import listen, make_server, url_of

class Held(WordLM):
    def score(self, requests):
        print("begun", flush=True)
        sys.stdin.readline()
        return super().score(requests)

opened = listen("127.0.0.1", 0)
print(url_of(opened), flush=True)
make_server(create_app(make_guard(language_model=Held())), connections=8, grace=30).run(sockets=[opened])
"""


@pytest.fixture
def serve(cli, monkeypatch):
    """Runs the command to where it would begin to serve."""
    monkeypatch.delenv("FRANQ_GUARD_TOKEN", raising=False)
    return lambda *arguments: cli("serve", *arguments)


@pytest.fixture
def cli(monkeypatch, capsys):
    from franq_guard.cli import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["franq-guard", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            main()
        return caught.value.code, capsys.readouterr().err

    return run


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "guard.example"])  # noqa: S104
def test_it_does_not_let_the_network_in_without_a_token(serve, host):
    code, err = serve("--host", host)
    assert code == 2
    assert "FRANQ_GUARD_TOKEN" in err and "--insecure" in err


def test_it_wants_a_token_that_cannot_be_guessed(serve, monkeypatch):
    monkeypatch.setenv("FRANQ_GUARD_TOKEN", "secret")
    code, err = serve()
    assert code == 2
    assert "at least 16 characters" in err and "secret" not in err


def test_who_may_listen_where():
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]")))
    assert not any(map(is_loopback, ("", "0.0.0.0", "::", "localhost.example", "10.0.0.1")))  # noqa: S104
    require_safe("0.0.0.0", "token", insecure=False)  # noqa: S104
    require_safe("0.0.0.0", None, insecure=True)  # noqa: S104
    require_safe("127.0.0.1", None, insecure=False)


@pytest.mark.enable_socket
def test_a_port_that_is_taken_is_one_line_of_error():
    with listen("127.0.0.1", 0) as taken:
        assert url_of(taken).startswith("http://127.0.0.1:")
        with pytest.raises(ConfigError, match="--port"):
            listen("127.0.0.1", taken.getsockname()[1])


def test_checks_end_before_their_request_does(tmp_path):
    assert _config(None, {}, 10.0).timeout == 9.0
    assert _config(None, {}, 10.0).preset == "mini"
    file = tmp_path / "guard.toml"
    file.write_text('timeout = 2.0\nlanguage_model = "a"\nalignment_model = "b"')
    assert (_config(file, {}, 10.0).timeout, _config(file, {}, 10.0).preset) == (2.0, None)
    assert _config(file, {}, 1.0).timeout == 0.9


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_what_runs_is_finished_when_it_is_told_to_stop():
    script = HELD.format(tests=str(Path(__file__).parents[1]))
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    got = []
    try:
        url = process.stdout.readline().strip()
        item = {"question": "q", "passages": ["It is tall."], "answer": "It is tall."}

        def ask():
            with httpx.Client(base_url=url, trust_env=False, timeout=60) as client:
                got.append(
                    client.post(
                        "/v1/check", content=json.dumps(item), headers={"Content-Type": "application/json"}
                    )
                )

        thread = threading.Thread(target=ask)
        thread.start()
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGTERM)
        process.stdin.write("go\n")
        process.stdin.flush()
        thread.join(60)
        assert process.wait(60) in (0, -signal.SIGTERM)
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
    assert got[0].status_code == 200
    assert got[0].json()["claims"][0]["verdict"] == "supported"
