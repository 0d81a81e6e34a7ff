"""Reads the one thing a model is asked to write: a list of strings.

The grammar has no nesting and no expressions, so nothing is ever evaluated and time is linear.
"""

from __future__ import annotations

import re

MAX_LENGTH = 65_536
"""Characters; a longer reply is refused unread."""
MAX_ITEM = 1000
"""Characters; a longer string is no single claim and is refused."""

_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"|' + r"'((?:[^'\\]|\\.)*+)'", re.DOTALL)
_BETWEEN = re.compile(r"\s*+(?:,\s*+)?+")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\n|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}


class ListError(ValueError):
    """A reply is no list of strings; says why."""


def parse_list(reply: str) -> tuple[list[str], bool]:
    """Finds the first list of strings in a reply, in Python or JSON, whatever is around it.

    Returns:
        The strings that are not blank, and whether the list breaks off before its closing bracket.

    Raises:
        ListError: if there is no list, or anything but strings is in it, or it is too long.
    """
    if len(reply) > MAX_LENGTH:
        raise ListError(f"it has {len(reply)} characters, more than {MAX_LENGTH}")
    start = reply.find("[")
    if start < 0:
        raise ListError("it has no opening bracket")
    items: list[str] = []
    at = _skip(reply, start + 1)
    while at < len(reply) and reply[at] != "]":
        string = _STRING.match(reply, at)
        if string is None:
            if items and reply[at] in "\"'":
                return items, True
            raise ListError(f"character {at} begins no string")
        item = _unescape(string[1] if string[1] is not None else string[2])
        if len(item) > MAX_ITEM:
            raise ListError(f"a string has {len(item)} characters, more than {MAX_ITEM}")
        if item:
            items.append(item)
        at = _skip(reply, string.end())
    if at >= len(reply) and not items:
        raise ListError("it has no closing bracket")
    return items, at >= len(reply)


def _skip(reply: str, at: int) -> int:
    found = _BETWEEN.match(reply, at)
    return found.end() if found else at


def _unescape(literal: str) -> str:
    def replacement(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) > 1:
            return chr(int(code[1:], 16))
        return _ESCAPED.get(code, code)

    return _ESCAPE.sub(replacement, literal).strip()
