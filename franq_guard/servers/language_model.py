"""A language model on an OpenAI-compatible completion server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from franq_guard.errors import InputError, ModelError
from franq_guard.models.base import Generation, Prompt, Tokens, TokenScores
from franq_guard.models.stretches import Stretch, stretches
from franq_guard.servers.address import ServerAddress
from franq_guard.servers.answers import Written, choices, models, written
from franq_guard.servers.client import ServerClient
from franq_guard.servers.dialect import Dialect, detect
from franq_guard.servers.pieces import decoded_offsets, plain
from franq_guard.servers.reading import answer_scores
from franq_guard.servers.tokenizers import ServedTokenizer, VllmTokenizer
from franq_guard.servers.trying import ServerRefusal

_CONTEXT = 2048
# Servers bring settings of their own, which would make the samples others than asked for.
_PLAIN_SAMPLING = {"min_p": 0.0, "repetition_penalty": 1.0, "repeat_penalty": 1.0}


@dataclass(frozen=True, slots=True)
class _Connection:
    """What was found out about a server.

    Attributes:
        model: the model's name there.
        context: most tokens it takes.
        tokenizer: of the model.
        dialect: how it scores prompts.
    """

    model: str
    context: int
    tokenizer: ServedTokenizer
    dialect: Dialect


class ServedLanguageModel:
    """A `LanguageModel` whose weights are on a server. Safe to share between threads and guards.

    The server is asked when this is made: what it can do, and whether its numbers agree with themselves.

    Args:
        address: of the server.

    Raises:
        ModelError: if the server cannot be reached, does not score prompts, or is none.
        CheckTimeoutError: if the time limit in force passes.
    """

    serves_many = True

    def __init__(self, address: ServerAddress) -> None:
        self._client = ServerClient(address)
        self._server = _connect(self._client)

    @property
    def id(self) -> str:
        """Names the model, wherever its server is."""
        return f"openai:{self._server.model}"

    @property
    def max_context(self) -> int:
        """Most tokens the server takes, prompt and answer together."""
        return self._server.context

    def tokenize(self, text: str) -> Tokens:
        """Tokenises an answer; text that looks like a control token is plain text."""
        if not text:
            return Tokens(text, (), np.zeros((0, 2), dtype=np.int64))
        return self._server.tokenizer.tokenize(text)

    def score(self, requests: Sequence[tuple[Prompt, Tokens]]) -> list[TokenScores]:
        """Log-probabilities of each answer under its prompt; all are asked for side by side.

        Servers that take token ids score the given ones, in stretches if they do not fit (see
        `TransformersLM.score`). Others read the text behind the prompt; where they then see other tokens than
        the given ones, the result carries theirs.

        Raises:
            InputError: if a prompt leaves no room for an answer.
            ModelError: if the server fails, or answers with something that was not asked for.
            CheckTimeoutError: if the time limit in force passes.
        """
        return self._score_ids(requests) if self._server.dialect.takes_ids else self._score_texts(requests)

    def _score_ids(self, requests: Sequence[tuple[Prompt, Tokens]]) -> list[TokenScores]:
        rendered = {prompt: self._prompt_ids(prompt) for prompt in dict.fromkeys(p for p, _ in requests)}
        plan: list[Stretch] = []
        for number, (prompt, tokens) in enumerate(requests):
            ids = rendered[prompt]
            # One token is left for the one that the server writes.
            plan.extend(stretches(number, ids, tokens.ids, room=self.max_context - len(ids) - 1))
        texts = [[*stretch.prompt, *stretch.targets] for stretch in plan]
        answers = self._complete(self._server.dialect.body(self._server.model, text) for text in texts)
        parts: list[list[Any]] = [[] for _ in requests]
        for stretch, text, answer in zip(plan, texts, answers, strict=True):
            wanted = len(stretch.targets) - stretch.skip
            parts[stretch.request].append(self._server.dialect.scored_ids(answer, text, wanted))
        return [
            TokenScores(tokens, np.concatenate(found) if found else np.zeros(0), stretches=max(1, len(found)))
            for (_, tokens), found in zip(requests, parts, strict=True)
        ]

    def _score_texts(self, requests: Sequence[tuple[Prompt, Tokens]]) -> list[TokenScores]:
        server = self._server
        wanted = [(prompt, tokens) for prompt, tokens in requests if tokens.ids]
        bodies = []
        for prompt, tokens in wanted:
            self._require_room(len(server.tokenizer.prompt_ids(prompt)), len(tokens.ids))
            text = self._rendered(prompt) + self._plain_answer(tokens)
            bodies.append(server.dialect.body(server.model, text))
        found = iter(
            answer_scores(
                tokens, self._plain_answer(tokens), server.tokenizer, *server.dialect.scored_text(answer)
            )
            for (_, tokens), answer in zip(wanted, self._complete(bodies), strict=True)
        )
        return [next(found) if tokens.ids else TokenScores(tokens, np.zeros(0)) for _, tokens in requests]

    def generate(self, prompts: Sequence[Prompt], *, max_new_tokens: int = 256) -> list[Generation]:
        """Greedy decoding; all prompts are asked for side by side.

        Raises:
            InputError: if a prompt leaves no room for an answer.
            ModelError: as `score`.
            CheckTimeoutError: as `score`.
        """
        bodies = [{**self._writing(prompt, max_new_tokens), "temperature": 0} for prompt in prompts]
        return [self._generation(written(choices(answer)[0])) for answer in self._complete(bodies)]

    def sample(
        self,
        prompt: Prompt,
        *,
        n: int = 10,
        temperature: float = 1.0,
        top_k: int = 50,
        top_p: float = 1.0,
        max_new_tokens: int = 64,
        seed: int | None = None,
    ) -> list[Generation]:
        """Draws `n` answers to one prompt, in one request if the server can.

        Raises:
            InputError: if a setting is out of range, or the prompt leaves no room for an answer.
            ModelError: as `score`.
            CheckTimeoutError: as `score`.
        """
        if n < 1 or temperature <= 0 or top_k < 0 or not 0 < top_p <= 1:
            raise InputError(
                "sampling needs n >= 1, temperature > 0, top_k >= 0 and top_p in (0, 1], "
                f"not n={n}, temperature={temperature}, top_k={top_k}, top_p={top_p}"
            )
        body = self._writing(prompt, max_new_tokens)
        # "All tokens" is -1 in older releases of vLLM, and 0 elsewhere.
        all_tokens = -1 if self._server.dialect.name == "prompt_logprobs" else 0
        body |= {"temperature": temperature, "top_p": top_p, "top_k": top_k or all_tokens}
        drawn = choices(self._complete([body | {"n": n} | _seed(seed, 0)])[0])[:n]
        # Some servers write one text, whatever they are asked for.
        missing = [body | {"n": 1} | _seed(seed, number) for number in range(len(drawn), n)]
        drawn += [choices(answer)[0] for answer in self._complete(missing)]
        return [self._generation(written(choice)) for choice in drawn]

    def _writing(self, prompt: Prompt, max_new_tokens: int) -> dict[str, Any]:
        ids = self._prompt_ids(prompt)
        self._require_room(len(ids), 1)
        return {
            "model": self._server.model,
            "prompt": ids if self._server.dialect.takes_ids else self._rendered(prompt),
            "max_tokens": min(max_new_tokens, self.max_context - len(ids)),
            "logprobs": 1,
            **_PLAIN_SAMPLING,
        }

    def _generation(self, found: Written) -> Generation:
        again = self.tokenize(found.text)
        count = len(found.pieces)
        ended = None
        if found.ended and _shows_its_end(found, len(again.ids)):
            count, ended = count - 1, float(found.log_probs[-1])
        if len(again.ids) != count:
            offsets = decoded_offsets(found.pieces[:count], found.text)
            if offsets is None:
                raise ModelError("the model server sent tokens that do not spell the text it wrote")
            again = Tokens(found.text, tuple(range(count)), offsets)
        return Generation(found.text, TokenScores(again, found.log_probs[:count]), ended)

    def _prompt_ids(self, prompt: Prompt) -> list[int]:
        return self._server.tokenizer.prompt_ids(prompt)

    def _rendered(self, prompt: Prompt) -> str:
        text = self._server.tokenizer.render(prompt)
        if text is None:
            raise ModelError("this server takes prompts as text; name the model's tokeniser with #tokenizer=")
        return text

    def _plain_answer(self, tokens: Tokens) -> str:
        return plain(tokens.text[: int(tokens.offsets[-1][1])], self._server.tokenizer.special_tokens)[0]

    def _require_room(self, prompt: int, answer: int) -> None:
        if prompt + answer >= self.max_context:
            raise InputError(
                f"prompt and answer have {prompt + answer} tokens; the server takes {self.max_context}. Give "
                "fewer or shorter passages, or lower max_answer_tokens"
            )

    def _complete(self, bodies: Any) -> list[Any]:
        return self._client.post_all(f"{self._client.address.url}/completions", list(bodies))


def _shows_its_end(found: Written, tokens: int) -> bool:
    """True if the last piece is the end token: some servers list it, and none has it in the text."""
    if not found.pieces or tokens == len(found.pieces):
        return False
    return (
        tokens + 1 == len(found.pieces)
        or not found.pieces[-1]
        or decoded_offsets(found.pieces, found.text) is None
    )


def _seed(seed: int | None, number: int) -> dict[str, int]:
    return {} if seed is None else {"seed": seed + number}


def _connect(client: ServerClient) -> _Connection:
    address = client.address
    listed = models(client.get(f"{address.url}/models"))
    named = [one for one in listed if one["id"] == address.model] if address.model else listed
    if len(named) != 1:
        known = ", ".join(sorted(str(one["id"]) for one in listed))
        raise ModelError(
            f"the model server at {address.url} serves {known}; name one of them with #model=NAME"
        )
    model = str(named[0]["id"])
    context = address.context or _whole(named[0].get("max_model_len")) or _CONTEXT
    tokenizer = _tokenizer(client, model)
    return _Connection(model, context, tokenizer, detect(client, model, tokenizer))


def _tokenizer(client: ServerClient, model: str) -> ServedTokenizer:
    if client.address.tokenizer:
        from franq_guard.models.local_tokenizer import LocalTokenizer

        return LocalTokenizer(client.address.tokenizer)
    tokenizer = VllmTokenizer(client, model)
    try:
        tokenizer.tokenize("a")
    except ServerRefusal as error:
        if error.status in (401, 403):
            raise
        raise ModelError(
            f"the model server at {client.address.url} does not tokenise ({error.status}); name the model's "
            "tokeniser with #tokenizer=hf:org/name, a folder or a GGUF file"
        ) from None
    return tokenizer


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
