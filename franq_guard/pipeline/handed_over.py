"""Log-probabilities that the generator hands over, laid onto the characters of the answer.

OpenAI-style servers and chat models return one entry per generated token. With these, the pass over
question and passages is not needed: the numbers are those of the model that wrote the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from franq_guard.errors import InputError
from franq_guard.models.base import Tokens, TokenScores

_ROUNDING = 1e-6
"""How far above 0 a log-probability may lie."""


@dataclass(frozen=True, slots=True)
class TokenLogProb:
    """One generated token.

    Attributes:
        data: its UTF-8 bytes; a character may be spread over several tokens.
        log_prob: natural log, at most 0.
    """

    data: bytes
    log_prob: float


def as_token_log_probs(values: Sequence[Any]) -> tuple[TokenLogProb, ...]:
    """Reads OpenAI-style entries (`token`, `logprob`, optional `bytes`) or (text, log_prob) pairs.

    Raises:
        InputError: if an entry is not understood, or a log-probability is positive or NaN; says which.
    """
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Sequence):
        raise InputError("token_log_probs: expected a sequence of {'token', 'logprob'} entries")
    return tuple(_entry(value, f"token_log_probs[{index}]") for index, value in enumerate(values))


def _entry(value: Any, where: str) -> TokenLogProb:
    log_prob: Any
    if isinstance(value, TokenLogProb):
        data, log_prob = _bytes(value.data, where), value.log_prob
    elif isinstance(value, Mapping) and {"token", "logprob"} <= value.keys():
        raw = value.get("bytes")
        data, log_prob = _bytes(value["token"] if raw is None else raw, where), value["logprob"]
    elif isinstance(value, tuple | list) and len(value) == 2:
        data, log_prob = _bytes(value[0], where), value[1]
    else:
        raise InputError(f"{where}: expected {{'token': str, 'logprob': float}} or (text, log_prob)")
    if type(log_prob) is bool or not isinstance(log_prob, Real) or not log_prob <= _ROUNDING:
        raise InputError(f"{where}: {log_prob!r} is not a log-probability (a number of at most 0)")
    return TokenLogProb(data, min(float(log_prob), 0.0))


def _bytes(token: Any, where: str) -> bytes:
    if isinstance(token, str):
        return token.encode("utf-8", "surrogatepass")
    try:
        if isinstance(token, Sequence | bytearray):  # of whole numbers, or bytes
            return bytes(token)
    except (TypeError, ValueError):
        pass
    raise InputError(f"{where}: expected a str or UTF-8 bytes as the token, not {token!r:.80}")


def lay_onto(answer: str, entries: Sequence[TokenLogProb]) -> TokenScores | None:
    """Gives each entry the characters of the answer that it covers.

    The entries must spell the answer; white space and end tokens around it may differ.

    Returns:
        None if they spell something else: the answer was edited after it was generated.
    """
    core = answer.strip()
    spelled = b"".join(entry.data for entry in entries)
    # The last occurrence: what a model thinks aloud before its answer may hold the answer's words.
    start = spelled.rfind(core.encode("utf-8", "surrogatepass"))
    if not core or start < 0:
        return None
    # Character index of every byte of the answer's core, then of one past its end.
    char_of = np.repeat(np.arange(len(core)), [len(c.encode("utf-8", "surrogatepass")) for c in core])
    char_of = np.append(char_of, len(core)) + (len(answer) - len(answer.lstrip()))
    offsets: list[tuple[int, int]] = []
    log_probs: list[float] = []
    at = 0
    for entry in entries:
        low, high = max(at, start), min(at + len(entry.data), start + len(char_of) - 1)
        at += len(entry.data)
        if low < high:
            offsets.append((int(char_of[low - start]), int(char_of[high - 1 - start]) + 1))
            log_probs.append(max(entry.log_prob, -1e4))
    tokens = Tokens(answer, tuple(range(len(offsets))), np.asarray(offsets, dtype=np.int64).reshape(-1, 2))
    return TokenScores(tokens, np.asarray(log_probs, dtype=np.float64))
