"""Is a rewritten sentence still well-formed? A careless rewrite is worse than a plain marker."""

from __future__ import annotations

import re
from collections import Counter

_PAIRS = {")": "(", "]": "[", "}": "{", "”": "“", "»": "«", "」": "「"}
_PARITY = ('"', "`", "**", "__")
_DOUBLED = re.compile(r"(?=(  |,,|;;|\.\.| [,.;:!?](?!\S)|\(\)|\( | \)|,\.|\.,|\[\]))")
_TAIL = re.compile(r"(?:[\[(][^\[\]()]*[\])]|[*_~\"'”’»」\s])+\Z")
_TERMINALS = re.compile(r"[.!?…。！？؟:;]+\Z")
_LOOKBACK = 600


def is_balanced(text: str) -> bool:
    """True if brackets and quotation marks close what they open, and no markup is left half open."""
    open_marks: Counter[str] = Counter()
    for char in text:
        if char in _PAIRS.values():
            open_marks[char] += 1
        elif char in _PAIRS:
            open_marks[_PAIRS[char]] -= 1
            if open_marks[_PAIRS[char]] < 0:
                return False
    return not any(open_marks.values()) and not any(text.count(mark) % 2 for mark in _PARITY)


def flaws(before: str, after: str) -> list[str]:
    """What a rewriting broke; empty if nothing.

    Args:
        before: the sentence as it was.
        after: the sentence as it is now.
    """
    found = []
    if _balance(before) != _balance(after):
        found.append("unbalanced brackets, quotation marks or markup")
    if _first_letter(before).isupper() and not _first_letter(after).isupper():
        found.append("a small first letter")
    if _ending(before) != _ending(after):
        found.append("another closing punctuation")
    if Counter(_DOUBLED.findall(after)) - Counter(_DOUBLED.findall(before)):
        found.append("doubled spaces or punctuation")
    return found


def _balance(text: str) -> tuple[int, ...]:
    surplus = (text.count(opener) - text.count(closer) for closer, opener in _PAIRS.items())
    return (*surplus, *(text.count(mark) % 2 for mark in _PARITY))


def _first_letter(text: str) -> str:
    return next((char for char in text[:_LOOKBACK] if char.isalpha()), "")


def _ending(text: str) -> str:
    tail = text[-_LOOKBACK:]
    while (stripped := _TAIL.sub("", tail)) != tail and _TERMINALS.search(tail) is None:
        tail = stripped
    found = _TERMINALS.search(tail)
    return found.group() if found else ""
