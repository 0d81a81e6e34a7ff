"""Which characters of a text the tokens of a server cover."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from franq_guard.models.base import IntArray
from franq_guard.models.text import neutralise

_LOST = "\ufffd"


def vocabulary_offsets(pieces: Sequence[str], text: str) -> IntArray | None:
    """Places tokens written as in a vocabulary: byte-level (`Ġthe`) or SentencePiece (`▁the`, `<0xE2>`).

    Args:
        pieces: as the vocabulary spells them.
        text: what was tokenised.

    Returns:
        Shape (T, 2); None if they spell the text in neither way.
    """
    for spell in (_byte_level, _sentence_piece):
        data = [spell(piece) for piece in pieces]
        if all(piece is not None for piece in data):
            found = _place_bytes([piece for piece in data if piece is not None], text)
            if found is not None:
                return found
    return None


def decoded_offsets(pieces: Sequence[str], text: str) -> IntArray | None:
    """Places tokens that were decoded one by one: of a character that several share, each holds nothing.

    Args:
        pieces: decoded; pieces of characters are empty or U+FFFD.
        text: all of them together.

    Returns:
        Shape (T, 2); None if they do not spell the text.
    """
    offsets = np.zeros((len(pieces), 2), dtype=np.int64)
    at, waiting = 0, []
    for index, piece in enumerate(piece.strip(_LOST) for piece in pieces):
        if not piece:
            waiting.append(index)
            continue
        start = at if text.startswith(piece, at) else text.find(piece, at) if waiting else -1
        if start < 0:
            return None
        offsets[waiting] = at, start
        at, waiting = start + len(piece), []
        offsets[index] = start, at
    if waiting:
        offsets[waiting] = at, len(text)
    elif at < len(text):
        return None
    return offsets


def plain(text: str, special_tokens: tuple[str, ...] = ()) -> tuple[str, IntArray]:
    """A text that a server cannot take for control tokens, and where its characters come from.

    Returns:
        The text, of N characters, and for each boundary between them the one in the original, shape (N + 1,).
    """
    safe = neutralise(text, special_tokens)
    origin = np.zeros(len(safe) + 1, dtype=np.int64)
    at = 0
    for index, character in enumerate(safe):
        origin[index] = at
        # What was put in is not in the original; lone surrogates were replaced one for one.
        inserted = character == "\u200b" and (at == len(text) or text[at] != character)
        at += not inserted
    origin[len(safe)] = len(text)
    return safe, origin


def back(offsets: IntArray, origin: IntArray) -> IntArray:
    """Offsets into a text made `plain`, as offsets into the original."""
    return origin[offsets]


def _place_bytes(pieces: Sequence[bytes], text: str) -> IntArray | None:
    spelled, wanted = b"".join(pieces), text.encode()
    # SentencePiece puts a space in front of a text.
    shift = len(spelled) - len(wanted)
    if shift not in (0, 1) or spelled[shift:] != wanted or spelled[:shift].strip():
        return None
    starts = np.cumsum([0, *(len(character.encode()) for character in text)])
    ends = np.clip(np.cumsum([len(piece) for piece in pieces], dtype=np.int64) - shift, 0, None)
    begins = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    first = np.searchsorted(starts, begins, side="right") - 1
    last = np.searchsorted(starts, ends, side="left")
    return np.stack([first, np.maximum(first, last)], axis=1).astype(np.int64)


def _byte_level(piece: str) -> bytes | None:
    table = _bytes_of_characters()
    if any(character not in table for character in piece):
        return None
    return bytes(table[character] for character in piece)


@cache
def _bytes_of_characters() -> dict[str, int]:
    """How byte-level vocabularies write bytes: printable ones as themselves, the others from U+0100 on."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {chr(value): value for value in shown}
    hidden = [value for value in range(256) if value not in set(shown)]
    return table | {chr(0x100 + place): value for place, value in enumerate(hidden)}


def _sentence_piece(piece: str) -> bytes:
    if len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">"):
        try:
            return bytes([int(piece[3:5], 16)])
        except ValueError:
            pass
    return piece.replace("\u2581", " ").encode()
