"""Text as a browser should show it: every character either harmless or made visible."""

from __future__ import annotations

import re

# Controls but tab and line feed, the invisible characters that reorder what is seen, and surrogates.
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_CONTROL_PICTURES = 0x2400
_DELETE = 0x7F
_DELETE_PICTURE = "\u2421"


def visible(text: str) -> str:
    """Shows control characters as pictures, reordering marks by their code; surrogates become U+FFFD.

    The result always encodes to UTF-8; it is not yet escaped for HTML.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    return _ODD.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    if code == _DELETE:
        return _DELETE_PICTURE
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"[U+{code:04X}]"
