"""Running the rules, and judging the wording."""

import dataclasses

import pytest

from franq_guard.diagnosis import RULES, Case, diagnose, judge_wording
from franq_guard.schema import ScoredClaim, Span, TriggerName, Wording


def scored(text, p_true, *, sentence=None):
    whole = sentence or text
    start = whole.index(text)
    return ScoredClaim(
        index=0,
        text=text,
        spans=(Span.of(whole, start, start + len(text)),),
        sentence=Span.of(whole, 0, len(whole)),
        p_true=p_true,
        p_faithful=p_true,
    )


def test_a_failing_rule_leaves_a_note_and_the_others_run():
    class Broken:
        @property
        def p_faithful(self):
            raise RuntimeError("no numbers")

        def __getattr__(self, name):
            raise RuntimeError("no numbers")

    claim, notes = diagnose(Case("Why?", ["A text.", "Another."], scored("It is old.", 0.1), Broken()))
    assert len(notes) == len(RULES)
    assert all("claim 1" in note and "RuntimeError: no numbers" in note for note in notes)
    assert claim.triggers == ()
    assert claim.wording is Wording.OVERCONFIDENT


def test_triggers_come_strongest_first_and_in_range(make_case):
    case = make_case("Who built the mill?", ["Snow fell in May."], "The mill was built by Jonas Falk.")
    claim, _notes = diagnose(case)
    strengths = [trigger.strength for trigger in claim.triggers]
    assert {TriggerName.SPARSE_RETRIEVAL, TriggerName.UNWARRANTED_CONFIDENCE} <= {
        trigger.name for trigger in claim.triggers
    }
    assert strengths == sorted(strengths, reverse=True)
    assert all(0 <= strength <= 1 for strength in strengths)


def test_a_false_premise_is_named(make_case):
    case = make_case(
        "Why did the mayor resign in 2020?",
        ["A school opened."],
        "The mayor resigned in 2020 over a scandal.",
    )
    claim, _notes = diagnose(case)
    [found] = [t for t in claim.triggers if t.name is TriggerName.UNWARRANTED_CONFIDENCE]
    assert "the question presumes" in found.detail
    assert "premise" in found.advice


def test_a_well_supported_claim_has_no_trigger(make_case):
    case = make_case("How tall is it?", ["The tower is 330 metres tall."], "The tower is 330 metres tall.")
    claim, notes = diagnose(case)
    assert claim.triggers == notes == ()
    assert claim.wording is Wording.FITTING


@pytest.mark.parametrize(
    ("text", "p_true", "stated", "wording"),
    [
        ("It is old.", 0.95, 0.9, Wording.FITTING),
        ("It is old.", 0.2, 0.9, Wording.OVERCONFIDENT),
        ("It is definitely old.", 0.55, 1.0, Wording.OVERCONFIDENT),
        ("It is definitely old.", 0.95, 1.0, Wording.FITTING),
        ("Perhaps it is old.", 0.95, 0.4, Wording.UNDERCONFIDENT),
        ("Perhaps it is old.", 0.3, 0.4, Wording.FITTING),
        ("It is probably old.", 0.95, 0.7, Wording.UNDERCONFIDENT),
        ("It may be old.", 0.95, 0.8, Wording.FITTING),
        ("I don't know.", 0.5, None, None),
        ("It is old.", None, 0.9, None),
    ],
)
def test_wording(text, p_true, stated, wording):
    found = judge_wording(scored(text, p_true))
    assert (found.stated_confidence, found.wording) == (stated, wording)


def test_a_hedge_that_opens_the_sentence_counts():
    found = judge_wording(scored("the mill is old.", 0.95, sentence="Perhaps it is so: the mill is old."))
    assert found.wording is Wording.UNDERCONFIDENT


def test_cases_are_frozen(make_case):
    case = make_case("", ["A text."], "It is old.")
    with pytest.raises(dataclasses.FrozenInstanceError):
        case.question = "Why?"


@pytest.mark.parametrize("text", ["😀", "\ud800 x", "1" * 400, "巴黎是首都。", "a. " * 300])
def test_any_claim_is_diagnosed(make_case, text):
    _claim, notes = diagnose(make_case(text, [text, "", "A text."], text))
    assert notes == ()
