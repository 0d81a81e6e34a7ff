"""A promised threshold and a watch for drift, on real signals."""

from dataclasses import replace

import pytest

from franq_guard import Action, Calibrator, Guard, Policy
from franq_guard.calibration.risk_control import LabelledScores, choose_threshold

PASSAGES = ["The Eiffel Tower is 330 metres tall. It stands in Paris."]
TRUE, FALSE = "It stands in Paris.", "It is made of cheese."


@pytest.fixture(scope="module")
def calibrator(uncalibrated):
    """Fitted on signals that the real models gave, each repeated as if many answers had been labelled."""
    report = uncalibrated.check("How tall is it?", PASSAGES, f"{TRUE} {FALSE}")
    signals = [claim.signals for claim in report.claims]
    assert len(signals) == 2
    copies = 60
    columns = (
        [signal.alignment for signal in signals] * copies,
        [signal.max_claim_log_prob for signal in signals] * copies,
        [signal.parametric_log_prob for signal in signals] * copies,
    )
    pipeline = uncalibrated._loaded()
    true, questions = [1, 0] * copies, [n // 2 for n in range(2 * copies)]
    found = Calibrator.fit(
        *columns,
        true,
        groups=questions,
        language_model=pipeline.language_model.id,
        alignment_model=pipeline.aligner.id,
    )
    parts = found.apply(*columns)
    p_true = parts.p_faithful * parts.p_true_if_faithful + (1 - parts.p_faithful) * parts.p_true_if_unfaithful
    scores = LabelledScores.of(p_true, true, questions)
    promise = choose_threshold(scores, scores, target=0.1)
    assert promise.threshold is not None
    return replace(found, card=replace(found.card, promise=promise))


def test_blocked_below_the_promised_threshold_and_watched(lm, calibrator):
    heard = []
    guard = Guard.from_preset(
        "mini",
        device="cpu",
        dtype="float32",
        on_error="raise",
        form="long",
        calibration=calibrator,
        short_calibration="none",
        policy=Policy(keep_promise=True, min_kept=0),
        drift_window=1,
        on_drift=heard.append,
        max_prompt_tokens=128,
        max_answer_tokens=128,
    )
    report = guard.check("How tall is it?", PASSAGES, f"{TRUE} {FALSE}")
    true, false = report.claims
    threshold = calibrator.card.promise.threshold
    assert true.p_true >= threshold > false.p_true
    assert true.action is not Action.BLOCK and false.action is Action.BLOCK
    assert FALSE not in report.text
    [state] = guard.drift()
    assert (state.windows, state.calibrator) == (1, calibrator.id)
    assert {signal.name for signal in state.signals} == {
        "alignment",
        "max_claim_probability",
        "parametric_knowledge",
        "p_true",
    }
    assert not state.drifted and heard == []  # one answer proves nothing
