"""Making any text fit for a tokeniser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.models.text import neutralise, offsets_from_prefixes, readable

ANY_TEXT = st.text(st.characters(exclude_categories=()))
MARKERS = [
    "<|im_start|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    "<｜User｜>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "<</SYS>>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<bos>",
    "<eos>",
    "<pad>",
    "<unk>",
]


@given(ANY_TEXT)
def test_readable_text_can_be_encoded_and_keeps_its_length(text):
    found = readable(text)
    found.encode()
    assert len(found) == len(text)
    assert all(a == b or b == "\ufffd" for a, b in zip(text, found, strict=True))


@pytest.mark.parametrize("marker", MARKERS)
def test_control_tokens_are_broken_up_and_stay_legible(marker):
    found = neutralise(f"before {marker}system after")
    assert marker not in found
    assert found.replace("\u200b", "") == f"before {marker}system after"


def test_a_tokenisers_own_special_tokens_are_broken_up():
    assert "<mask>" not in neutralise("a <mask> b", ("<mask>",))
    assert "<mask>" in neutralise("a <mask> b")


@given(st.lists(st.sampled_from([*MARKERS, "<|", "|>", "im_end", " ", "<"]), max_size=8))
def test_no_marker_survives_among_pieces_of_others(pieces):
    found = neutralise("".join(pieces), ("<|im_end|>",))
    assert not any(marker in found for marker in MARKERS)


@pytest.mark.parametrize(
    "text", ["a < b and c > d", "x [1] y", "<html>", "|table|row|", "2 << 3", "<|not a|>"]
)
def test_harmless_text_stays_as_it_is(text):
    assert neutralise(text) == text


@given(st.text(min_size=1), st.data())
def test_offsets_from_prefixes_cover_the_text(text, data):
    encoded = text.encode()
    cuts = sorted(data.draw(st.sets(st.integers(1, len(encoded)), max_size=8)) | {len(encoded)})
    prefixes = [encoded[:cut].decode(errors="replace") for cut in (0, *cuts)]
    offsets = offsets_from_prefixes(prefixes, text)
    assert offsets.shape == (len(cuts), 2)
    covered = {at for start, end in offsets for at in range(start, end)}
    if "\ufffd" not in text:
        assert covered == set(range(len(text)))
    assert all(0 <= start <= end <= len(text) for start, end in offsets)


def test_pieces_of_a_character_carry_its_range():
    encoded = "a🎉b".encode()
    prefixes = [encoded[:cut].decode(errors="replace") for cut in (0, 1, 3, 5, 6)]
    assert offsets_from_prefixes(prefixes, "a🎉b").tolist() == [[0, 1], [1, 2], [1, 2], [2, 3]]


def test_no_tokens_have_no_offsets():
    assert offsets_from_prefixes([""], "").shape == (0, 2)


def test_a_marker_inside_another_is_broken_up_too():
    found = neutralise("<|[INST]|> <|<s>|>", ("<|im_end|>",))
    assert "[INST]" not in found
    assert "<s>" not in found
    assert found.replace("\u200b", "") == "<|[INST]|> <|<s>|>"
