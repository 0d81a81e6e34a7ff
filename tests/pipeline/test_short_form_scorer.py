"""Short form with models whose numbers follow from the words."""

from dataclasses import replace

import numpy as np
import pytest
from fakes import TOLD, WordAligner, WordLM

from franq_guard import Guard
from franq_guard.alignment import Aligner
from franq_guard.calibration import Calibrator
from franq_guard.claims import RuleExtractor
from franq_guard.config import GuardConfig
from franq_guard.errors import CalibrationError, CheckTimeoutError
from franq_guard.inputs import as_input
from franq_guard.pipeline.deadline import Deadline
from franq_guard.pipeline.forms import ShortForm
from franq_guard.pipeline.pipeline import Pipeline
from franq_guard.pipeline.short_form import hypothesis
from franq_guard.schema import GuardReport, Verdict

QUESTION = "How tall is the tower?"
PASSAGES = ["The castle is old.", "The tower is 330 metres tall. How nice it is!", "It rains."]


class ScriptedLM(WordLM):
    """Draws the given texts in turn."""

    def __init__(self, *texts, **options):
        super().__init__(**options)
        self.texts = texts
        self.settings = []

    def sample(self, prompt, *, n=10, **settings):
        self.sampled.append(prompt)
        self.settings.append({"n": n, **settings})
        return [self._written(prompt, self.texts[at % len(self.texts)]) for at in range(n)]


def make(*texts, **settings):
    return Pipeline(
        language_model=ScriptedLM(*texts or ("330 metres", "300 feet")),
        aligner=Aligner(WordAligner()),
        extractor=RuleExtractor(),
        **settings,
    )


def run(pipeline, *items, deadline=None, **options):
    return pipeline.run(items, deadline=Deadline(deadline), timings={}, **options)


def short(answer="330 metres", passages=PASSAGES, question=QUESTION, **options):
    return as_input(question, passages, answer, **options)


def calibrator(**settings):
    rng = np.random.default_rng(0)
    settings = {"language_model": "words", "alignment_model": "overlap/sentences-3", "samples": 10} | settings
    entropy, count = rng.uniform(-5, 5, 60), rng.uniform(-10, -1, 60)
    return Calibrator.fit(
        rng.random(60), entropy, count, entropy + count > rng.normal(-5, 1, 60), form="short", **settings
    )


def test_signals_come_from_the_samples_and_the_best_passage():
    [scored] = run(make("330 metres"), short())
    [claim] = scored.claims
    assert (scored.form, scored.samples) == ("short", ("330 metres",) * 10)
    assert claim.signals.samples == 10
    assert claim.signals.sum_eigenvalues == pytest.approx(1.0)
    # Ten times the same text: the class has ten times the probability of one.
    assert claim.signals.semantic_entropy == pytest.approx(-(np.log(10) + 3 * TOLD))
    assert claim.signals.alignment == pytest.approx(1.0)
    assert claim.verdict is Verdict.SUPPORTED
    assert claim.evidence[0].passage == 1
    assert claim.p_true == claim.p_true_if_faithful == 1.0
    assert claim.signals.max_claim_log_prob is claim.signals.parametric_log_prob is None


def test_uncalibrated_probabilities_are_the_mapping_of_entropy_and_eigenvalues():
    pipeline = make("330 metres", "a castle", "of old stones")
    [scored] = run(replace(pipeline, short_form=ShortForm(samples=3)), short())
    [claim] = scored.claims
    assert claim.p_true_if_faithful == pytest.approx(np.exp(-max(0, claim.signals.semantic_entropy)))
    assert claim.p_true_if_unfaithful == pytest.approx((3 - claim.signals.sum_eigenvalues) / 2)
    low, high = sorted((claim.p_true_if_faithful, claim.p_true_if_unfaithful))
    assert low <= claim.p_true <= high


def test_p_faithful_is_that_of_the_best_passage_alone():
    # Each half of the claim has its own passage; no passage holds both sentences.
    claim = "Ann saw Bob. Carl left early."
    pipeline = make(form="short")
    passages = ["Ann saw Bob.", "Carl left early."]
    [scored] = run(pipeline, short(claim, passages, "Who?"))
    each = [run(pipeline, short(claim, [text], "Who?"))[0].claims[0].p_faithful for text in passages]
    assert scored.claims[0].p_faithful == pytest.approx(max(each))
    assert max(each) < 1


@pytest.mark.parametrize("passages", [[], ["", " "]])
def test_without_passages_the_samples_decide_alone(passages):
    pipeline = make("330 metres", "a castle")
    [scored] = run(pipeline, short(passages=passages))
    [claim] = scored.claims
    assert claim.p_faithful == 0
    assert claim.p_true == claim.p_true_if_unfaithful
    assert claim.verdict is Verdict.NOT_MENTIONED
    assert "passage" not in pipeline.language_model.sampled[0].user
    assert sorted(pipeline.aligner.model.pairs) == [("330 metres", "a castle"), ("a castle", "330 metres")]


