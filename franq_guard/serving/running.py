"""Runs the service until it is told to stop; what is worked on then is finished first."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

from franq_guard.errors import ConfigError

if TYPE_CHECKING:
    import uvicorn

_BACKLOG = 2048
_SPARE_CONNECTIONS = 128


def listen(host: str, port: int) -> socket.socket:
    """Opens the port; 0 takes any free one.

    Raises:
        ConfigError: if it is taken, not allowed, or no address of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        opened = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ConfigError(f"cannot listen on {host}: {error.strerror or error}") from error
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        raise ConfigError(
            f"cannot listen on {host} port {port} ({error.strerror or error}): choose another with --port, "
            "or 0 for any free one"
        ) from error
    return opened


def url_of(opened: socket.socket) -> str:
    """The address of an open port."""
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def make_server(app: Any, *, connections: int, grace: float) -> uvicorn.Server:
    """A server for the application; `run(sockets=[...])` runs it until SIGTERM or SIGINT.

    Args:
        app: from `create_app`.
        connections: requests that may be open at once.
        grace: seconds that running requests get to finish when it is told to stop.
    """
    import uvicorn

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=connections + _SPARE_CONNECTIONS,
        timeout_graceful_shutdown=max(1, round(grace)),
    )
    return uvicorn.Server(config)
