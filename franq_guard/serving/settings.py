"""What the service allows."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass

from franq_guard.errors import ConfigError

TOKEN_VARIABLE = "FRANQ_GUARD_TOKEN"  # noqa: S105 (the variable's name)
_SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """Limits of the service, each there to keep one caller from taking it from the others.

    Attributes:
        token: what callers must send as `Authorization: Bearer`; None lets anybody in. Never shown.
        timeout: seconds for one request, waiting included.
        max_body: bytes of a request.
        max_items: answers in one request.
        max_pairs: pairs of texts in one request.
        concurrency: requests that are worked on at once.
        max_waiting: further requests that wait; those beyond are told to come back.

    Raises:
        ConfigError: if a limit is out of range, or the token is too short.
    """

    token: str | None = None
    timeout: float = 60.0
    max_body: int = 4 * 2**20
    max_items: int = 64
    max_pairs: int = 4096
    concurrency: int = 8
    max_waiting: int = 64

    def __post_init__(self) -> None:
        if self.token is not None and len(self.token) < _SHORTEST_TOKEN:
            raise ConfigError(
                f"the token in {TOKEN_VARIABLE} must have at least {_SHORTEST_TOKEN} characters; make one "
                "with `openssl rand -hex 32`"
            )
        if not self.timeout > 0:
            raise ConfigError("the service's timeout must be above 0 seconds")
        limits = (self.max_body, self.max_items, self.max_pairs, self.concurrency)
        if min(limits) < 1 or self.max_waiting < 0:
            raise ConfigError("the service's limits must be at least 1, and max_waiting at least 0")

    def __repr__(self) -> str:
        """Without the token."""
        return f"ServiceSettings(token={'set' if self.token else None}, timeout={self.timeout})"


def token_from_environment() -> str | None:
    """The token that callers must send, from `FRANQ_GUARD_TOKEN`; None if it is not set."""
    return os.environ.get(TOKEN_VARIABLE) or None


def require_safe(host: str, token: str | None, *, insecure: bool) -> None:
    """Refuses to let the whole network in.

    Raises:
        ConfigError: if others than this machine can reach `host` and there is no token.
    """
    if token is None and not insecure and not is_loopback(host):
        raise ConfigError(
            f"anybody who reaches {host} could use this service: set {TOKEN_VARIABLE} to a token that "
            "callers must send, listen on 127.0.0.1, or say --insecure if something else guards it"
        )


def is_loopback(host: str) -> bool:
    """True if only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
