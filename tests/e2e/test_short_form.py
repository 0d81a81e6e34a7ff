"""Short form on real weights: SmolLM2 draws the samples, align_mini judges them."""

import numpy as np
import pytest

from franq_guard import Guard, GuardReport
from franq_guard.pipeline.forms import ShortForm
from franq_guard.pipeline.prompts import rag_prompt
from franq_guard.schema import Passage, Verdict

SETTINGS = ShortForm(samples=4, max_new_tokens=12)
QUESTION = "How tall is the Eiffel Tower?"
PASSAGES = [
    "The Louvre is a museum in Paris. It opened in 1793.",
    "With its antennas the Eiffel Tower is 330 metres tall. It was completed in 1889.",
]
LONG = "The Eiffel Tower is 330 metres tall. It was completed in 1889. It stands in Paris."


@pytest.fixture(scope="module")
def short_guard(lm):
    return Guard.from_preset(
        "mini",
        device="cpu",
        dtype="float32",
        on_error="raise",
        calibration="none",
        form="auto",
        short_form=SETTINGS,
    ).warm_up()


def items(*answers):
    return [{"question": QUESTION, "passages": PASSAGES, "answer": answer} for answer in answers]


def numbers(report):
    return [
        (c.p_true, c.p_faithful, c.signals.semantic_entropy, c.signals.sum_eigenvalues)
        for c in report.claims
        if c.p_true is not None
    ]


def test_right_and_wrong_answers_differ_in_what_the_passages_say(short_guard):
    right, wrong = short_guard.check_many(items("330 metres", "500 metres"))
    assert right.form == wrong.form == "short"
    assert right.samples == wrong.samples
    [right_claim], [wrong_claim] = right.claims, wrong.claims
    assert right_claim.p_faithful > 0.5 > wrong_claim.p_faithful
    assert right_claim.verdict is Verdict.SUPPORTED
    assert wrong_claim.verdict is not Verdict.SUPPORTED
    assert "330 metres" in right_claim.evidence[0].text
    # The samples are the same, so only P(faithful) moves the score between the same two probabilities.
    assert right_claim.p_true_if_faithful == wrong_claim.p_true_if_faithful
    for claim in (right_claim, wrong_claim):
        low, high = sorted((claim.p_true_if_faithful, claim.p_true_if_unfaithful))
        assert low <= claim.p_true <= high
        assert claim.signals.samples == 4
        assert 1 <= claim.signals.sum_eigenvalues <= 4
        assert np.isfinite(claim.signals.semantic_entropy)


def test_the_same_seed_gives_the_same_report(short_guard):
    first, again = (short_guard.check(QUESTION, PASSAGES, "330 metres") for _ in range(2))
    assert first.claims == again.claims
    assert first.samples == again.samples
    settings = ShortForm(samples=4, max_new_tokens=12, seed=1)
    other = Guard(config=short_guard.config, short_form=settings).check(QUESTION, PASSAGES, "330 metres")
    assert other.samples != first.samples


def test_a_batch_gives_what_single_checks_give(short_guard):
    batch = [
        *items("330 metres", LONG, "It was completed in 1889.", "Hello!", ""),
        {"question": "Where is the Louvre?", "passages": PASSAGES[:1], "answer": "Paris"},
        {"question": "Where is the Louvre?", "passages": [], "answer": "Rome"},
    ]
    short_guard.forget()
    together = short_guard.check_many(batch)
    assert [report.form for report in together] == [
        "short",
        "long",
        "short",
        "long",
        "long",
        "short",
        "short",
    ]
    for item, report in zip(batch, together, strict=True):
        short_guard.forget()
        alone = short_guard.check(**item)
        assert alone.samples == report.samples
        assert alone.form_reason == report.form_reason
        for found, expected in zip(numbers(report), numbers(alone), strict=True):
            for a, b in zip(found, expected, strict=True):
                assert a == b if a is None else a == pytest.approx(b, abs=1e-4)


def test_one_sample_and_json(short_guard):
    guard = Guard(config=short_guard.config, short_form={"samples": 1, "max_new_tokens": 4})
    report = guard.check(QUESTION, PASSAGES, "330 metres")
    [claim] = report.claims
    assert (len(report.samples), claim.signals.samples, claim.signals.sum_eigenvalues) == (1, 1, 1)
    assert claim.p_true_if_unfaithful == 1 or report.calibrator is not None
    assert GuardReport.from_json(report.to_json()) == report


def test_samples_that_all_say_the_same_have_one_meaning(short_guard):
    # One candidate token: every draw is the likeliest one.
    guard = Guard(config=short_guard.config, short_form={"samples": 3, "top_k": 1, "max_new_tokens": 12})
    report = guard.check(QUESTION, PASSAGES, "330 metres")
    assert len(set(report.samples)) == 1
    assert report.claims[0].signals.sum_eigenvalues == pytest.approx(1.0)


def test_sampling_reads_a_long_prompt_once_and_scores_as_teacher_forcing_does(lm):
    passage = Passage("The Eiffel Tower is an iron tower in Paris, and it is 330 metres tall. " * 12)
    prompt = rag_prompt(QUESTION, [passage])
    length = len(lm.prompt_ids(prompt))
    assert length > 200
    forwarded = []
    hook = lm._model.register_forward_pre_hook(
        lambda module, args, kwargs: forwarded.append(kwargs["input_ids"].numel()), with_kwargs=True
    )
    try:
        samples = lm.sample(prompt, n=4, max_new_tokens=12, seed=0)
    finally:
        hook.remove()
    assert sum(forwarded) <= length + 4 * 11
    for sample in samples:
        [again] = lm.score([(prompt, sample.scores.tokens)])
        assert sample.scores.log_probs == pytest.approx(again.log_probs, abs=1e-4)
