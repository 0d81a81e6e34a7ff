"""Halves of characters that an application cut apart."""

from __future__ import annotations

import re

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def join_surrogates(text: str) -> str:
    """Puts a character together where its two halves (UTF-16) stand side by side.

    JSON cannot tell the two apart, so the places of claims would move when a report is read back.
    """
    return text if text.isascii() else _PAIR.sub(_joined, text)


def _joined(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")
