"""How a completion server scores prompts: found out once, by asking it to score what it wrote itself.

Servers agree on the request and differ in the rest. vLLM returns `prompt_logprobs`, by token id; others
repeat the prompt (`echo`) with `logprobs`; some take token ids as a prompt, some only text. Some accept all
of this and return numbers of other tokens. So each way is tried in turn on a text whose log-probabilities are
known, because the server has just written it, and the first that gives the same numbers is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from franq_guard.errors import ModelError
from franq_guard.models.base import FloatArray, Prompt
from franq_guard.servers.answers import MalformedAnswer, choices, generated_tokens, prompt_log_probs, written
from franq_guard.servers.client import ServerClient
from franq_guard.servers.tokenizers import ServedTokenizer
from franq_guard.servers.trying import ServerRefusal

_PROBE = Prompt("Count from one to ten, in words.")
_PROBE_TOKENS = 12
# Some servers say "internal error" to a prompt of a type they do not take.
_REFUSALS = (500,)
_CLOSE = 0.25
"""Nats by which a token may differ, on average, between being written and being read: kernels differ."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way to have a prompt scored.

    Attributes:
        name: "prompt_logprobs" (vLLM) or "echo".
        takes_ids: whether prompts are token ids; else they are text.
    """

    name: Literal["prompt_logprobs", "echo"]
    takes_ids: bool

    def body(self, model: str, prompt: str | list[int]) -> dict[str, Any]:
        """The request that has a prompt scored."""
        ask: dict[str, Any] = (
            {"prompt_logprobs": 1} if self.name == "prompt_logprobs" else {"echo": True, "logprobs": 1}
        )
        # No server writes nothing, so one token is asked for and thrown away.
        return {"model": model, "prompt": prompt, "max_tokens": 1, "temperature": 0, **ask}

    def scored_ids(self, answer: Any, ids: list[int], count: int) -> FloatArray:
        """Log-probabilities of the last `count` token ids of a prompt, shape (count,).

        Raises:
            MalformedAnswer: if the answer does not hold them.
        """
        [choice, *_] = choices(answer)
        if self.name == "prompt_logprobs":
            values = prompt_log_probs(choice, ids)
        else:
            values = self.scored_text(answer)[1]
            # Start tokens may be left out of what is repeated.
            if not count <= len(values) <= len(ids):
                raise MalformedAnswer(
                    "the model server sent log-probabilities of other tokens than it was asked for"
                )
        found = values[len(values) - count :]
        if not np.isfinite(found).all():
            raise MalformedAnswer("the model server sent no log-probability for some tokens")
        return found

    def scored_text(self, answer: Any) -> tuple[tuple[str, ...], FloatArray]:
        """The prompt's tokens, decoded, and their log-probabilities; NaN for the first.

        Raises:
            MalformedAnswer: if the answer does not hold them.
        """
        [choice, *_] = choices(answer)
        found = written(choice)
        end = len(found.pieces) - generated_tokens(answer)
        if end < 2:
            raise MalformedAnswer("the model server sent no log-probabilities of the prompt's tokens")
        return found.pieces[:end], found.log_probs[:end]


_DIALECTS = (Dialect("prompt_logprobs", True), Dialect("echo", True), Dialect("echo", False))


def detect(client: ServerClient, model: str, tokenizer: ServedTokenizer) -> Dialect:
    """Finds out how a server scores prompts.

    Raises:
        ModelError: if it does not, or gives other numbers than for the same text when it wrote it.
        CheckTimeoutError: if the time limit in force passes.
    """
    url = f"{client.address.url}/completions"
    ids, text = tokenizer.prompt_ids(_PROBE), tokenizer.render(_PROBE)
    seen: list[str] = []
    for dialect in _DIALECTS:
        prompt: str | list[int] | None = ids if dialect.takes_ids else text
        if prompt is None:
            continue
        try:
            off = _difference(client, url, model, tokenizer, dialect, prompt)
        except (ServerRefusal, MalformedAnswer) as error:
            if isinstance(error, ServerRefusal) and error.status in (401, 403, 404):
                raise
            seen.append(f"{_name(dialect)}: {error}")
            continue
        if off <= _CLOSE:
            return dialect
        seen.append(
            f"{_name(dialect)}: its numbers are {off:.1f} nats off those it gave when it wrote the text"
        )
    raise ModelError(
        f"the model server at {client.address.url} does not score prompts ({'; '.join(seen)}). vLLM "
        "does, and the server of llama-cpp-python with --logits_all true for models whose prompts begin with "
        "their start token"
    )


def _difference(
    client: ServerClient,
    url: str,
    model: str,
    tokenizer: ServedTokenizer,
    dialect: Dialect,
    prompt: str | list[int],
) -> float:
    """Nats per token between what the server says of a text when it writes it, and when it reads it."""
    body = {"model": model, "prompt": prompt, "max_tokens": _PROBE_TOKENS, "temperature": 0, "logprobs": 1}
    wrote = written(choices(client.post(url, body, final=_REFUSALS))[0])
    tokens = tokenizer.tokenize(wrote.text)
    count = len(tokens.ids)
    # An end token has a log-probability, but no place in the text.
    if not 1 <= count <= len(wrote.log_probs) <= count + 1:
        raise MalformedAnswer(
            "the model server's tokens are not those of its tokeniser; name it with #tokenizer="
        )
    if isinstance(prompt, str):
        answer = client.post(url, dialect.body(model, prompt + wrote.text), final=_REFUSALS)
        read = dialect.scored_text(answer)[1][-count:]
    else:
        ids = [*prompt, *tokens.ids]
        read = dialect.scored_ids(client.post(url, dialect.body(model, ids), final=_REFUSALS), ids, count)
    return float(np.abs(read - wrote.log_probs[:count]).mean())


def _name(dialect: Dialect) -> str:
    return f"{dialect.name} with {'token ids' if dialect.takes_ids else 'text'}"
