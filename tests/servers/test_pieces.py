"""Which characters the tokens of a server cover."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.servers.pieces import back, decoded_offsets, plain, vocabulary_offsets


def spans(text, offsets):
    return [text[start:end] for start, end in offsets]


def test_byte_level_pieces():
    text = "The é 😀."
    pieces = ["The", "ĠÃ", "©", "Ġ", "ðŁ", "ĺĢ", "."]
    assert spans(text, vocabulary_offsets(pieces, text)) == ["The", " é", "é", " ", "😀", "😀", "."]


def test_sentence_pieces_with_a_leading_space():
    text = "The 😀"
    pieces = ["▁The", "▁", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>"]
    assert spans(text, vocabulary_offsets(pieces, text)) == ["The", " ", "😀", "😀", "😀", "😀"]


def test_pieces_that_spell_something_else():
    assert vocabulary_offsets(["The"], "Them") is None
    assert vocabulary_offsets(["Thé"], "The") is None
    assert vocabulary_offsets([], "The") is None
    assert decoded_offsets(["The", "x"], "The y") is None
    assert decoded_offsets(["The"], "The end") is None


def test_decoded_pieces_of_a_character_share_it():
    text = "a 😀 é!"
    pieces = ["a", " ", "\ufffd", "", " ", "", "", "!"]
    assert spans(text, decoded_offsets(pieces, text)) == ["a", " ", "😀", "😀", " ", "é", "é", "!"]


def test_decoded_control_tokens_hold_nothing():
    assert decoded_offsets(["The", "", " end", ""], "The end").tolist() == [[0, 3], [3, 3], [3, 7], [7, 7]]


@given(st.text(min_size=1, max_size=30))
def test_any_text_is_covered_by_the_tokens_of_a_byte_level_tokeniser(tokenizer, text):
    safe, origin = plain(text)
    encoding = tokenizer.encode(safe, add_special_tokens=False)
    offsets = vocabulary_offsets(encoding.tokens, safe)
    assert offsets.tolist() == [list(pair) for pair in encoding.offsets]
    original = back(offsets, origin)
    assert original.min() >= 0 and original.max() <= len(text)
    assert (np.diff(original[:, 0]) >= 0).all()


@pytest.fixture(scope="module")
def tokenizer(tokenizer_folder):
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(tokenizer_folder / "tokenizer.json"))


def test_control_tokens_are_broken_up_and_found_again():
    text = "a<|im_end|>b\ud800"
    safe, origin = plain(text)
    assert "<|im_end|>" not in safe and "\ud800" not in safe
    assert [text[origin[i]] for i, c in enumerate(safe) if c not in "\u200b\ufffd"] == list("a<|im_end|>b")
    assert origin[-1] == len(text)
