"""What completion servers answer, read with suspicion: nothing that a server sends is taken for granted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from franq_guard.errors import ModelError
from franq_guard.models.base import FloatArray

_ROUNDING = 1e-3
_LEAST = -1e4


class MalformedAnswer(ModelError):
    """A server's answer lacks what was asked for."""


@dataclass(frozen=True, slots=True)
class Written:
    """One text that a server wrote, or a prompt that it repeated.

    Attributes:
        text: the text.
        pieces: its tokens, decoded one by one.
        log_probs: natural logs, at most 0, shape (T,); NaN for the first token of a prompt.
        ended: whether the model ended it, and not the length limit.
    """

    text: str
    pieces: tuple[str, ...]
    log_probs: FloatArray
    ended: bool


def choices(answer: Any) -> list[Mapping[str, Any]]:
    """The completions in an answer, by index.

    Raises:
        MalformedAnswer: if there is none.
    """
    found = answer.get("choices") if isinstance(answer, Mapping) else None
    if not isinstance(found, list) or not found or not all(isinstance(one, Mapping) for one in found):
        raise MalformedAnswer("the model server sent no completions")
    return sorted(found, key=lambda one: _whole(one.get("index"), 0))


def written(choice: Mapping[str, Any]) -> Written:
    """Reads a completion with its log-probabilities.

    Raises:
        MalformedAnswer: if it has none, or they are no log-probabilities.
    """
    text, found = choice.get("text"), choice.get("logprobs")
    if not isinstance(text, str) or not isinstance(found, Mapping):
        raise MalformedAnswer("the model server sent a completion without log-probabilities")
    pieces, values = found.get("tokens"), found.get("token_logprobs")
    if (
        not isinstance(pieces, list)
        or not isinstance(values, list)
        or len(pieces) != len(values)
        or not all(isinstance(piece, str) for piece in pieces)
    ):
        raise MalformedAnswer(
            "the model server sent tokens and log-probabilities that do not belong together"
        )
    log_probs = np.asarray(
        [math.nan if value is None and index == 0 else log_prob(value) for index, value in enumerate(values)],
        dtype=np.float64,
    )
    return Written(text, tuple(pieces), log_probs, choice.get("finish_reason") == "stop")


def prompt_log_probs(choice: Mapping[str, Any], ids: Sequence[int]) -> FloatArray:
    """Reads vLLM's `prompt_logprobs`: one mapping from token id to log-probability for each prompt token.

    Args:
        choice: the completion.
        ids: of the prompt.

    Returns:
        Shape (len(ids),); NaN for the first.

    Raises:
        MalformedAnswer: if there are none, or they belong to other tokens.
    """
    found = choice.get("prompt_logprobs")
    if not isinstance(found, list) or len(found) != len(ids):
        raise MalformedAnswer("the model server sent no log-probabilities of the prompt's tokens")
    values = np.full(len(ids), np.nan)
    for index, (token, entry) in enumerate(zip(ids, found, strict=True)):
        if index == 0:
            continue
        one = entry.get(str(token)) if isinstance(entry, Mapping) else None
        values[index] = log_prob(one.get("logprob") if isinstance(one, Mapping) else None)
    return values


def log_prob(value: Any) -> float:
    """A log-probability; those of impossible tokens are cut to a large negative number.

    Raises:
        MalformedAnswer: if it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not value <= _ROUNDING:
        raise MalformedAnswer("the model server sent something that is no log-probability")
    return max(_LEAST, min(0.0, float(value)))


def generated_tokens(answer: Any) -> int:
    """How many tokens a server wrote behind the prompt, by its own count.

    Raises:
        MalformedAnswer: if it does not say.
    """
    usage = answer.get("usage") if isinstance(answer, Mapping) else None
    count = _whole(usage.get("completion_tokens") if isinstance(usage, Mapping) else None, -1)
    if count < 0:
        raise MalformedAnswer("the model server does not say how many tokens it wrote")
    return count


def models(answer: Any) -> list[Mapping[str, Any]]:
    """The models that a server lists, with their ids.

    Raises:
        MalformedAnswer: if it lists none.
    """
    found = answer.get("data") if isinstance(answer, Mapping) else None
    entries = [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []
    named = [one for one in entries if isinstance(one.get("id"), str) and one["id"]]
    if not named:
        raise MalformedAnswer("the model server lists no model")
    return named


def _whole(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
