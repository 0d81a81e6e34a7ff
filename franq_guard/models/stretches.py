"""Answers that are longer than a model's context, cut so that each piece fits behind its prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from franq_guard.errors import InputError

# Each stretch but the first sees this share of the room as prefix.
_OVERLAP = 0.25
_FEWEST_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of one request.

    Attributes:
        request: which one.
        prompt: token ids in front.
        targets: the answer's tokens, those that only give context first.
        skip: how many of them give context.
    """

    request: int
    prompt: Sequence[int]
    targets: tuple[int, ...]
    skip: int


def stretches(request: int, prompt: Sequence[int], ids: tuple[int, ...], *, room: int) -> Iterator[Stretch]:
    """Cuts an answer; there is one stretch if it fits, and none if it has no token.

    Args:
        request: number of the answer.
        prompt: token ids in front of every stretch.
        ids: the answer's tokens.
        room: how many of them fit behind the prompt.

    Raises:
        InputError: if the prompt leaves no room for an answer.
    """
    if not ids:
        return
    if room < min(len(ids), _FEWEST_TOKENS):
        raise InputError(
            f"the prompt takes {len(prompt)} of the {len(prompt) + room} tokens the language model can see; "
            "give fewer or shorter passages, or a model with a longer context"
        )
    yield Stretch(request, prompt, ids[:room], 0)
    overlap = int(room * _OVERLAP)
    start = room
    while start < len(ids):
        end = min(start + room - overlap, len(ids))
        yield Stretch(request, prompt, ids[start - overlap : end], overlap)
        start = end
