"""Finds out, piece by piece, how far the sentences of a growing text are finished."""

from __future__ import annotations

import re

from franq_guard._surrogates import join_surrogates
from franq_guard.schema import Span

_MAY_END = re.compile(r"[.!?:;…。！？：；؟।\n]")
_ONLY_MARKUP = re.compile(r"[-=:+*_#`~>|\s]*")
_WORD = re.compile(r"\S\s")
_LONG_ENOUGH = 16
"""Characters of the next sentence after which the end of the last one is no longer in doubt."""


class SentenceBuffer:
    """Collects an answer; `end` tells how much of it is whole sentences, list items, table rows or blocks."""

    def __init__(self) -> None:
        self._text = ""
        self._end = 0
        self._looked = 0
        self._doubtful = False

    @property
    def text(self) -> str:
        """Everything so far."""
        return self._text

    @property
    def end(self) -> int:
        """Up to here the sentences are whole; no white space before it."""
        return self._end

    def push(self, piece: str) -> bool:
        """Adds text; True if a sentence was finished by it."""
        # The two halves of a character may come in two pieces.
        self._text = self._text[:-1] + join_surrogates(self._text[-1:] + piece)
        # To split is dear: it is only done where a sentence may have ended.
        self._doubtful = self._doubtful or _MAY_END.search(self._text, self._looked) is not None
        self._looked = len(self._text)
        if not self._doubtful or not piece or piece.isspace():
            return False
        from franq_guard.claims import split_sentences

        sentences = split_sentences(self._text)
        if sentences and not self._is_under_way(sentences[-1]):
            sentences.pop()
        if len(sentences) < 2:
            return False
        self._doubtful = _MAY_END.search(self._text, sentences[-1].start) is not None
        before = self._end
        self._end = max(self._end, sentences[-2].end)
        return self._end > before

    def _is_under_way(self, sentence: Span) -> bool:
        """Whether enough of the last sentence is there to be sure that it is a new one."""
        if _ONLY_MARKUP.fullmatch(sentence.text):
            return False
        start = sentence.start
        return len(self._text) - start >= _LONG_ENOUGH or _WORD.search(self._text, start) is not None
