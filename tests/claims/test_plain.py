from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.claims.plain import plain_text, stated_ranges
from tests.claims.texts import patient, texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Paris** is *big*.", "Paris is big."),
        ("__Paris__ is _big_ and `old`.", "Paris is big and old."),
        ("2 * 3 = 6, a_b stays", "2 * 3 = 6, a_b stays"),
        ("See [the page](https://a.b/c) now.", "See the page now."),
        ("It is so.[1][2, 3] Really [doc 4].", "It is so. Really."),
        ("An array a[i] stays", "An array a[i] stays"),
        ("one\n  two\tthree", "one two three"),
        ("> one\n> two", "> one two"),
        ("in\u200bvisible\u202e \x00here", "invisible here"),
        ("half \ud800 a character", "half \ufffd a character"),
        ("", ""),
    ],
)
def test_plain_text(text: str, expected: str) -> None:
    assert plain_text(text) == expected


@patient
@given(texts)
def test_plain_text_can_be_encoded(text: str) -> None:
    plain = plain_text(text)
    assert plain.encode("utf-8").decode("utf-8") == plain == " ".join(plain.split())


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Paris is big [1].", ["Paris is big", "."]),
        ("**Paris** is [big](https://a.b)", ["Paris", " is ", "big"]),
        ("Paris", ["Paris"]),
        ("[1]", []),
    ],
)
def test_only_what_is_read_is_stated(text, stated):
    assert [text[start:end] for start, end in stated_ranges(text)] == stated


@given(st.text())
def test_stated_ranges_are_sorted_and_inside(text):
    ends = [0, *(end for pair in stated_ranges(text) for end in pair), len(text)]
    assert ends == sorted(ends)