def test_sampling_gets_the_settings_and_each_prompt_once():
    settings = ShortForm(samples=4, temperature=0.7, top_k=9, top_p=0.8, seed=3, max_new_tokens=5)
    pipeline = make(short_form=settings)
    run(pipeline, short("330 metres"), short("500 metres"), short("330 metres", PASSAGES[:1]))
    assert len(pipeline.language_model.sampled) == 2
    assert pipeline.language_model.settings[0] == {
        "n": 4,
        "temperature": 0.7,
        "top_k": 9,
        "top_p": 0.8,
        "seed": 3,
        "max_new_tokens": 5,
    }


def test_no_pass_over_the_answer_is_made():
    pipeline = make()
    run(pipeline, short())
    assert pipeline.language_model.requests == []


@pytest.mark.parametrize("answer", ["", " \n", "You're welcome!", "```\ncode\n```", "I don't know."])
def test_nothing_is_sampled_where_nothing_is_claimed(answer):
    for form in ("auto", "short"):
        pipeline = make(form=form)
        run(pipeline, short(answer))
        assert pipeline.language_model.sampled == []


def test_another_language_is_unchecked_and_not_sampled():
    pipeline = make()
    [scored] = run(pipeline, short("Der Turm ist sehr hoch und wurde vor langer Zeit gebaut."))
    assert scored.form == "short"
    assert "language 'de'" in scored.claims[0].unchecked_reason
    assert pipeline.language_model.sampled == []


def test_empty_samples_are_dropped_and_counted():
    [scored] = run(make("330 metres", "", " \n", "330 metres"), short())
    assert scored.samples == ("330 metres",) * 5
    assert scored.claims[0].signals.samples == 5
    assert "5 of 10 sampled answers were empty" in scored.notes


def test_without_any_sample_the_claim_is_unchecked():
    [scored, other] = run(make(""), short(), short("500 metres"))
    assert scored.claims[0].verdict is other.claims[0].verdict is Verdict.UNCHECKED
    assert "drew no answers" in scored.claims[0].unchecked_reason
    assert scored.samples == ()


def test_one_sample_is_enough():
    [scored] = run(make("330 metres", short_form=ShortForm(samples=1)), short())
    [claim] = scored.claims
    assert claim.signals.sum_eigenvalues == 1
    assert claim.signals.semantic_entropy == pytest.approx(-3 * TOLD)
    assert claim.p_true_if_unfaithful == 1


def test_long_and_short_answers_do_not_mix():
    pipeline = make("330 metres", "a castle")
    items = [
        short(),
        short("The tower is 330 metres tall. The castle is old."),
        short(""),
        short("500 metres", PASSAGES[:1]),
        short("The castle", []),
    ]
    together = run(pipeline, *items)
    assert [scored.form for scored in together] == ["short", "long", "long", "short", "short"]
    assert together == [run(pipeline, item)[0] for item in items]


def test_asked_for_short_form_takes_the_whole_answer_as_one_claim():
    answer = "The tower is 330 metres tall. The castle is old."
    [scored] = run(make(form="short"), short(answer))
    [claim] = scored.claims
    assert claim.source_text == answer
    assert claim.p_true is not None


def test_handed_over_log_probs_are_kept_for_reference():
    entries = [("330", -0.5), (" metres", -0.25), ("", -0.1)]
    [scored] = run(make(), short(token_log_probs=entries))
    assert scored.claims[0].signals.max_claim_log_prob == pytest.approx(-0.75)
    assert scored.claims[0].signals.tokens == 2
    [scored] = run(make(), short(token_log_probs=[("something else", -0.5)]))
    assert scored.claims[0].signals.max_claim_log_prob is None


def test_every_stage_is_timed_and_the_deadline_asked():
    timings = {}
    pipeline = make()
    pipeline.run([short()], deadline=Deadline(None), timings=timings)
    assert set(timings) == {"claims", "alignment", "sampling", "comparison", "scoring"}
    with pytest.raises(CheckTimeoutError):
        run(pipeline, short(), deadline=-1)

    class SlowLM(ScriptedLM):
        def sample(self, prompt, **settings):
            deadline._end = 0.0
            return super().sample(prompt, **settings)

    deadline = Deadline(60)
    slow = replace(pipeline, language_model=SlowLM("330 metres", "a castle"))
    with pytest.raises(CheckTimeoutError):
        slow.run([short()], deadline=deadline, timings=timings)


