"""From answers to scored claims, with models whose numbers follow from the words."""

import time
from dataclasses import replace

import pytest
from fakes import TOLD, UNTOLD, WordAligner, WordLM

from franq_guard.alignment import Aligner
from franq_guard.calibration import Calibrator
from franq_guard.claims import RuleExtractor
from franq_guard.errors import CheckTimeoutError
from franq_guard.inputs import as_input
from franq_guard.pipeline.deadline import Deadline
from franq_guard.pipeline.pipeline import Limits, Pipeline, unchecked_claims
from franq_guard.schema import TriggerName, Verdict, Wording

QUESTION = "How tall is the tower?"
PASSAGES = ["The tower is 330 metres tall.", "The tower was built by Gustave Eiffel."]
ANSWER = "Sure! The tower is 330 metres tall. The castle burned down yesterday."


@pytest.fixture
def pipeline():
    return Pipeline(
        language_model=WordLM(), aligner=Aligner(WordAligner()), extractor=RuleExtractor(), form="long"
    )


def run(pipeline, *items, **options):
    return pipeline.run(items, deadline=Deadline(None), timings={}, **options)


def test_a_claim_gets_its_signals_and_probabilities(pipeline):
    [scored] = run(pipeline, as_input(QUESTION, PASSAGES, ANSWER))
    greeting, faithful, false = scored.claims
    assert greeting.verdict is Verdict.NOT_CHECKWORTHY
    assert greeting.p_true is None
    assert faithful.verdict is Verdict.SUPPORTED
    assert faithful.signals.alignment == pytest.approx(1.0)
    assert faithful.signals.tokens == 6
    assert faithful.signals.max_claim_log_prob == pytest.approx(6 * TOLD)
    assert false.verdict is Verdict.NOT_MENTIONED
    assert false.signals.alignment < 0.5
    assert faithful.p_true > false.p_true
    for claim in (faithful, false):
        low, high = sorted((claim.p_true_if_faithful, claim.p_true_if_unfaithful))
        assert low <= claim.p_true <= high
        assert claim.unchecked_reason == ""


def test_parametric_knowledge_is_scored_without_the_passages(pipeline):
    [scored] = run(pipeline, as_input("Why?", PASSAGES, "The tower is 330 metres tall."))
    [claim] = scored.claims
    assert claim.signals.parametric_log_prob == pytest.approx(5 * UNTOLD + TOLD)  # "the" is in the prompt
    assert claim.signals.max_claim_log_prob == pytest.approx(6 * TOLD)


@pytest.mark.parametrize("passages", [[], [""], ["  ", "\n"]])
def test_without_text_in_the_passages_every_claim_is_unfaithful(pipeline, passages):
    [scored] = run(pipeline, as_input(QUESTION, passages, ANSWER))
    claims = [claim for claim in scored.claims if claim.checkworthy]
    assert {claim.verdict for claim in claims} == {Verdict.NOT_MENTIONED}
    assert all(claim.p_true == claim.p_true_if_unfaithful for claim in claims)
    assert all(claim.evidence == () for claim in claims)
    assert any("no passages were given" in note for note in scored.notes)


def test_a_threshold_makes_faithfulness_hard(pipeline):
    [scored] = run(replace(pipeline, threshold=0.5), as_input(QUESTION, PASSAGES, ANSWER))
    assert [claim.p_faithful for claim in scored.claims if claim.checkworthy] == [1.0, 0.0]


def test_max_nli_can_be_the_faithful_signal(pipeline):
    [scored] = run(replace(pipeline, faithful_signal="max_nli"), as_input(QUESTION, PASSAGES, ANSWER))
    claim = scored.claims[1]
    assert claim.p_true_if_faithful == pytest.approx(claim.signals.max_nli)


def test_claims_beyond_the_limit_are_unchecked(pipeline):
    answer = "\n".join(f"- The tower number {n} is tall." for n in range(5))
    [scored] = run(replace(pipeline, limits=Limits(max_claims=3)), as_input(QUESTION, PASSAGES, answer))
    assert [claim.verdict is Verdict.UNCHECKED for claim in scored.claims] == [False] * 3 + [True] * 2
    assert scored.claims[3].unchecked_reason == "beyond the first 3 claims"
    assert scored.claims[3].p_true is None


@pytest.mark.parametrize("count", [500, 501])
def test_by_default_500_claims_are_checked(pipeline, count):
    answer = "\n".join(f"- Tower {n} is tall." for n in range(count))
    [scored] = run(pipeline, as_input(QUESTION, PASSAGES, answer))
    assert len(scored.claims) == count
    assert all(claim.p_true is not None for claim in scored.claims[:500])
    assert [claim.verdict for claim in scored.claims[500:]] == [Verdict.UNCHECKED] * (count - 500)
    assert any("beyond the first 500" in note for note in scored.notes) is (count > 500)


def test_a_claim_that_is_only_partly_scored_is_unchecked(pipeline):
    limits = Limits(max_answer_tokens=64)
    answer = "The tower is tall. " * 15 + "The tower " + "was " * 8 + "tall."
    [scored] = run(replace(pipeline, limits=limits), as_input(QUESTION, PASSAGES, answer))
    *whole, last = scored.claims
    assert len(whole) == 15
    assert all(claim.p_true is not None for claim in whole)
    assert last.verdict is Verdict.UNCHECKED
    assert "beyond the first 64 tokens" in last.unchecked_reason


