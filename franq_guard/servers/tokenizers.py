"""The tokeniser of a model that runs on a server: the server's own, or a local copy."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Protocol

from franq_guard.errors import ModelError
from franq_guard.models.base import Prompt, Tokens
from franq_guard.runtime.locks import ForkLock
from franq_guard.servers.answers import MalformedAnswer
from franq_guard.servers.client import ServerClient
from franq_guard.servers.pieces import back, plain, vocabulary_offsets
from franq_guard.servers.trying import ServerRefusal

_REMEMBERED = 512
# Templates that print today's date would change the numbers from day to day.
_TEMPLATE = {"date_string": "26 Jul 2024"}


class ServedTokenizer(Protocol):
    """Texts and prompts to token ids."""

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """Control tokens, as they are written in a text."""
        ...

    def tokenize(self, text: str) -> Tokens:
        """Tokenises an answer, without special tokens."""
        ...

    def prompt_ids(self, prompt: Prompt) -> list[int]:
        """Token ids of a prompt, up to where the model starts to answer."""
        ...

    def render(self, prompt: Prompt) -> str | None:
        """The prompt as text; None if it cannot be told."""
        ...


class VllmTokenizer:
    """Asks vLLM's `/tokenize`; what was asked last is not asked again. Safe to share between threads.

    Args:
        client: of the server.
        model: the model's name there.
    """

    special_tokens: tuple[str, ...] = ()

    def __init__(self, client: ServerClient, model: str) -> None:
        self._client = client
        self._model = model
        self._known: OrderedDict[str, Tokens] = OrderedDict()
        self._looking = ForkLock()

    @property
    def _url(self) -> str:
        return f"{self._client.address.root}/tokenize"

    def tokenize(self, text: str) -> Tokens:
        """Tokenises an answer; text that looks like a control token is plain text.

        Raises:
            ModelError: if the server fails, or spells its tokens in a way that is not known.
        """
        with self._looking:
            if text in self._known:
                self._known.move_to_end(text)
                return self._known[text]
        tokens = self._asked(text)
        with self._looking:
            self._known[text] = tokens
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return tokens

    def _asked(self, text: str) -> Tokens:
        safe, origin = plain(text)
        body = {"prompt": safe, "add_special_tokens": False, "return_token_strs": True}
        answer = self._client.post(self._url, {"model": self._model, **body})
        ids, pieces = _ids(answer), answer.get("token_strs")
        if not isinstance(pieces, list) or len(pieces) != len(ids):
            raise MalformedAnswer(
                "the model server does not say what its tokens stand for; name the model's tokeniser with "
                "#tokenizer=hf:org/name"
            )
        offsets = vocabulary_offsets([str(piece) for piece in pieces], safe)
        if offsets is None:
            raise ModelError(
                "the model server spells its tokens in a way that is not known; name the model's tokeniser "
                "with #tokenizer=hf:org/name"
            )
        return Tokens(text, tuple(ids), back(offsets, origin))

    def prompt_ids(self, prompt: Prompt) -> list[int]:
        """Token ids of a prompt in the server's chat template.

        A template without a system role gets one turn; a model without template gets plain text.
        """
        user = plain(prompt.user)[0]
        system = plain(prompt.system)[0] if prompt.system else None
        merged = f"{system}\n\n{user}" if system else user
        turns = [{"role": "user", "content": merged}]
        apart = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        for messages in (apart, turns) if system else (turns,):
            body = {"messages": messages, "add_generation_prompt": True, "add_special_tokens": False}
            try:
                return _ids(self._post({**body, "chat_template_kwargs": _TEMPLATE}))
            except ServerRefusal as error:
                if error.status != 400:
                    raise
        return _ids(self._post({"prompt": f"{merged}\n\nAnswer:", "add_special_tokens": True}))

    def _post(self, body: Mapping[str, Any]) -> Any:
        return self._client.post(self._url, {"model": self._model, **body})

    def render(self, prompt: Prompt) -> str | None:
        """None: a server that has this endpoint takes token ids."""
        return None


def _ids(answer: Any) -> list[int]:
    ids = answer.get("tokens") if isinstance(answer, Mapping) else None
    if not isinstance(ids, list) or not all(
        isinstance(one, int) and not isinstance(one, bool) for one in ids
    ):
        raise MalformedAnswer("the model server sent no token ids")
    return ids
