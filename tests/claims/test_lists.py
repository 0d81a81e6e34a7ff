from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.claims.lists import MAX_ITEM, MAX_LENGTH, ListError, parse_list
from tests.claims.texts import patient


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['a', 'b',]", ["a", "b"]),
        ("[]", []),
        ("[ ]", []),
        ('```python\n["a",\n "b"]\n```', ["a", "b"]),
        ('Sure! Here it is: ["a"] Hope it helps.', ["a"]),
        ("[\"It's \\\"so\\\".\", 'It\\'s']", ['It\'s "so".', "It's"]),
        ('["caf\\u00e9", "a\\nb", "\\d"]', ["café", "a\nb", "d"]),
        ('["", "  ", "a"]', ["a"]),
        ('["a" "b"]', ["a", "b"]),
        ('["a]", "b"]', ["a]", "b"]),
    ],
)
def test_lists(reply: str, expected: list[str]) -> None:
    assert parse_list(reply) == (expected, False)


@pytest.mark.parametrize("reply", ['["a", "b', '["a", "b",', '["a", "b"'])
def test_a_list_that_breaks_off_gives_its_whole_strings(reply: str) -> None:
    items, cut = parse_list(reply)
    assert items[0] == "a"
    assert cut


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I cannot do that.",
        "[",
        "[1, 2]",
        "[a, b]",
        "[__import__('os').system('true')]",
        "__import__('os').system('echo [')",
        "[open('/etc/passwd').read()]",
        '["a", {"b": 1}]',
        '[["a"]]',
        "[" * 50_000,
        "[" + "-" * 50_000 + "1]",
        '["' + "a" * (MAX_ITEM + 1) + '"]',
        '["' + "a" * MAX_LENGTH + '"]',
        '["' + "\\" * 10_000,
    ],
)
def test_anything_else_is_an_error(reply: str) -> None:
    with pytest.raises(ListError):
        parse_list(reply)


@patient
@given(st.lists(st.text(max_size=50).map(str.strip).filter(bool), max_size=10))
def test_json_is_read_back(items: list[str]) -> None:
    assert parse_list(json.dumps(items, ensure_ascii=False)) == (items, False)


@patient
@given(st.text(max_size=200))
def test_any_reply_gives_strings_or_an_error(reply: str) -> None:
    try:
        items, _ = parse_list(reply)
    except ListError:
        return
    assert all(isinstance(item, str) and item for item in items)
