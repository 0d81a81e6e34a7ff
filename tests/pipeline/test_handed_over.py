"""The generator's own log-probabilities, laid onto the answer."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from franq_guard.errors import InputError
from franq_guard.pipeline.handed_over import TokenLogProb, as_token_log_probs, lay_onto


def lay(answer, *entries):
    return lay_onto(answer, as_token_log_probs(entries))


def pieces(scores):
    return [scores.tokens.text[start:end] for start, end in scores.tokens.offsets]


@pytest.mark.parametrize(
    "entry",
    [
        {"token": "Hi", "logprob": -1.5},
        {"token": "Hi", "logprob": -1.5, "bytes": None, "top_logprobs": []},
        {"token": "?", "logprob": -1.5, "bytes": [72, 105]},
        {"token": "?", "logprob": -1.5, "bytes": b"Hi"},
        ("Hi", -1.5),
        ["Hi", -1.5],
        (b"Hi", -1.5),
        ("Hi", np.float32(-1.5)),
        TokenLogProb(b"Hi", -1.5),
    ],
)
def test_entries_come_in_many_forms(entry):
    assert as_token_log_probs([entry]) == (TokenLogProb(b"Hi", -1.5),)


def test_rounding_above_zero_is_zero():
    assert as_token_log_probs([("a", 1e-9)])[0].log_prob == 0.0
    assert as_token_log_probs([("a", 0)])[0].log_prob == 0.0


@pytest.mark.parametrize(
    "entry",
    [
        "Hi",
        3,
        None,
        ("Hi",),
        ("Hi", -1, -2),
        {"token": "Hi"},
        {"logprob": -1},
        ("Hi", 0.5),
        ("Hi", math.nan),
        ("Hi", math.inf),
        ("Hi", "-1"),
        ("Hi", None),
        ("Hi", True),
        (3, -1),
        {"token": None, "logprob": -1},
        {"token": "Hi", "logprob": -1, "bytes": 10**12},
        {"token": "Hi", "logprob": -1, "bytes": [300]},
        {"token": "Hi", "logprob": -1, "bytes": ["a"]},
        TokenLogProb(3, -1),
    ],
)
def test_a_bad_entry_is_named(entry):
    with pytest.raises(InputError, match=r"^token_log_probs\[1\]: "):
        as_token_log_probs([("ok", -1), entry])


@pytest.mark.parametrize("values", ["text", b"bytes", {"token": "a", "logprob": -1}, 3, {("a", -1)}])
def test_what_is_no_sequence_is_refused(values):
    with pytest.raises(InputError, match=r"^token_log_probs: expected a sequence"):
        as_token_log_probs(values)


def test_each_entry_gets_its_characters():
    scores = lay("It is tall.", ("It", -1), (" is", -2), (" tall", -3), (".", -4))
    assert pieces(scores) == ["It", " is", " tall", "."]
    assert scores.log_probs.tolist() == [-1, -2, -3, -4]


def test_an_emoji_spread_over_tokens_is_in_each_of_them():
    first, second = "🎉".encode()[:2], "🎉".encode()[2:]
    entries = [
        {"token": "Yes ", "logprob": -1},
        {"token": "\\xf0\\x9f", "logprob": -2, "bytes": list(first)},
        {"token": "\\x8e\\x89", "logprob": -3, "bytes": list(second)},
        {"token": "!", "logprob": -4, "bytes": [33]},
    ]
    assert pieces(lay("Yes 🎉!", *entries)) == ["Yes ", "🎉", "🎉", "!"]


@pytest.mark.parametrize("answer", ["Hi there", "Hi there\n", "  Hi there"])
def test_white_space_around_the_answer_may_differ(answer):
    scores = lay(answer, ("\n", -9), (" Hi", -1), (" there", -2), ("\n\n", -9))
    assert pieces(scores) == ["Hi", " there"]
    assert scores.log_probs.tolist() == [-1, -2]


def test_end_tokens_are_left_out():
    scores = lay("Hi", ("<s>", -9), ("Hi", -1), ("<|im_end|>", -9))
    assert pieces(scores) == ["Hi"]
    assert scores.log_probs.tolist() == [-1]


def test_a_token_that_reaches_beyond_the_answer_counts_for_what_lies_in_it():
    assert pieces(lay("Hi", ("Hi\n", -1))) == ["Hi"]


@pytest.mark.parametrize("answer", ["Hello", "", " \n"])
def test_something_else_is_not_laid_on(answer):
    assert lay(answer, ("Hi", -1)) is None


def test_no_entries_spell_nothing():
    assert lay("Hi") is None


def test_minus_infinity_becomes_finite():
    assert np.isfinite(lay("Hi", ("Hi", -math.inf)).log_probs).all()


def test_lone_surrogates_are_matched():
    assert pieces(lay("a\ud83db", ("a", -1), ("\ud83d", -2), ("b", -3))) == ["a", "\ud83d", "b"]


@given(st.lists(st.text(min_size=1), min_size=1))
def test_the_offsets_cover_the_answer(texts):
    answer = "".join(texts)
    scores = lay(answer, *[(text, -1) for text in texts])
    if not answer.strip():
        assert scores is None
        return
    covered = {at for start, end in scores.tokens.offsets for at in range(start, end)}
    assert {at for at, char in enumerate(answer) if not char.isspace()} <= covered
    assert all(0 <= start < end <= len(answer) for start, end in scores.tokens.offsets)


@given(st.text(min_size=1), st.data())
def test_splitting_bytes_anywhere_keeps_the_characters(answer, data):
    encoded = answer.encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(encoded)), max_size=6)) | {0, len(encoded)})
    parts = [encoded[a:b] for a, b in pairwise(cuts)]
    scores = lay(answer, *[{"token": "?", "logprob": -1, "bytes": list(part)} for part in parts])
    if scores is None:
        assert not answer.strip()
    else:
        for start, end in scores.tokens.offsets:
            assert 0 <= start < end <= len(answer)
