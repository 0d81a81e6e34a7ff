"""Sentences with their places in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sentencex import get_sentence_boundaries  # type: ignore[import-untyped]

from franq_guard.claims.blocks import Block, BlockKind, split_blocks
from franq_guard.claims.language import script_language
from franq_guard.claims.lines import Range
from franq_guard.schema import Span

_WHOLE = frozenset({BlockKind.HEADING, BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW})
_WRAPPED_LINE = 50
"""A line at least this long that does not end like a sentence was broken by the width of the page."""

_LINE_END = re.compile(r"[.!?:;…。！？：；؟।][\"'”’»)\]*_]*$")
_UNFINISHED_LINE = re.compile(
    r"(?:,|\b(?:a|an|the|of|to|in|on|at|by|for|from|with|and|or|but|as|is|was|are|were|that))$"
)
_ABBREVIATED_COUNT = re.compile(
    r"\b(?:approx|ca|figs?|eqs?|sec|ch|vol|nos?|pp|art|est|min|max|ver)\.\s*$", re.IGNORECASE
)
_STARTERS = (
    "The|It|I|He|She|They|This|That|These|Those|There|We|You|In|On|At|However|Its|His|Her|Their|A|An|But|And|"
    "When|While|If|As|For|After|Before"
)
_LATE_BREAK = re.compile(
    rf"""
      (?<=\s[a-z]\.)\s+(?=(?:{_STARTERS})\b)          # 3.5 m. The
    | (?<=\d[a-z]\.)\s+(?=[A-Z])                      # 35m. Paris
    | (?<=[a-z]\s[A-Z]\.)\s+(?=(?:{_STARTERS})\b)     # vitamin C. It
    | (?<=…)["'”’»)\]]*\s+(?=[A-Z“"«(])               # and so on… The
    | (?<=[.!?][)\]”])\s+(?=[A-Z“"«(])                # (This. That.) The
    """,
    re.VERBOSE,
)
_CITATION = re.compile(
    r"\s*(?:\[(?:[A-Za-z]{1,12}[ .:-]?)?\^?\d{1,4}(?:\s?[,;–-]\s?\d{1,4})*\](?!\()|【\d[^】]{0,40}】)\s*"
)
_CLOSING_EMPHASIS = re.compile(r"(?<=\S)(?:[*_]{1,3}|~~)(?=[\s\[【])\s*")
_YEAR = re.compile(r"\(\d{4}\)")
_WINDOW = 10_000
_SURE_STOP = re.compile(r"[^\W\d_]{5}[.!?]\s+(?=[A-Z])")
_STOP = re.compile(r"(?:[.!?][\"'”’»)]*\s|[。！？؟।])\s*")
_SURROGATE = re.compile("[\ud800-\udfff]")


def split_sentences(text: str, *, language: str | None = None) -> list[Span]:
    """Splits a text into sentences, list items, headings, table rows and code blocks; linear time.

    Markup goes with the sentence beside it, so that every character that is not white space is in one span.

    Args:
        text: any text; half surrogates and control characters are taken as they are.
        language: ISO 639-1 code for abbreviations and terminators; if None, told from the script of each
            block, with English for Latin script.

    Returns:
        Sorted and disjoint spans without outer white space.
    """
    spans = []
    for block in split_blocks(text):
        ranges = block_sentences(text, block, language=language) or [(block.start, block.end)]
        starts = [block.start, *(_first_visible(text, end) for _, end in ranges[:-1])]
        ends = [*(end for _, end in ranges[:-1]), block.end]
        spans += [Span.of(text, start, end) for start, end in zip(starts, ends, strict=True)]
    return spans


def block_sentences(text: str, block: Block, *, language: str | None = None) -> list[Range]:
    """Finds the sentences of one block, without its markup; none if it is nothing but markup."""
    if block.kind is BlockKind.CODE:
        return [(block.start, block.end)]
    if block.kind in _WHOLE:
        return [(block.lines[0][0], block.lines[-1][1])]
    return [found for part in _parts(text, block.lines) for found in _sentences(text, part, language)]


def _first_visible(text: str, start: int) -> int:
    while text[start].isspace():
        start += 1
    return start


def _parts(text: str, lines: Sequence[Range]) -> Iterator[list[Range]]:
    """Groups lines that may belong to one sentence."""
    part: list[Range] = []
    for line in lines:
        if part and _ends(text[slice(*part[-1])], text[line[0]]):
            yield part
            part = []
        part.append(line)
    if part:
        yield part


def _ends(line: str, next_char: str) -> bool:
    if _LINE_END.search(line):
        return True
    return len(line) < _WRAPPED_LINE and not next_char.islower() and not _UNFINISHED_LINE.search(line)


def _sentences(text: str, lines: Sequence[Range], language: str | None) -> list[Range]:
    start = lines[0][0]
    pieces, at = [], start
    for left, right in lines:  # line breaks and markup become spaces: as many characters as before
        pieces += [" " * (left - at), text[left:right]]
        at = right
    flat = _SURROGATE.sub("\ufffd", "".join(pieces))
    code = language or script_language(flat) or "en"
    cuts = {
        left + boundary["start_index"]
        for left, right in _windows(flat)
        for boundary in get_sentence_boundaries(code, flat[left:right])
    }
    cuts.update(match.end() for match in _LATE_BREAK.finditer(flat))
    ranges = []
    for left, right in _joined(flat, sorted(cuts - {0})):
        cut = flat[left:right]
        left += len(cut) - len(cut.lstrip())
        if cut.strip():
            ranges.append((start + left, start + left + len(cut.strip())))
    return ranges


def _windows(flat: str) -> Iterator[Range]:
    """Cuts a very long part after full stops: sentencex takes quadratic time over open quotations."""
    left = 0
    while left < len(flat):
        after = left + _WINDOW
        stop = _SURE_STOP.search(flat, after, after + _WINDOW) or _STOP.search(flat, after)
        right = stop.end() if stop else len(flat)
        if right - left < 2 * _WINDOW:
            yield left, right
        else:  # no full stop in the second half: only the first can have sentences
            yield left, left + _WINDOW
        left = right


def _goes_on(flat: str, left: int, cut: int) -> bool:
    """Whether no sentence ends here: "ca. 3", "the .NET platform", "Help! (1965)"."""
    rest = flat[cut : cut + 40].lstrip()
    if rest[:1].isdigit() and _ABBREVIATED_COUNT.search(flat, max(left, cut - 12), cut):
        return True
    return flat[max(left, cut - 2) : cut] == " ." or _YEAR.match(rest) is not None


def _joined(flat: str, cuts: Sequence[int]) -> Iterator[Range]:
    """Takes back cuts before a lone citation, emphasis that closes, a mark, and a number behind "ca."."""
    left = 0
    for at, cut in enumerate(cuts):
        after = cuts[at + 1] if at + 1 < len(cuts) else len(flat)
        while attached := _CITATION.match(flat, cut, after) or _CLOSING_EMPHASIS.match(flat, cut, after):
            cut = attached.end()
        rest = flat[cut:after]
        if not any(map(str.isalnum, rest)):
            continue
        if _goes_on(flat, left, cut):
            continue
        if any(map(str.isalnum, flat[left:cut])):
            yield left, cut
            left = cut
    yield left, len(flat)
