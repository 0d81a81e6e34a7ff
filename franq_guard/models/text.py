"""Makes any text fit for a tokeniser, and keeps it from posing as part of the prompt."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_SURROGATES = re.compile("[\ud800-\udfff]")
# Markers of common chat templates, also those a given tokeniser does not know as special tokens.
_CHAT_MARKERS = re.compile(
    r"<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\s]{1,40}｜>|</?s>|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS)\]"
    r"|<</?SYS>>|<(?:start|end)_of_turn>|<(?:bos|eos|pad|unk)>"
)


def readable(text: str) -> str:
    """Replaces lone surrogates, which no tokeniser accepts, by U+FFFD; length and offsets stay."""
    return _SURROGATES.sub("\ufffd", text)


def neutralise(text: str, special_tokens: tuple[str, ...] = ()) -> str:
    """Breaks up whatever looks like a chat-template control token, so that it is read and not obeyed.

    A zero-width space after the token's first character is enough for a tokeniser to see plain text.

    Args:
        text: text from outside: a passage or a question.
        special_tokens: the tokeniser's own special tokens, such as `<|im_start|>`.
    """
    text, before = readable(text), None
    while text != before:  # one token may stand inside another
        before = text
        text = _CHAT_MARKERS.sub(lambda match: f"{match[0][0]}\u200b{match[0][1:]}", text)
        for token in special_tokens:
            if len(token) > 1 and token in text:
                text = text.replace(token, f"{token[0]}\u200b{token[1:]}")
    return text


def offsets_from_prefixes(prefixes: Sequence[str], text: str) -> NDArray[np.int64]:
    """Finds which characters of a decoded text each token covers.

    A prefix that ends inside a character decodes to U+FFFD there, so prefixes are compared with the
    text, not measured: every piece of a character gets that character's range.

    Args:
        prefixes: the first k tokens, decoded, for k = 0..T.
        text: all tokens, decoded.

    Returns:
        Shape (T, 2): start and end of each token.
    """
    reached = [
        next(
            (i for i, (a, b) in enumerate(zip(prefix, text, strict=False)) if a != b),
            min(len(prefix), len(text)),
        )
        for prefix in prefixes
    ]
    offsets = [(start, max(end, min(start + 1, len(text)))) for start, end in itertools.pairwise(reached)]
    return np.asarray(offsets, dtype=np.int64).reshape(-1, 2)
