"""From a stretch of an answer to the plain text that a model is asked about."""

from __future__ import annotations

import re

_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\s]{0,600}\)")
_CITATION = re.compile(
    r"[ \t]?(?:\[(?:[A-Za-z]{1,12}[ .:-]?)?\^?\d{1,4}(?:\s?[,;–-]\s?\d{1,4})*\]|【\d[^】]{0,40}】)"
)
_EMPHASIS = re.compile(
    r"\*{2,3}|(?<![\w*])\*(?=[^\W_])|(?<=[\w.!?)\"'])\*(?![\w*])|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)|`"
)
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1f\x7f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_QUOTE_MARK = re.compile(r"[\r\n]\s*+(?:>\s*+)++(?![\d=])")


def plain_text(text: str) -> str:
    """Takes out what a reader does not read: emphasis, link targets, citation marks, invisible characters.

    White space becomes single spaces; half surrogates, which no tokeniser takes, become U+FFFD.
    """
    text = _QUOTE_MARK.sub(" ", text)
    text = _LINK.sub(r"\1", text)
    text = _CITATION.sub("", text)
    text = _EMPHASIS.sub("", text)
    text = _INVISIBLE.sub("", text)
    return " ".join(_SURROGATE.sub("\ufffd", text).split())


def stated_ranges(text: str) -> list[tuple[int, int]]:
    """Where a text says something: all of it but what `plain_text` takes out; sorted and disjoint."""
    hidden = [
        match.span() for pattern in (_CITATION, _EMPHASIS, _INVISIBLE) for match in pattern.finditer(text)
    ]
    for match in _LINK.finditer(text):
        hidden += [(match.start(), match.start(1)), (match.end(1), match.end())]
    ranges, at = [], 0
    for start, end in sorted(hidden):
        if at < start:
            ranges.append((at, start))
        at = max(at, end)
    if at < len(text):
        ranges.append((at, len(text)))
    return ranges