def test_another_language_is_unchecked_with_its_name(pipeline):
    answer = "Der Turm ist sehr hoch und wurde vor langer Zeit gebaut."
    [scored] = run(pipeline, as_input(QUESTION, PASSAGES, answer))
    [claim] = scored.claims
    assert claim.verdict is Verdict.UNCHECKED
    assert "language 'de'" in claim.unchecked_reason
    assert pipeline.language_model.requests == []


def test_a_model_of_all_languages_checks_them(pipeline):
    answer = "Der Turm ist sehr hoch und wurde vor langer Zeit gebaut."
    unlimited = replace(pipeline, aligner=Aligner(WordAligner(languages=None)))
    [scored] = run(unlimited, as_input(QUESTION, PASSAGES, answer))
    assert scored.claims[0].p_true is not None


def test_answers_do_not_mix(pipeline):
    items = [
        as_input(QUESTION, PASSAGES, "The tower is 330 metres tall."),
        as_input(QUESTION, [], "The castle burned down."),
        as_input(QUESTION, PASSAGES, ""),
        as_input(QUESTION, PASSAGES, ANSWER),
    ]
    together = run(pipeline, *items)
    assert together == [run(pipeline, item)[0] for item in items]
    assert together[2].claims == ()


def test_an_answer_without_claims_asks_no_model(pipeline):
    run(pipeline, as_input(QUESTION, PASSAGES, " \n"), as_input(QUESTION, PASSAGES, "You're welcome!"))
    assert pipeline.language_model.requests == []
    assert pipeline.aligner.model.pairs == []


def test_every_stage_is_timed_and_reported(pipeline):
    seen = []
    timings = {}
    pipeline.run(
        [as_input(QUESTION, PASSAGES, ANSWER)] * 2,
        deadline=Deadline(None),
        timings=timings,
        progress=lambda *args: seen.append(args),
    )
    assert set(timings) == {"claims", "alignment", "log_probs", "scoring"}
    for stage in ("claims", "alignment", "log-probabilities"):
        done = [(d, t) for s, d, t in seen if s == stage]
        assert done[-1][0] == done[-1][1]


def test_a_passed_deadline_stops(pipeline):
    with pytest.raises(CheckTimeoutError):
        pipeline.run([as_input(QUESTION, PASSAGES, ANSWER)], deadline=Deadline(-1), timings={})


def test_unchecked_claims_all_carry_the_reason():
    greeting, *rest = unchecked_claims(as_input(QUESTION, [], ANSWER), RuleExtractor(), "it broke")
    assert greeting.verdict is Verdict.NOT_CHECKWORTHY
    assert not greeting.review
    assert {claim.verdict for claim in rest} == {Verdict.UNCHECKED}
    assert {claim.unchecked_reason for claim in rest} == {"it broke"}
    assert all(claim.review for claim in rest)


def test_auto_stays_with_long_form_while_only_that_is_calibrated(pipeline):
    rows = ([0.9, 0.8, 0.1, 0.2], [-1.0, -2.0, -1.5, -2.5], [-5.0, -6.0, -7.0, -8.0], [1, 0, 1, 0])
    calibrated = replace(pipeline, form="auto", calibrator=Calibrator.fit(*rows))
    [scored] = run(calibrated, as_input(QUESTION, PASSAGES, "330 metres"))
    assert scored.form == "long"
    assert scored.form_reason == "there is no calibrator for short form"
    forced = replace(calibrated, form="short")
    assert forced.draft(as_input(QUESTION, PASSAGES, "330 metres")).form == "short"


def test_a_result_that_comes_too_late_is_a_failure(pipeline):
    class SlowLM(WordLM):
        def score(self, requests):
            time.sleep(0.3)
            return super().score(requests)

    slow = replace(pipeline, language_model=SlowLM())
    with pytest.raises(CheckTimeoutError):
        slow.run([as_input(QUESTION, PASSAGES, ANSWER)], deadline=Deadline(0.2), timings={})


def test_citation_marks_do_not_count(pipeline):
    plain, cited = (
        run(pipeline, as_input(QUESTION, PASSAGES, answer))[0].claims[0]
        for answer in ("The tower is 330 metres tall", "The **tower** is 330 metres tall [1] [2]")
    )
    assert cited.signals.max_claim_log_prob == plain.signals.max_claim_log_prob


GERMAN = "Der Turm ist dreihundert Meter hoch und steht seit vielen Jahren in der Stadt."


def test_passages_in_another_language_only_leave_claims_unchecked(pipeline):
    [scored] = run(pipeline, as_input(QUESTION, [GERMAN, " "], "The tower is 330 metres tall."))
    [claim] = scored.claims
    assert claim.verdict is Verdict.UNCHECKED
    assert "all passages are in another language (de)" in claim.unchecked_reason
    assert claim.review
    assert pipeline.language_model.requests == []


def test_some_passages_in_another_language_are_noted(pipeline):
    [scored] = run(pipeline, as_input(QUESTION, [GERMAN, *PASSAGES], "The tower is 330 metres tall."))
    assert scored.claims[0].verdict is Verdict.SUPPORTED
    assert any("1 of 3 passages are in another language (de)" in note for note in scored.notes)


def test_a_claim_gets_triggers_and_its_wording_judged(pipeline):
    [scored] = run(pipeline, as_input(QUESTION, PASSAGES, "The castle definitely burned down yesterday."))
    [claim] = scored.claims
    assert {trigger.name for trigger in claim.triggers} >= {TriggerName.UNWARRANTED_CONFIDENCE}
    assert claim.stated_confidence == 1.0
    assert claim.wording is Wording.OVERCONFIDENT
