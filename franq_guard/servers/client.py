"""HTTP to a model server: pooled, bounded, retried within the time there is; silent about content."""

from __future__ import annotations

import json
import os
import time
import weakref
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from franq_guard.errors import CheckTimeoutError, ModelError
from franq_guard.runtime.locks import ForkLock
from franq_guard.runtime.time_limit import TimeLimit, time_limit
from franq_guard.servers.address import ServerAddress
from franq_guard.servers.trying import Later, ServerRefusal, with_retries

if TYPE_CHECKING:
    import httpx

_CONNECT_SECONDS = 5.0
_MOST_BYTES = 64 * 2**20
_MOST_WAITING = 4096
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})


class ServerClient:
    """Speaks JSON with one server. Safe to share between threads and with forked processes.

    At most `address.concurrency` requests are in flight; further ones wait, and beyond a few thousand they
    are refused. Every request ends by the time limit in force (`runtime.time_limit`), or after
    `address.timeout`.

    Args:
        address: of the server.
    """

    def __init__(self, address: ServerAddress) -> None:
        self.address = address
        self._lock = ForkLock()
        self._pool: _Pool | None = None
        self._waiting = 0

    def get(self, url: str) -> Any:
        """The JSON at a URL.

        Raises:
            ModelError: if the server cannot be reached, fails, or answers with something else than JSON.
            CheckTimeoutError: if the time limit in force passes.
        """
        return self._all([("GET", url, None)])[0]

    def post(self, url: str, body: object, *, final: Collection[int] = ()) -> Any:
        """What the server answers to one JSON document; errors as `get`.

        Args:
            url: where to.
            body: the document.
            final: statuses that are a refusal here, though they are tried again elsewhere.
        """
        return self._all([("POST", url, body)], final)[0]

    def post_all(self, url: str, bodies: Sequence[object]) -> list[Any]:
        """What the server answers to several JSON documents, asked side by side; order is kept.

        Raises:
            ModelError: as `get`, if one of them fails; those that were not sent yet are dropped.
            CheckTimeoutError: as `get`.
        """
        return self._all([("POST", url, body) for body in bodies])

    def _all(self, requests: Sequence[tuple[str, str, object]], final: Collection[int] = ()) -> list[Any]:
        limit = time_limit()
        if limit is not None:
            limit.check()
        with self._lock:
            if self._waiting and self._waiting + len(requests) > _MOST_WAITING:
                raise ModelError(
                    f"{self._waiting:,} requests already wait for {self.address.url}: check fewer answers at "
                    "once, or raise #concurrency= if the server can take more"
                )
            self._waiting += len(requests)
            if self._pool is None or not self._pool.is_ours():
                self._pool = _Pool(self.address)
                weakref.finalize(self, self._pool.close)
            pool = self._pool
        futures: list[Future[Any]] = []
        try:
            for request in requests:
                futures.append(pool.threads.submit(self._send, pool, *request, limit, final))
            return [_result(future, limit) for future in futures]
        finally:
            for future in futures:
                future.cancel()
            with self._lock:
                self._waiting -= len(requests)

    def _send(
        self,
        pool: _Pool,
        method: str,
        url: str,
        body: object,
        limit: TimeLimit | None,
        final: Collection[int],
    ) -> Any:
        end = time.monotonic() + self.address.timeout

        def left() -> float:
            own = end - time.monotonic()
            theirs = None if limit is None else limit.left()
            return own if theirs is None else min(own, theirs)

        def attempt() -> Any:
            if limit is not None:
                limit.check()
            return self._once(pool, method, url, body, left, final)

        try:
            return with_retries(attempt, left)
        except Later as error:
            if limit is not None:
                limit.check()
            raise ModelError(f"{self._place(url)} {error}") from None

    def _once(
        self,
        pool: _Pool,
        method: str,
        url: str,
        body: object,
        left: Callable[[], float],
        final: Collection[int],
    ) -> Any:
        import httpx

        key = self.address.key()
        seconds = max(0.001, left())
        options: dict[str, Any] = {
            "headers": {"Authorization": f"Bearer {key}"} if key else {},
            "timeout": httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS)),
        }
        if body is not None:
            options["content"] = json.dumps(body, ensure_ascii=True).encode()
            options["headers"]["Content-Type"] = "application/json"
        try:
            with pool.http.stream(method, url, **options) as response:
                if response.status_code != 200:
                    raise self._failure(response, url, final)
                data = self._read(response, url, left)
        except httpx.ConnectError:
            raise Later("cannot be reached: is it running, and is the address right?") from None
        except httpx.TimeoutException:
            raise Later("did not answer in time", final=left() <= 0) from None
        except httpx.TransportError as error:
            raise Later(f"cut the connection ({type(error).__name__})") from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, UnicodeError) as error:
            raise ModelError(f"{self._place(url)} cannot be asked ({type(error).__name__})") from None
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise ModelError(f"{self._place(url)} answered with something else than JSON") from None

    def _read(self, response: httpx.Response, url: str, left: Callable[[], float]) -> bytes:
        data = bytearray()
        for piece in response.iter_bytes():
            data += piece
            # A server that sends a byte now and then never runs into a timeout of its own.
            if left() <= 0:
                raise Later("did not answer in time", final=True)
            if len(data) > _MOST_BYTES:
                raise ModelError(f"{self._place(url)} answered with more than {_MOST_BYTES:,} bytes")
        return bytes(data)

    def _failure(self, response: httpx.Response, url: str, final: Collection[int]) -> Exception:
        status = response.status_code
        if status in _RETRIED and status not in final:
            return Later(f"answered with {status}", after=response.headers.get("Retry-After"))
        # The body may repeat the prompt, so it is not passed on.
        hints = {
            400: "is the model's name right, and does the text fit its context?",
            401: f"put its key into the environment variable {self.address.key_env}",
            403: f"is the key in the environment variable {self.address.key_env} allowed to do this?",
            404: "are the address and the model's name right?",
            413: "the text is longer than it takes",
            422: "is it a server of this kind?",
        }
        hint = hints.get(status, "is the address right?")
        return ServerRefusal(f"{self._place(url)} refused with {status}: {hint}", status=status)

    def _place(self, url: str) -> str:
        return f"the model server at {url}"


class _Pool:
    """Connections and threads of one process."""

    def __init__(self, address: ServerAddress) -> None:
        import httpx

        self._process = os.getpid()
        most = address.concurrency
        self.http = httpx.Client(
            limits=httpx.Limits(max_connections=most, max_keepalive_connections=most),
            headers={"Accept": "application/json", "User-Agent": "franq-guard"},
        )
        self.threads = ThreadPoolExecutor(max_workers=most, thread_name_prefix="franq-guard server")

    def close(self) -> None:
        """Ends connections and threads; those of another process are left alone."""
        if self.is_ours():
            self.threads.shutdown(wait=False, cancel_futures=True)
            self.http.close()

    def is_ours(self) -> bool:
        """False in a process that was forked off the one that made it."""
        return os.getpid() == self._process


def _result(future: Future[Any], limit: TimeLimit | None) -> Any:
    while True:
        try:
            return future.result(None if limit is None else limit.left())
        except CheckTimeoutError:
            raise
        except TimeoutError:
            if limit is not None:
                limit.check()
