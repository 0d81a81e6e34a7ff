"""Results that are kept, and for how long."""

import pytest

from franq_guard.models.remembered import Remembered


def squares(keys, asked):
    def compute(places):
        asked.append([keys[place] for place in places])
        return [keys[place] ** 2 for place in places]

    return compute


def test_only_what_is_new_is_computed_and_once():
    kept, asked = Remembered(10), []
    for keys in ([3, 1, 3, 2], [2, 4, 1], [3]):
        assert kept.look_up(keys, squares(keys, asked)) == [key**2 for key in keys]
    assert asked == [[3, 1, 2], [4]]


def test_what_was_not_asked_for_longest_goes_first():
    kept, asked = Remembered(2), []
    for keys in ([1], [2], [1], [3], [1], [2]):
        kept.look_up(keys, squares(keys, asked))
    assert asked == [[1], [2], [3], [2]]
    assert len(kept) == 2


def test_more_at_once_than_is_kept():
    kept, asked = Remembered(2), []
    keys = list(range(5))
    assert kept.look_up(keys, squares(keys, asked)) == [0, 1, 4, 9, 16]
    assert len(kept) == 2


def test_nothing_is_kept_if_nothing_may_be():
    kept, asked = Remembered(0), []
    kept.look_up([1, 1], squares([1, 1], asked))
    kept.look_up([1], squares([1], asked))
    assert asked == [[1], [1]]


def test_a_failure_is_not_kept():
    kept = Remembered(5)
    with pytest.raises(ZeroDivisionError):
        kept.look_up([1], lambda places: 1 / 0)
    assert kept.look_up([1], lambda places: ["found"]) == ["found"]


def test_too_few_results_are_an_error():
    kept = Remembered(5)
    with pytest.raises(ValueError, match="zip"):
        kept.look_up([1, 2], lambda places: ["one"])
    assert len(kept) == 0


def test_nothing_is_asked_for_nothing():
    assert Remembered(5).look_up([], lambda places: 1 / 0) == []


def test_what_is_forgotten_is_computed_again():
    kept, asked = Remembered(5), []
    kept.look_up([1, 2], squares([1, 2], asked))
    kept.forget()
    assert len(kept) == 0
    kept.look_up([2], squares([2], asked))
    assert asked == [[1, 2], [2]]
