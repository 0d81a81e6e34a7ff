"""The guard's contract, with models whose numbers follow from the words."""

import logging

import pytest
from fakes import BrokenLM, SlowLM, WordAligner, WordLM, make_guard

from franq_guard import Guard, GuardConfig, GuardReport, Policy
from franq_guard.claims.language import _identifier
from franq_guard.errors import CheckTimeoutError, ConfigError, InputError, ModelError
from franq_guard.outcome import WITHHELD
from franq_guard.schema import Action, Verdict

QUESTION = "How tall is the tower?"
PASSAGES = ["The tower is 330 metres tall.", "The tower was built by Gustave Eiffel."]
ANSWER = "Sure! The tower is 330 metres tall. The castle burned down yesterday."
LENIENT = Policy(annotate_below=None, hedge_below=None, block_below=None)


def test_a_report_holds_what_went_in_and_what_came_out():
    report = make_guard(policy=LENIENT).check(QUESTION, PASSAGES, ANSWER)
    assert (report.question, report.answer, report.text) == (QUESTION, ANSWER, ANSWER)
    assert [passage.text for passage in report.passages] == PASSAGES
    assert report.models["language_model"] == "words"
    assert report.models["alignment_model"].startswith("overlap")
    assert (report.calibration, report.calibrator) == ("none", None)
    assert report.error is None
    assert not report.acted
    assert set(report.timings) >= {"claims", "alignment", "log_probs", "scoring", "rewriting", "total"}


def test_the_policy_acts_on_the_claims():
    report = make_guard(policy=Policy(annotate_below=1, hedge_below=None, block_below=None)).check(
        QUESTION, PASSAGES, ANSWER
    )
    assert [claim.action for claim in report.claims] == [Action.KEEP, Action.ANNOTATE, Action.ANNOTATE]
    assert report.text != ANSWER
    blocked = make_guard(policy=Policy(annotate_below=1, hedge_below=1, block_below=1)).check(
        QUESTION, PASSAGES, ANSWER
    )
    assert blocked.blocked
    assert blocked.text == Policy().answer_message


def test_many_answers_in_order():
    guard = make_guard()
    items = [{"question": QUESTION, "passages": PASSAGES, "answer": f"The tower {n}."} for n in range(5)]
    assert [report.answer for report in guard.check_many(items)] == [item["answer"] for item in items]
    assert guard.check_many([]) == []
    assert guard.check_many(iter(items[:1]))[0].answer == items[0]["answer"]


@pytest.mark.parametrize("on_error", ["pass", "block", "raise"])
def test_wrong_types_are_raised_whatever_the_failure_policy(on_error):
    guard = make_guard(on_error=on_error)
    with pytest.raises(InputError, match=r"^question"):
        guard.check(None, PASSAGES, ANSWER)
    with pytest.raises(InputError, match=r"^passages"):
        guard.check(QUESTION, 3, ANSWER)
    with pytest.raises(InputError, match=r"^answer"):
        guard.check(QUESTION, PASSAGES, 3)
    with pytest.raises(InputError, match=r"^token_log_probs\[0\]"):
        guard.check(QUESTION, PASSAGES, ANSWER, token_log_probs=[3])
    with pytest.raises(InputError, match=r"^items\[0\]"):
        guard.check_many([3])
    with pytest.raises(InputError, match=r"^items: "):
        guard.check_many(None)


async def test_wrong_types_are_raised_when_awaited():
    guard = make_guard()
    with pytest.raises(InputError, match=r"^answer"):
        await guard.acheck(QUESTION, PASSAGES, None)
    with pytest.raises(InputError, match=r"^items: "):
        await guard.acheck_many(None)
    with pytest.raises(InputError, match=r"^items: "):
        await guard.acheck_many({"question": QUESTION})
    assert await guard.acheck_many([]) == []


# What happens when a check fails.


@pytest.mark.parametrize("error", [ModelError("no weights"), RuntimeError("boom"), OSError("gone")])
@pytest.mark.parametrize("on_error", ["pass", "block"])
def test_a_failed_check_leaves_every_claim_unchecked(error, on_error, caplog):
    guard = make_guard(language_model=BrokenLM(error), on_error=on_error)
    with caplog.at_level(logging.WARNING):
        report = guard.check(QUESTION, PASSAGES, ANSWER)
    assert report.error == f"{type(error).__name__}: {error}"
    assert report.text == (WITHHELD if on_error == "block" else ANSWER)
    assert report.blocked is (on_error == "block")
    assert len(report.claims) == 3
    for claim in report.claims:
        assert claim.p_true is None
        if claim.checkworthy:
            assert claim.verdict is Verdict.UNCHECKED
            assert claim.unchecked_reason == report.error
            assert claim.review
    assert report.coverage.scored == 0
    assert report.coverage.unchecked > 0
    assert any("the check failed" in note for note in report.notes)
    assert GuardReport.from_json(report.to_json()) == report
    [record] = [r for r in caplog.records if r.levelno == logging.WARNING]
    assert str(error) in record.message
    # A traceback helps only where the message does not say what to do.
    assert bool(record.exc_info) is not isinstance(error, ModelError)


def test_raise_raises_what_is_ours():
    with pytest.raises(ModelError, match=r"^no weights$"):
        make_guard(language_model=BrokenLM(ModelError("no weights")), on_error="raise").check("", [], ANSWER)


def test_raise_makes_a_model_error_of_what_is_not():
    cause = RuntimeError("boom")
    with pytest.raises(ModelError, match="the check failed: RuntimeError: boom") as caught:
        make_guard(language_model=BrokenLM(cause), on_error="raise").check("", [], ANSWER)
    assert caught.value.__cause__ is cause


