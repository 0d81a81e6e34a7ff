"""The local web page: the standard library's HTTP server, for this machine and this run alone.

It listens on 127.0.0.1 only. The Host header must name that address, so that a web site that resolves its
own name to 127.0.0.1 is refused; every request for data carries a token that only the page of this run
knows, so that no other site can read or label anything; the page may load nothing from elsewhere.
"""

from __future__ import annotations

import json
import secrets
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any

from franq_guard.errors import ConfigError, FranqGuardError, InputError
from franq_guard.labelling.session import Session

HOST = "127.0.0.1"
TOKEN_HEADER = "X-Franq-Token"  # noqa: S105 (the header's name)
_MAX_BODY = 100_000
_IDLE_SECONDS = 10.0


class LabelServer(ThreadingHTTPServer):
    """Serves one session; `serve_forever` runs it, `shutdown` ends that.

    Args:
        session: what is labelled.
        port: on 127.0.0.1; 0 takes any free one.

    Attributes:
        session: what is labelled.
        token: what the page sends with every request for data.

    Raises:
        ConfigError: if the port is taken or not allowed.
    """

    daemon_threads = True
    # On Windows it would let another program take the port as well.
    allow_reuse_address = sys.platform != "win32"

    def __init__(self, session: Session, *, port: int = 0) -> None:
        self.session = session
        self.token = secrets.token_urlsafe(32)
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            raise ConfigError(
                f"cannot listen on port {port} ({error.strerror or error}): choose another with --port, or 0"
                " for any free one"
            ) from error

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://{HOST}:{self.server_port}/"

    def server_bind(self) -> None:
        """Binds without looking up the machine's name, which can take seconds."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = HOST, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing about a browser that went away."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Refused(Exception):
    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: LabelServer
    timeout = _IDLE_SECONDS  # of connections that a browser opens and does not use
    server_version = "franq-guard"
    sys_version = ""

    def do_GET(self) -> None:
        """The page, or a claim."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """A label, or its withdrawal."""
        self._answer(self._post)

    def log_message(self, format: str, *args: Any) -> None:
        """Keeps the terminal quiet."""

    def _answer(self, action: Any) -> None:
        try:
            self._check_host()
            action()
        except _Refused as error:
            self._send_json({"error": str(error)}, error.status)
        except FranqGuardError as error:
            self._send_json({"error": str(error)}, HTTPStatus.BAD_REQUEST)

    def _get(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/":
            self._send_page()
            return
        self._check_token()
        if path == "/api/items/next":
            self._send_json(self.server.session.show())
        elif path.startswith("/api/items/"):
            self._send_json(self.server.session.show(_index(path.removeprefix("/api/items/"))))
        else:
            raise _Refused(HTTPStatus.NOT_FOUND, "there is no such page")

    def _post(self) -> None:
        self._check_token()
        self._check_origin()
        body = self._body()
        if self.path == "/api/undo":
            self._send_json(self.server.session.undo())
        elif self.path.startswith("/api/items/"):
            index = _index(self.path.removeprefix("/api/items/"))
            note = body.get("note", "")
            if not isinstance(note, str):
                raise InputError("the note must be a text")
            self._send_json(self.server.session.save(index, body, note))
        else:
            raise _Refused(HTTPStatus.NOT_FOUND, "there is no such page")

    def _check_host(self) -> None:
        port = self.server.server_port
        if self.headers.get_all("Host", []) not in ([f"{HOST}:{port}"], [f"localhost:{port}"]):
            raise _Refused(HTTPStatus.FORBIDDEN, f"open {self.server.url} itself; other names are refused")

    def _check_origin(self) -> None:
        origin = self.headers.get("Origin")
        port = self.server.server_port
        if origin is not None and origin not in (f"http://{HOST}:{port}", f"http://localhost:{port}"):
            raise _Refused(HTTPStatus.FORBIDDEN, "labels are taken from the page itself only")

    def _check_token(self) -> None:
        given = self.headers.get(TOKEN_HEADER, "")
        if not secrets.compare_digest(given.encode(), self.server.token.encode()):
            raise _Refused(HTTPStatus.FORBIDDEN, "this page is of an earlier run: reload it")

    def _body(self) -> dict[str, Any]:
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send JSON")
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "say how long the body is")
        if int(length) > _MAX_BODY:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"send at most {_MAX_BODY} bytes")
        try:
            data = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError) as error:
            raise _Refused(HTTPStatus.BAD_REQUEST, "not JSON") from error
        if not isinstance(data, dict):
            raise _Refused(HTTPStatus.BAD_REQUEST, "send a JSON object")
        return data

    def _send_page(self) -> None:
        nonce = secrets.token_urlsafe(16)
        page = (resources.files("franq_guard.labelling") / "page.html").read_text(encoding="utf-8")
        page = page.replace("{{token}}", self.server.token).replace("{{nonce}}", nonce)
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}';"
            " connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        self._send(page.encode(), "text/html; charset=utf-8", policy=policy)

    def _send_json(self, data: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        # ASCII, so that even lone surrogates of an answer survive.
        self._send(json.dumps(data, allow_nan=False).encode(), "application/json", status)

    def _send(
        self,
        body: bytes,
        kind: str,
        status: HTTPStatus = HTTPStatus.OK,
        policy: str = "default-src 'none'; frame-ancestors 'none'",
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", policy)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)


def _index(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise _Refused(HTTPStatus.NOT_FOUND, "there is no such claim")
    return int(text)
