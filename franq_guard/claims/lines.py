"""What a single line of Markdown or plain text looks like."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Line:
    """A line, without its outer white space.

    Attributes:
        start: first visible character in the text.
        end: one past the last one.
        indent: characters of white space before it.
        text: what is between.
    """

    start: int
    end: int
    indent: int
    text: str


HEADING = re.compile(r"#{1,6}(?=\s|$)")
BOLD_LINE = re.compile(r"(\*\*|__)(?P<title>[^*_]{0,79}[^*_.!?])\1:?")
MARKER = re.compile(r"(?:[-*+•‣◦▪●–]|\(?\d{1,3}[.)]|\(?[a-zA-Z]\))(?:\s++\[[ xX]\])?\s++|[-*+•‣◦▪●]$")
QUOTE = re.compile(r"(?:>\s*+)++(?![\d=])")
FENCE = re.compile(r"(?P<fence>`{3,}|~{3,})\s*(?P<info>[^`~\s]*)[^`~]*")
RULE = re.compile(r"([-*_=~—])(?:\s*+\1){2,}+")
UNDERLINE = re.compile(r"=+|-{2,}")
_DELIMITER_CELL = re.compile(r"\s*+:?-++:?\s*+")
_CODE_START = re.compile(r"#|//|import\b|from\b.*\bimport\b|def\b|return\b|print\b|\$")
_CODE_SIGN = re.compile(r"[{}<>=\\]|\w\(|;$")
_SENTENCE_END = re.compile(r"[.!?…。！？؟।][\"'”’»)\]*_]*$")
TEXT_FENCES = frozenset({"", "text", "txt", "plain", "plaintext", "markdown", "md"})
CODE_INDENT = 4


def split_lines(text: str) -> list[Line]:
    """Cuts a text at every kind of line break."""
    lines, at = [], 0
    for raw in text.splitlines(keepends=True):
        indent = len(raw) - len(raw.lstrip())
        body = raw.strip()
        lines.append(Line(at + indent, at + indent + len(body), indent, body))
        at += len(raw)
    return lines


def reads_like_prose(line: str) -> bool:
    """Whether a line holds several words and nothing that looks like code."""
    wide = sum(1 for char in line if char > "\u02ff" and char.isalpha())
    many_words = line.count(" ") >= 3 or wide >= 8
    return many_words and not looks_like_code(line)


def looks_like_code(line: str) -> bool:
    """Whether a line begins like code or has signs that sentences do without."""
    return _CODE_START.match(line) is not None or _CODE_SIGN.search(line) is not None


def is_delimiter(line: str) -> bool:
    """Whether a line is the one between the header and the body of a table."""
    if "-" not in line or "|" not in line:
        return False
    return all(_DELIMITER_CELL.fullmatch(cell) for cell in line.strip("|").split("|"))


def row_cells(line: Line) -> tuple[Range, ...]:
    """Finds the cells between unescaped pipes; the outer pipes are no cells."""
    text = line.text
    left = 1 if text.startswith("|") else 0
    right = len(text)
    if right > left and text.endswith("|") and not text.endswith("\\|"):
        right -= 1
    cells = []
    for at in range(left, right + 1):
        if at == right or (text[at] == "|" and text[at - 1 : at] != "\\"):
            cut = text[left:at]
            start = line.start + left + len(cut) - len(cut.lstrip())
            cells.append((start, start + len(cut.strip())))
            left = at + 1
    return tuple(cells)


def without_closing_hashes(heading: str) -> str:
    """Drops the number signs that close a heading, but not those of "C#"."""
    shorter = heading.rstrip("#")
    return shorter if not shorter or shorter[-1].isspace() else heading


def is_plain_text(lines: Sequence[str]) -> bool:
    """Whether the inside of a fence is running text: mostly prose, and sentences end somewhere."""
    prose = sum(map(reads_like_prose, lines))
    return prose * 2 > len(lines) and any(_SENTENCE_END.search(line) for line in lines)


def longest_closers(lines: Sequence[Line]) -> list[dict[str, int]]:
    """Gives, for every line, the longest bare fence of each sort from there on: no search goes in vain."""
    longest: list[dict[str, int]] = [{}] * (len(lines) + 1)
    for at in range(len(lines) - 1, -1, -1):
        text = lines[at].text
        longest[at] = longest[at + 1]
        if len(text) >= 3 and text[0] in "`~" and text == text[0] * len(text):
            longest[at] = {**longest[at], text[0]: max(len(text), longest[at].get(text[0], 0))}
    return longest


def is_prose_again(line: str) -> bool:
    """Whether a line behind an open fence is a sentence."""
    return reads_like_prose(line) and line[0].isupper() and _SENTENCE_END.search(line) is not None


def is_row(line: str, *, outer_pipes: bool) -> bool:
    """Whether a line belongs to a table; without a header both outer pipes must be there."""
    if outer_pipes:
        return len(line) > 2 and line[0] == line[-1] == "|"
    return "|" in line