def test_a_calibrator_replaces_the_mapping():
    found = calibrator()
    pipeline = make("330 metres", "a castle", short_calibrator=found)
    [scored] = run(pipeline, short())
    [claim] = scored.claims
    expected = found.apply(
        [claim.signals.alignment], [-claim.signals.semantic_entropy], [-claim.signals.sum_eigenvalues]
    )
    assert claim.p_true_if_faithful == pytest.approx(expected.p_true_if_faithful[0])
    assert claim.p_true_if_unfaithful == pytest.approx(expected.p_true_if_unfaithful[0])


def test_a_form_without_its_calibrator_says_so():
    [scored] = run(make(short_calibrator=calibrator()), short("The tower is tall. The castle is old."))
    assert "there is no calibrator for long form: P(true) is not calibrated" in scored.notes


class TestGuard:
    def guard(self, *texts, **settings):
        return Guard(
            language_model=ScriptedLM(*texts or ("330 metres", "a castle")),
            alignment_model=WordAligner(),
            on_error="raise",
            **settings,
        )

    def test_the_report_says_which_form_and_why(self):
        guard = self.guard()
        report = guard.check(QUESTION, PASSAGES, "330 metres")
        assert (report.form, report.form_reason) == ("short", "one claim in 2 words")
        assert report.samples == ("330 metres", "a castle") * 5
        assert "form: short (one claim in 2 words)" in str(report)
        assert "“330 metres” x5, “a castle” x5" in str(report)
        report = guard.check(QUESTION, PASSAGES, "It is tall. It is old.")
        assert (report.form, report.form_reason, report.samples) == ("long", "2 claims to check", ())

    def test_the_report_survives_json(self):
        report = self.guard().check(QUESTION, PASSAGES, "330 metres")
        assert GuardReport.from_json(report.to_json()) == report

    def test_settings_may_be_given_as_a_mapping(self):
        guard = self.guard(short_form={"samples": 3, "graph": "jaccard"}, form="short")
        report = guard.check(QUESTION, PASSAGES, "It is tall. It is old.")
        assert len(report.samples) == 3
        assert guard.config.short_form == ShortForm(samples=3, graph="jaccard")

    def test_settings_come_from_the_environment_and_a_file(self, monkeypatch, tmp_path):
        monkeypatch.setenv("FRANQ_GUARD_SHORT_FORM__SAMPLES", "4")
        assert self.guard().config.short_form.samples == 4
        file = tmp_path / "guard.toml"
        file.write_text('form = "long"\n[short_form]\ngraph = "jaccard"\n')
        config = GuardConfig.load(file)
        assert (config.form, config.short_form.graph, config.short_form.samples) == ("long", "jaccard", 4)

    def test_each_form_has_its_own_calibrator(self, tmp_path):
        file = tmp_path / "short.json"
        calibrator().save(file)
        guard = self.guard(short_calibration=file)
        report = guard.check(QUESTION, PASSAGES, "330 metres")
        assert (report.calibration, report.calibrator) == ("condition", calibrator().id)
        assert guard.check(QUESTION, PASSAGES, "It is tall. It is old.").calibrator is None

    @pytest.mark.parametrize(
        ("fitted", "settings"),
        [
            ({"samples": 5}, {}),
            ({"language_model": "other"}, {}),
            ({"alignment_model": "other"}, {}),
            ({}, {"short_form": {"estimator": "kuhn"}}),
            ({}, {"short_form": {"temperature": 0.5}}),
        ],
    )
    def test_a_calibrator_of_another_set_up_is_refused(self, fitted, settings):
        with pytest.raises(CalibrationError, match="does not fit"):
            self.guard(short_calibration=calibrator(**fitted), **settings).warm_up()
        self.guard(short_calibration=calibrator(**fitted), force_calibration=True, **settings).warm_up()

    def test_a_calibrator_can_be_fitted_for_other_settings(self):
        settings = ShortForm(estimator="kuhn", graph="contradiction", samples=6)
        found = calibrator(signals=settings.signals, samples=6)
        guard = self.guard(short_calibration=found, short_form=settings)
        assert guard.check(QUESTION, PASSAGES, "330 metres").calibrator == found.id


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        (QUESTION, "330 metres", "How tall is the tower: 330 metres"),
        (QUESTION, "It is 330 metres tall.", "How tall is the tower: It is 330 metres tall."),
        ("Is Rome in France?", "No.", "Rome is not in France."),
        ("Name the tower.", "Eiffel Tower", "Name the tower: Eiffel Tower"),
    ],
)
def test_question_and_answer_become_one_sentence(question, answer, expected):
    [claim] = RuleExtractor().extract(answer, question=question).claims
    assert hypothesis(question, claim) == expected