def test_an_interrupt_is_not_swallowed():
    with pytest.raises(KeyboardInterrupt):
        make_guard(language_model=BrokenLM(KeyboardInterrupt())).check("", [], ANSWER)


def test_a_passed_deadline_counts_as_a_failure():
    slow = {"language_model": SlowLM(), "timeout": 0.05}
    items = [{"question": QUESTION, "passages": PASSAGES, "answer": ANSWER}] * 20
    with pytest.raises(CheckTimeoutError, match="raise `timeout`"):
        make_guard(**slow, on_error="raise").check_many(items)
    for report in make_guard(**slow, on_error="block").check_many(items):
        assert report.text == WITHHELD
        assert report.error.startswith("CheckTimeoutError: the check did not finish within its 0.05 s")


def test_splitting_that_fails_still_gives_a_report(monkeypatch):
    def fail(self, answer, *, question=""):
        raise RecursionError("too deep")

    monkeypatch.setattr("franq_guard.claims.RuleExtractor.extract", fail)
    report = make_guard().check(QUESTION, PASSAGES, ANSWER)
    assert report.error == "RecursionError: too deep"
    assert report.text == ANSWER
    assert report.claims == ()
    assert report.coverage.unchecked == report.coverage.total == len(ANSWER.replace(" ", ""))


def test_a_failure_is_not_remembered():
    class BusyLM(WordLM):
        busy = True

        def score(self, requests):
            if self.busy:
                raise ModelError("busy")
            return super().score(requests)

    lm = BusyLM()
    guard = make_guard(language_model=lm)
    assert guard.check(QUESTION, PASSAGES, ANSWER).error
    lm.busy = False
    assert guard.check(QUESTION, PASSAGES, ANSWER).error is None


# Settings.


def test_keywords_win_over_a_config():
    config = GuardConfig.load(timeout=3, on_error="raise", policy=LENIENT)
    guard = make_guard(config=config, timeout=4, policy=Policy(hedge_below=0.5))
    assert (guard.config.timeout, guard.config.on_error) == (4.0, "raise")
    assert guard.config.policy == Policy(hedge_below=0.5)
    assert make_guard(config=config).config.policy == LENIENT


def test_a_file_makes_a_guard(tmp_path, monkeypatch):
    path = tmp_path / "guard.toml"
    path.write_text('preset = "mini"\ntimeout = 3\nmax_claims = 7\non_error = "block"\n')
    monkeypatch.setenv("FRANQ_GUARD_TIMEOUT", "5")
    guard = Guard.from_config(path, max_claims=9)
    found = guard.config.preset, guard.config.timeout, guard.config.max_claims, guard.config.on_error
    assert found == ("mini", 5.0, 9, "block")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"preset": "huge"}, "no preset 'huge'; use one of mini"),
        ({"tiemout": 3}, "tiemout is not a setting"),
        ({"timeout": -1}, "timeout"),
        ({"on_error": "explode"}, "on_error"),
        ({"config": {"timeout": 3}}, "config must be a GuardConfig, not dict"),
        ({"config": "guard.toml"}, "use Guard.from_config"),
    ],
)
def test_bad_settings_are_refused_at_once(settings, message):
    with pytest.raises(ConfigError, match=message):
        Guard(**settings)


def test_bad_settings_are_refused_by_the_makers():
    with pytest.raises(ConfigError, match="no preset 'huge'"):
        Guard.from_preset("huge")
    with pytest.raises(ConfigError, match="tiemout"):
        Guard.from_preset("mini", tiemout=3)


@pytest.mark.parametrize("model", ["language_model", "alignment_model"])
def test_a_guard_without_a_model_says_what_to_set(model):
    with pytest.raises(ConfigError, match=f"set `{model}`, or start from a preset"):
        make_guard(**{model: None})


class ListSink:
    def __init__(self):
        self.records = []

    def emit(self, record):
        self.records.append(record)

    def flush(self, timeout=None):
        return True

    def close(self):
        pass


def test_warming_up_rehearses_a_check_and_tells_nobody(caplog):
    lm = WordLM()
    asked = []
    score = lm.score
    lm.score = lambda requests: asked.extend(requests) or score(requests)
    sink = ListSink()
    guard = make_guard(language_model=lm, tracing=sink, drift_window=10)
    guard.warm_up(rehearse=False)
    assert asked == []
    assert guard.warm_up() is guard
    assert len(asked) == 2
    guard.close()
    assert sink.records == []
    assert caplog.records == []


def test_a_rehearsal_that_fails_is_logged_and_checks_fail_by_policy(caplog):
    guard = make_guard(language_model=BrokenLM(ModelError("down")), on_error="block").warm_up()
    assert "rehearsal" in caplog.text
    assert guard.check("How tall?", ["It is tall."], "It is 330 metres tall.").blocked


def test_warming_up_loads_what_tells_languages_apart():
    _identifier.cache_clear()
    make_guard().warm_up()
    assert _identifier.cache_info().currsize == 1


def test_a_guard_that_forgets_asks_its_models_again():
    lm, aligner = WordLM(), WordAligner()
    asked = []
    score = lm.score
    lm.score = lambda requests: asked.extend(requests) or score(requests)
    guard = make_guard(language_model=lm, alignment_model=aligner)
    guard.forget()  # nothing is loaded, so there is nothing to forget
    first = guard.check("How tall?", ["It is tall."], "It is 330 metres tall.")
    pairs = len(aligner.pairs)
    guard.check("How tall?", ["It is tall."], "It is 330 metres tall.")
    assert (len(asked), len(aligner.pairs)) == (2, pairs)
    guard.with_policy(Policy()).forget()
    again = guard.check("How tall?", ["It is tall."], "It is 330 metres tall.")
    assert (len(asked), len(aligner.pairs)) == (4, 2 * pairs)
    assert again.claims == first.claims
