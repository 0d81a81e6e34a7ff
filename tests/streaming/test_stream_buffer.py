"""Where the sentences of a growing text end."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.streaming.sentence_buffer import SentenceBuffer

TEXT = (
    "Dr. Smith measured 3.5 m. The tower is 330 metres tall (i.e. 1,083 ft). It opened in 1889!\n\n"
    "- It is made of iron.\n- It has three levels.\n\n"
    "| year | visitors |\n|---|---|\n| 1889 | 1.9 million |\n| 1890 | 0.4 million |\n\n"
    "```python\nprint('a. b. c')\n\nprint('d.')\n```\n\n"
    "# What next?\n\nNobody knows… Ask me. 东京塔高333米。它是红色的。Done"
)


def ends(pieces):
    buffer = SentenceBuffer()
    found = []
    for piece in pieces:
        finished = buffer.push(piece)
        assert finished == (buffer.end > (found[-1] if found else 0))
        if finished:
            found.append(buffer.end)
    assert buffer.text == "".join(pieces)
    return found


def released(text, size):
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    found = [0, *ends(pieces)]
    return [text[start:end] for start, end in pairwise(found)]


def test_a_sentence_ends_when_the_next_one_is_under_way():
    buffer = SentenceBuffer()
    assert not buffer.push("It is tall.")
    assert not buffer.push(" ")
    assert not buffer.push("A")
    assert buffer.push("nd old.")
    assert buffer.end == len("It is tall.")
    assert not buffer.push(" ")
    assert not buffer.push("")


def test_the_last_sentence_is_never_finished():
    assert ends(["One sentence without an end"]) == []
    assert ends(["One sentence that ends."]) == []
    assert ends([]) == []
    assert ends(["", " ", "\n"]) == []


@pytest.mark.parametrize("size", [1, 3, 17])
def test_abbreviations_numbers_lists_tables_and_code_stay_whole(size):
    parts = [part.strip() for part in released(TEXT, size)]
    assert "Dr. Smith measured 3.5 m." in parts
    assert "The tower is 330 metres tall (i.e. 1,083 ft)." in parts
    assert "- It is made of iron." in parts
    assert not any(part.startswith("|---") for part in parts)
    [code] = [part for part in parts if "print" in part]
    assert code == "```python\nprint('a. b. c')\n\nprint('d.')\n```"


def test_a_line_of_markup_is_not_the_next_sentence():
    assert ends(["Title\n", "=====", "==\n", "Text"]) == []
    assert ends(["| a | b |\n", "|---", "|---|", "\n"]) == []


def test_everything_at_once_is_the_same_as_bit_by_bit():
    assert "".join(released(TEXT, len(TEXT))) == "".join(released(TEXT, 1))


@given(st.text(max_size=200), st.integers(1, 20))
def test_any_text_in_any_pieces(text, size):
    found = ends([text[at : at + size] for at in range(0, len(text), size)])
    assert found == sorted(set(found))
    assert all(not text[end - 1].isspace() for end in found)


def test_a_character_whose_halves_come_apart():
    buffer = SentenceBuffer()
    for piece in ("It is \ud83d", "\ude00 tall. It is", " old, and ends in \ud83d", "x"):
        buffer.push(piece)
    assert buffer.text == "It is \U0001f600 tall. It is old, and ends in \ud83dx"
    assert buffer.text[: buffer.end] == "It is \U0001f600 tall."
