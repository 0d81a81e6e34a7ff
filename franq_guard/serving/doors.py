"""What stands between the network and the service: token, host names, and size of requests."""

from __future__ import annotations

import hmac
import json
import time
from typing import Any

from starlette.exceptions import HTTPException

from franq_guard.serving.metrics import ServiceMetrics

_OPEN = frozenset({"/health", "/ready", "/openapi.json"})


class Doors:
    """ASGI middleware. It answers itself, before any of a body is parsed, where a request may not pass.

    Args:
        app: what stands behind it.
        token: what callers must send; None lets anybody in whose `Host` is this machine.
        local_only: without a token, whether the `Host` header must name this machine, so that no web site
            that resolves its own name to it can use a visitor's browser.
        max_body: bytes of a request.
        metrics: counts what was refused.
    """

    def __init__(
        self, app: Any, *, token: str | None, local_only: bool, max_body: int, metrics: ServiceMetrics
    ) -> None:
        self._app = app
        self._token = None if token is None else token.encode()
        self._local_only = local_only
        self._max_body = max_body
        self._metrics = metrics

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Lets a request pass, or answers it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if self._token is None and self._local_only and not _is_local(headers.get(b"host", b"")):
            await self._refuse(send, 421, "HostError", "this service is for this machine only")
        elif not self._may_pass(scope["path"], headers):
            await self._refuse(
                send, 401, "TokenError", "send the service's token: Authorization: Bearer TOKEN"
            )
        elif _length(headers) > self._max_body:
            await self._refuse(send, 413, "SizeError", self._too_large())
        else:
            await self._counted(scope, receive, send)

    def _may_pass(self, path: str, headers: dict[bytes, bytes]) -> bool:
        if self._token is None or path in _OPEN:
            return True
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self._token)

    async def _counted(self, scope: Any, receive: Any, send: Any) -> None:
        """Passes the request on, and ends it if its body turns out to be larger than allowed."""
        read = 0
        status = 500
        begun = time.perf_counter()

        async def limited_receive() -> Any:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._max_body:
                raise HTTPException(413, self._too_large())
            return message

        async def watched_send(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, limited_receive, watched_send)
        finally:
            path = scope["path"] if status not in (404, 405) else "other"
            self._metrics.request(path, status, time.perf_counter() - begun)

    def _too_large(self) -> str:
        return f"the request is larger than {self._max_body:,} bytes: send fewer answers at once"

    async def _refuse(self, send: Any, status: int, kind: str, message: str) -> None:
        self._metrics.refused(status)
        data = json.dumps({"error": {"type": kind, "message": message}}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(data)).encode()),
            (b"connection", b"close"),
        ]
        if status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": data})


def _is_local(host: bytes) -> bool:
    from franq_guard.serving.settings import is_loopback

    name = host.decode("latin-1")
    # An IPv6 address has colons of its own, in brackets.
    return is_loopback(name if name.endswith("]") else name.rpartition(":")[0] or name)


def _length(headers: dict[bytes, bytes]) -> int:
    value = headers.get(b"content-length", b"0")
    return int(value) if value.isdigit() else 0
