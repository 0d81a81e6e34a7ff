"""Where a model server is and how to speak to it, written as one string.

* `openai:http://host:8000/v1#model=NAME`: an OpenAI-compatible completion server that scores prompts.
* `franq:http://host:8700`: the alignment model of a `franq-guard serve`.

Options stand behind `#`, joined by `&`. Keys never do: they come from an environment variable, so that no
configuration, id, log or report holds one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

from franq_guard.errors import ModelError

OPENAI = "openai:"
FRANQ = "franq:"

_FORMS = {
    OPENAI: "openai:http://host:8000/v1#model=NAME",
    FRANQ: "franq:http://host:8700",
}
_KEYS = {OPENAI: "FRANQ_GUARD_API_KEY", FRANQ: "FRANQ_GUARD_TOKEN"}
_OPTIONS = {
    OPENAI: ("model", "tokenizer", "context", "key_env", "timeout", "concurrency"),
    FRANQ: ("key_env", "timeout", "concurrency"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """A parsed server source.

    Attributes:
        kind: "openai" or "franq".
        url: what paths are appended to; without a slash at its end.
        model: the model's name on the server; "" for its only one.
        tokenizer: source of the model's tokeniser; "" to ask the server.
        context: most tokens the server takes; 0 to ask it.
        key_env: environment variable that holds the key or token.
        timeout: seconds for one request, with all its retries.
        concurrency: requests in flight at once.
    """

    kind: Literal["openai", "franq"]
    url: str
    model: str = ""
    tokenizer: str = ""
    context: int = 0
    key_env: str
    timeout: float = 60.0
    concurrency: int = 16

    @property
    def root(self) -> str:
        """The URL without `/v1` at its end: some endpoints lie beside the OpenAI ones."""
        return self.url.removesuffix("/v1")

    def key(self) -> str | None:
        """The key, read from the environment now; None if there is none."""
        return os.environ.get(self.key_env, "").strip() or None


def is_server(source: str) -> bool:
    """True if the source names a server and not weights."""
    return source.startswith((OPENAI, FRANQ))


def parse_server(source: str) -> ServerAddress:
    """Parses a server source.

    Raises:
        ModelError: if it is not one; the message never repeats user names, passwords or queries.
    """
    prefix = OPENAI if source.startswith(OPENAI) else FRANQ
    address, _, fragment = source.removeprefix(prefix).partition("#")
    url = _url(address, _FORMS[prefix])
    options = _options(fragment, prefix)
    try:
        timeout = float(options.get("timeout", "60"))
        concurrency = int(options.get("concurrency", "16"))
        context = int(options.get("context", "0"))
    except ValueError as error:
        raise ModelError(f"a server's timeout, concurrency and context are numbers: {error}") from None
    if not 0 < timeout < 86_400 or not 1 <= concurrency <= 1024 or not 0 <= context < 2**31:
        raise ModelError(
            "a server's timeout must lie between 0 and 86400 s, its concurrency between 1 and 1024, and its "
            "context must not be negative"
        )
    return ServerAddress(
        kind="openai" if prefix == OPENAI else "franq",
        url=url,
        model=options.get("model", ""),
        tokenizer=options.get("tokenizer", ""),
        context=context,
        key_env=options.get("key_env", _KEYS[prefix]),
        timeout=timeout,
        concurrency=concurrency,
    )


def _url(address: str, form: str) -> str:
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise ModelError(f"a server source is of the form {form}: host or port is not valid") from None
    if parts.scheme not in ("http", "https") or not host or any(c.isspace() for c in address):
        raise ModelError(f"a server source is of the form {form}, with http or https")
    if parts.username is not None or parts.password is not None or parts.query:
        raise ModelError(
            f"a server source is of the form {form}, without user name, password or query: put the key into "
            "an environment variable, and name that with #key_env=NAME"
        )
    return address.rstrip("/")


def _options(fragment: str, prefix: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for pair in filter(None, fragment.split("&")):
        name, equals, value = pair.partition("=")
        if name not in _OPTIONS[prefix] or not equals or not value:
            known = ", ".join(_OPTIONS[prefix])
            raise ModelError(
                f"a server source takes the options {known}, each as NAME=VALUE; not {name!r:.40}"
            )
        options[name] = unquote(value)
    return options
