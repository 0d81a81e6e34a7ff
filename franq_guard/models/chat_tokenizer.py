"""From texts and prompts to token ids and back, with the place of every token in its text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from franq_guard.models.base import Prompt, Tokens
from franq_guard.models.text import neutralise, offsets_from_prefixes, readable
from franq_guard.runtime.locks import ForkLock

# Templates that print today's date would change the numbers from day to day.
_DATE = "26 Jul 2024"


class ChatTokenizer:
    """Wraps a fast Hugging Face tokeniser. Safe to share between threads.

    Args:
        tokenizer: the tokeniser, with a chat template or without.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._lock = ForkLock()  # fast tokenisers are not thread-safe
        self._special_tokens = tuple(str(token) for token in tokenizer.added_tokens_decoder.values())

    def tokenize(self, text: str) -> Tokens:
        """Tokenises an answer; text that looks like a special token is plain text."""
        with self._lock:
            encoded = self._tokenizer(
                readable(text),
                add_special_tokens=False,
                return_offsets_mapping=True,
                split_special_tokens=True,
                verbose=False,
            )
        offsets = np.asarray(encoded["offset_mapping"], dtype=np.int64).reshape(-1, 2)
        return Tokens(text, tuple(encoded["input_ids"]), offsets)

    def prompt_ids(self, prompt: Prompt) -> list[int]:
        """Token ids of a prompt, up to where the model starts to answer.

        The chat template writes its own start token; without a template the tokeniser adds it.
        """
        user = neutralise(prompt.user, self._special_tokens)
        system = neutralise(prompt.system, self._special_tokens) if prompt.system else None
        with self._lock:
            if self._tokenizer.chat_template is None:
                text = f"{system}\n\n{user}\n\nAnswer:" if system else f"{user}\n\nAnswer:"
                ids = list(self._tokenizer(text, verbose=False)["input_ids"])
                # Some tokenisers end every text; the answer is still to come.
                return ids[:-1] if ids and ids[-1] == self._tokenizer.eos_token_id else ids
            text = self._render(system, user)
            return list(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def _render(self, system: str | None, user: str) -> str:
        import jinja2

        fixed: dict[str, Any] = {"add_generation_prompt": True, "tokenize": False, "date_string": _DATE}
        turn = {"role": "user", "content": user}
        if system is None:
            return str(self._tokenizer.apply_chat_template([turn], **fixed))
        try:
            messages = [{"role": "system", "content": system}, turn]
            return str(self._tokenizer.apply_chat_template(messages, **fixed))
        except jinja2.TemplateError:  # some templates know no system role
            turn = {"role": "user", "content": f"{system}\n\n{user}"}
            return str(self._tokenizer.apply_chat_template([turn], **fixed))

    def locate(self, ids: Sequence[int]) -> Tokens:
        """Finds the characters of generated ids, which may not be how the text would be tokenised anew."""
        text = self._decode(ids)
        again = self.tokenize(text)
        if again.ids == tuple(ids):
            return again
        prefixes = [self._decode(ids[:k]) for k in range(len(ids) + 1)]
        return Tokens(text, tuple(ids), offsets_from_prefixes(prefixes, text))

    def text_of(self, token: int) -> str:
        """The characters of a single token; a special token has none."""
        return self._decode([token])

    def _decode(self, ids: Sequence[int]) -> str:
        with self._lock:
            return str(self._tokenizer.decode(ids, skip_special_tokens=True))
