"""Makes text from anywhere safe to show, and says probabilities in words people read."""

from __future__ import annotations

import re

# Terminal escape sequences: CSI (colours, cursor), OSC (titles, links), and what is left of broken ones.
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]?")
# Other control characters, and the invisible ones that reorder what is seen.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def printable(text: str) -> str:
    """Drops escape sequences and control characters but tab and line feed; surrogates become U+FFFD."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    text = _ESCAPES.sub("", text)
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub("", text))


def one_line(text: str, limit: int | None = None) -> str:
    """Printable, on one line, and cut to at most `limit` characters with an ellipsis."""
    line = " ".join(printable(text).split())
    if limit is not None and len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    return line


def percent(probability: float | None) -> str:
    """A whole per cent that never claims certainty: "72%", "<1%", ">99%"; "-" for None."""
    if probability is None:
        return "-"
    if probability < 0.005:
        return "<1%"
    if probability >= 0.995:
        return ">99%"
    return f"{100 * probability:.0f}%"
