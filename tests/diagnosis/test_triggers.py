"""Each trigger fires where it should and only there."""

import pytest

from franq_guard.diagnosis import diagnose
from franq_guard.schema import TriggerName
from tests.diagnosis.cases import NEGATIVE, POSITIVE


def ids(table):
    return [(name, *case) for name, cases in table.items() for case in cases]


def found(case, name):
    claim, notes = diagnose(case)
    assert notes == ()
    return next((trigger for trigger in claim.triggers if trigger.name is name), None)


@pytest.mark.parametrize("name", TriggerName)
def test_every_trigger_has_enough_cases(name):
    assert len(POSITIVE[name]) >= 8
    assert len(NEGATIVE[name]) >= 8


@pytest.mark.parametrize(("name", "question", "passages", "text"), ids(POSITIVE))
def test_fires(make_case, name, question, passages, text):
    trigger = found(make_case(question, passages, text), name)
    assert trigger is not None
    assert 0 < trigger.strength <= 1
    assert trigger.detail
    assert trigger.advice
    assert all(0 <= index < len(passages) for index in trigger.passages)


@pytest.mark.parametrize(("name", "question", "passages", "text"), ids(NEGATIVE))
def test_does_not_fire(make_case, name, question, passages, text):
    assert found(make_case(question, passages, text), name) is None
