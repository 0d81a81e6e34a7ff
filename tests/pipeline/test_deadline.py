"""The time limit of a check."""

import time

import pytest

from franq_guard.errors import CheckTimeoutError, FranqGuardError
from franq_guard.pipeline.deadline import Deadline


def test_no_limit_never_passes():
    Deadline(None).check()


def test_a_far_limit_has_not_passed():
    Deadline(3600).check()


def test_a_passed_limit_says_what_to_do(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    deadline = Deadline(2.5)
    clock[0] += 2.5
    deadline.check()
    clock[0] += 0.1
    with pytest.raises(CheckTimeoutError, match=r"within its 2\.5 s; raise `timeout`") as caught:
        deadline.check()
    assert isinstance(caught.value, TimeoutError)
    assert isinstance(caught.value, FranqGuardError)


def test_what_is_left(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    deadline = Deadline(2.5)
    assert deadline.left() == 2.5
    clock[0] += 5
    assert deadline.left() == 0
    assert Deadline(None).left() is None


@pytest.mark.parametrize("seconds", [None, 3600])
def test_a_cancelled_check_is_out_of_time(seconds):
    deadline = Deadline(seconds)
    deadline.cancel()
    assert deadline.left() == 0
    with pytest.raises(CheckTimeoutError, match="cancelled"):
        deadline.check()
