from __future__ import annotations

import pytest
from hypothesis import given

from franq_guard.claims.plain import plain_text
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
