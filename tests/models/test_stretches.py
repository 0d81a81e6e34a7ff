import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.models.stretches import stretches


@given(size=st.integers(1, 300), room=st.integers(16, 80))
def test_every_token_is_scored_once_and_nothing_is_too_long(size, room):
    ids = tuple(range(size))
    found = list(stretches(7, [0, 0], ids, room=room))
    assert [token for piece in found for token in piece.targets[piece.skip :]] == list(ids)
    assert all(len(piece.targets) <= room and piece.request == 7 for piece in found)
    assert all(piece.targets[: piece.skip] for piece in found[1:])


def test_nothing_to_score():
    assert list(stretches(0, [1], (), room=0)) == []


def test_a_prompt_that_leaves_no_room():
    with pytest.raises(InputError, match="the prompt takes 3 of the 8 tokens"):
        list(stretches(0, [1, 2, 3], tuple(range(9)), room=5))
