from __future__ import annotations

import pytest
from hypothesis import given

from franq_guard.claims import BlockKind, markup_ranges, split_blocks
from tests.claims.texts import patient, texts


def kinds(text: str) -> list[tuple[str, list[str]]]:
    return [
        (block.kind.value, [text[start:end] for start, end in block.lines]) for block in split_blocks(text)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t\r\n", []),
        ("One line.\nTwo.", [("prose", ["One line.", "Two."])]),
        ("One.\r\n\r\nTwo.", [("prose", ["One."]), ("prose", ["Two."])]),
        ("## Title ##\ntext", [("heading", ["Title"]), ("prose", ["text"])]),
        ("# About C#", [("heading", ["About C#"])]),
        ("Title\n===\ntext", [("heading", ["Title"]), ("prose", ["text"])]),
        ("A sentence.\n---\nMore.", [("prose", ["A sentence."]), ("markup", []), ("prose", ["More."])]),
        ("**Overview**\ntext", [("heading", ["Overview"]), ("prose", ["text"])]),
        ("**Paris is big.**", [("prose", ["**Paris is big.**"])]),
        ("#hashtag", [("prose", ["#hashtag"])]),
        (
            "1. One\n2) Two\n(3) Three\n- [x] Done",
            [("list_item", [w]) for w in ["One", "Two", "Three", "Done"]],
        ),
        ("• One\n  goes on", [("list_item", ["One", "goes on"])]),
        ("- One\nNew paragraph", [("list_item", ["One"]), ("prose", ["New paragraph"])]),
        ("3.5 metres", [("prose", ["3.5 metres"])]),
        ("5.", [("prose", ["5."])]),
        ("-5 degrees", [("prose", ["-5 degrees"])]),
        ("1998. A year", [("prose", ["1998. A year"])]),
        ("> one\n> two\n\nthree", [("quote", ["one", "two"]), ("prose", ["three"])]),
        ("> 50% of people\n>= 3", [("prose", ["> 50% of people", ">= 3"])]),
        (
            "```python\nx = 1\n\ny\n```\nafter",
            [("code", ["```python", "x = 1", "y", "```"]), ("prose", ["after"])],
        ),
        (
            "text\n\n    x = 1\n    y = 2\nend",
            [("prose", ["text"]), ("code", ["x = 1", "y = 2"]), ("prose", ["end"])],
        ),
        ("    Indented words only", [("prose", ["Indented words only"])]),
        ("- - -", [("markup", [])]),
        ("> \n", [("markup", [])]),
    ],
)
def test_kinds(text: str, expected: list[tuple[str, list[str]]]) -> None:
    assert kinds(text) == expected


def test_table_rows_know_their_header_and_cells() -> None:
    text = "| Country | Capital |\n|:--|--:|\n| France | Paris |\nSpain | a \\| b\n| | |\n\nafter"
    header, first, second, empty, after = split_blocks(text)
    assert header.kind is BlockKind.TABLE_HEADER
    assert text[header.start : header.end] == "| Country | Capital |\n|:--|--:|"
    assert first.kind is BlockKind.TABLE_ROW
    assert first.header == ("Country", "Capital")
    assert [text[a:b] for a, b in first.cells] == ["France", "Paris"]
    assert [text[a:b] for a, b in first.lines] == ["France | Paris"]
    assert [text[a:b] for a, b in second.cells] == ["Spain", "a \\| b"]
    assert empty.kind is BlockKind.MARKUP
    assert after.kind is BlockKind.PROSE


def test_a_pipe_in_prose_is_no_table() -> None:
    assert kinds("Use a | b here.") == [("prose", ["Use a | b here."])]


def test_rows_without_a_header_are_rows() -> None:
    assert kinds("| a | b |\n| c | d |") == [("table_row", ["a | b"]), ("table_row", ["c | d"])]


def test_a_fence_around_prose_is_not_code() -> None:
    text = "```markdown\nParis is the capital of France.\n```\n"
    assert kinds(text) == [("markup", []), ("prose", ["Paris is the capital of France."]), ("markup", [])]


def test_an_open_fence_does_not_swallow_the_answer() -> None:
    text = "```python\nx = 1\nParis is the capital of France."
    assert kinds(text) == [("code", ["```python", "x = 1"]), ("prose", ["Paris is the capital of France."])]


@patient
@given(texts)
def test_blocks_cover_the_text_once(text: str) -> None:
    blocks = split_blocks(text)
    at = 0
    for block in blocks:
        assert at <= block.start < block.end
        assert not text[at : block.start].strip()
        assert text[block.start : block.end] == text[block.start : block.end].strip()
        edges = [edge for line in block.lines for edge in line]
        assert edges == sorted(edges)
        assert all(block.start <= edge <= block.end for edge in edges)
        assert all(text[start:end].strip() for start, end in block.lines)
        at = block.end
    assert not text[at:].strip()


def test_markup_is_all_that_states_nothing() -> None:
    text = "# Title\n- one\n\n> two\n> three\n\n| a |\n|---|\n| b |\n---\n1. four"
    assert [text[start:end].split() for start, end in markup_ranges(text)] == [
        ["#"], ["-"], [">"], [">"], ["|"], ["|", "|---|"], ["|"], ["|"], ["---"], ["1."]
    ]  # fmt: skip


@patient
@given(texts)
def test_lines_and_markup_cover_the_text(text: str) -> None:
    ranges = markup_ranges(text) + [line for block in split_blocks(text) for line in block.lines]
    covered = {at for start, end in ranges for at in range(start, end)}
    assert all(at in covered or char.isspace() for at, char in enumerate(text))


@patient
@given(texts)
def test_only_markup_lies_outside_of_lines(text: str) -> None:
    signs = set("#>*_-+•‣◦▪●–|:=`~—()[].\\") | set("0123456789")
    for block in split_blocks(text):
        if block.kind is BlockKind.MARKUP:
            continue
        inside = {at for start, end in block.lines for at in range(start, end)}
        outside = [
            text[at] for at in range(block.start, block.end) if at not in inside and not text[at].isspace()
        ]
        if block.kind is BlockKind.LIST_ITEM:
            outside = [char for char in outside if not (char.isascii() and char.isalpha())]  # a) b) [x]
        assert set(outside) <= signs
