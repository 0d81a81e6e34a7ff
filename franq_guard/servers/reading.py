"""The answer's part of a text that a server has read, where the server was given text and not token ids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from franq_guard.errors import ModelError
from franq_guard.models.base import FloatArray, Tokens, TokenScores
from franq_guard.servers.pieces import back, decoded_offsets, plain
from franq_guard.servers.tokenizers import ServedTokenizer


def answer_scores(
    tokens: Tokens, safe: str, tokenizer: ServedTokenizer, pieces: Sequence[str], log_probs: FloatArray
) -> TokenScores:
    """Finds the answer at the end of what was read.

    Args:
        tokens: the answer, as it was tokenised by itself.
        safe: its text, as the server got it.
        tokenizer: of the model.
        pieces: what the server read, prompt and answer, decoded token by token.
        log_probs: of the pieces, shape (T,).

    Returns:
        The given tokens with their log-probabilities; the server's own tokens if it sees others behind the
        prompt. A token that began in the prompt counts for the answer.

    Raises:
        ModelError: if what was read does not end with the answer.
    """
    count = len(tokens.ids)
    if len(pieces) >= count and _same(tokens, safe, pieces[len(pieces) - count :]):
        return TokenScores(tokens, _known(log_probs[len(pieces) - count :]))
    text = tokens.text[: int(tokens.offsets[-1][1])]
    origin = plain(text, tokenizer.special_tokens)[1]
    for start in range(len(pieces) - 1, -1, -1):
        head = sum(map(len, pieces[start:])) - len(safe)
        # The first piece may have begun in the prompt.
        tail = [pieces[start][max(0, head) :], *pieces[start + 1 :]]
        offsets = decoded_offsets(tail, safe)
        if offsets is not None:
            own = Tokens(tokens.text, tuple(range(len(tail))), back(offsets, origin))
            return TokenScores(own, _known(log_probs[start:]))
    raise ModelError("the model server read another text than the answer it was given")


def _same(tokens: Tokens, safe: str, pieces: Sequence[str]) -> bool:
    """True if the pieces are the tokens; parts of a character decode to nothing, spaces may be left out."""
    if len(safe) != int(tokens.offsets[-1][1]):
        return False
    for (start, end), piece in zip(tokens.offsets, pieces, strict=True):
        shown = piece.strip("\ufffd ")
        if shown and shown != safe[start:end].strip(" "):
            return False
    return True


def _known(log_probs: FloatArray) -> FloatArray:
    if not np.isfinite(log_probs).all():
        raise ModelError("the model server sent no log-probability for some tokens")
    return log_probs
