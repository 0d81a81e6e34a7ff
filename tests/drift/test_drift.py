import logging
import threading
from dataclasses import replace

import numpy as np
import pytest
from fakes import WordLM, make_guard
from hypothesis import given
from hypothesis import strategies as st

from franq_guard import Calibrator, Policy
from franq_guard.drift import DriftMonitor, DriftWatch, Reference, SignalSketch
from franq_guard.drift.monitor import FALSE_ALARMS
from franq_guard.drift.sketch import BINS, worth
from franq_guard.franq import LONG_FORM
from franq_guard.schema import Claim, GuardReport, ScoredClaim, Signals, Span


def reference(values, answers=300.0, name="alignment"):
    return Reference(answers=answers, signals=(SignalSketch.of(name, values),))


def monitor(values, window=200, answers=300.0):
    return DriftMonitor(reference(values, answers), form="long", calibrator="id", window=window)


def feed(watched, draws):
    """One answer a draw; a draw is the values of its claims."""
    found = [watched.observe([{"alignment": float(value)} for value in draw]) for draw in draws]
    return [report for report in found if report is not None]


# Sketches.


@given(st.lists(st.floats(-1e4, 1), min_size=1, max_size=200))
def test_any_values_give_a_sketch(values):
    sketch = SignalSketch.of("alignment", values)
    assert len(sketch.edges) < BINS
    counts = np.bincount(sketch.bins(np.array(values)), minlength=len(sketch.shares))
    np.testing.assert_allclose(counts / len(values), sketch.shares, atol=6e-5)


def test_bins_hold_about_as_much_each():
    shares = SignalSketch.of("alignment", np.random.default_rng(0).random(4000)).shares
    assert len(shares) == BINS
    assert max(shares) - min(shares) < 0.01


def test_frequent_values_stay_in_their_bin_when_rounded():
    values = np.repeat([0.1, 0.5, 0.9], [50, 30, 20])
    sketch = SignalSketch.of("p_true", values)
    assert sketch.shares == (0.5, 0.3, 0.2)
    np.testing.assert_array_equal(sketch.bins(values + 1e-7), sketch.bins(values - 1e-7))


def test_slivers_are_no_bins():
    assert SignalSketch.of("p_true", [0.0] + [1.0] * 999).shares == (1.0,)


@pytest.mark.parametrize(
    ("edges", "shares"),
    [((0.5,), (1.0,)), ((0.5, 0.5), (0.2, 0.3, 0.5)), ((0.5,), (1.5, -0.5)), ((), (0.5,))],
)
def test_nonsense_is_refused(edges, shares):
    with pytest.raises(ValueError):
        SignalSketch(name="x", edges=edges, shares=shares)


def test_what_answers_are_worth():
    assert worth([1, 1, 1, 1]) == 4
    assert worth([5, 5, 5]) == 3
    assert worth([1, 9]) < 2
    assert worth([]) == 0


# Monitors.


def test_a_shift_is_found_and_none_is_not():
    rng = np.random.default_rng(0)
    watched = monitor(rng.beta(2, 2, 400))
    same = feed(watched, rng.beta(2, 2, (600, 1)))
    assert [report.drifted for report in same] == [False] * 3
    [shifted] = feed(watched, rng.beta(3.5, 2, (200, 1)))
    assert shifted.drifted
    assert shifted.signals[0].psi > 0.25 and shifted.signals[0].p_value < 0.001
    assert (shifted.windows, shifted.alarms, shifted.pending) == (4, 1, 0)
    assert "alignment (PSI" in str(shifted)
    assert shifted.metrics()["psi.alignment"] == shifted.signals[0].psi
    assert (shifted.metrics()["drifted"], shifted.metrics()["windows"]) == (1, 4)


def test_false_alarms_are_as_rare_as_promised():
    """Claims of an answer go together, and the reference is a sample too."""
    rng = np.random.default_rng(1)
    windows = alarms = 0
    for _ in range(20):
        base = rng.beta(1, 2, 250)
        fitted = np.clip(np.repeat(base, 4) + rng.normal(0, 0.02, 1000), 0, 1)
        watched = monitor(fitted, window=50, answers=worth([4] * 250))
        draws = np.clip(rng.beta(1, 2, (2000, 1)) + rng.normal(0, 0.02, (2000, 4)), 0, 1)
        feed(watched, draws)
        windows, alarms = windows + watched.report().windows, alarms + watched.report().alarms
    assert windows == 800
    assert alarms <= 4  # more come up once in 700 times if 0.8 are to be expected
    assert FALSE_ALARMS == 0.001


def test_many_claims_of_few_answers_prove_little():
    rng = np.random.default_rng(2)
    [one] = feed(monitor(rng.random(400), window=3), [[0.99] * 500, [0.98] * 500, [0.97] * 500])
    assert one.signals[0].psi > 0.25
    assert not one.drifted


def test_a_small_change_is_not_worth_a_warning():
    rng = np.random.default_rng(3)
    watched = monitor(rng.random(20_000), window=20_000, answers=20_000)
    [report] = feed(watched, rng.beta(1.12, 1, (20_000, 1)))
    assert report.signals[0].p_value < 1e-6
    assert report.signals[0].psi < 0.1
    assert not report.drifted


def test_what_is_missing_is_not_counted():
    watched = monitor(np.linspace(0, 1, 100), window=2)
    assert watched.observe([]) is None
    assert watched.report().pending == 0
    watched.observe([{"alignment": None}, {"alignment": float("nan")}, {}])
    report = watched.observe([{"alignment": 0.5}])
    assert sum(report.signals[0].shares) == pytest.approx(1)
    assert feed(monitor(np.linspace(0, 1, 100), window=1), [[float("nan")]])[0].signals == ()


def test_memory_does_not_grow_and_threads_lose_nothing():
    watched = monitor(np.linspace(0, 1, 100), window=7)
    before = set(vars(watched))

    def work():
        for _ in range(300):
            watched.observe([{"alignment": 0.3}])

    threads = [threading.Thread(target=work) for _ in range(7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report = watched.report()
    assert report.windows * 7 + report.pending == 2100
    assert set(vars(watched)) == before
    assert len(watched._shares) == 1


# What a guard does about it.


def report_of(p_true, form="long"):
    span = Span(0, 1, "x")
    claim = Claim(index=0, text="x", spans=(span,), sentence=span)
    scored = ScoredClaim(
        index=0,
        text="x",
        spans=claim.spans,
        sentence=span,
        p_true=p_true,
        signals=Signals(alignment=p_true, max_claim_log_prob=-1.0, parametric_log_prob=-9.0),
    )
    return GuardReport(question="q", passages=(), answer="x", text="x", claims=(scored,), form=form)


def calibrator(**settings):
    rng = np.random.default_rng(0)
    alignment = rng.random(300)
    return Calibrator.fit(
        alignment, -5 * rng.random(300), -20 * rng.random(300), alignment > 0.5, signals=LONG_FORM, **settings
    )


def watch(found, **settings):
    watched = DriftWatch(**({"window": 50, "period": 60.0} | settings))
    watched.follow(found)
    return watched


def test_a_warning_and_a_call_at_most_once_a_period(caplog):
    now, heard = [0.0], []
    watched = watch(calibrator(), on_drift=heard.append, clock=lambda: now[0])
    for _ in range(150):
        watched.observe(report_of(0.99))
    assert len(heard) == 1 and heard[0].drifted
    assert caplog.text.count("drift: ") == 1 and "calibrate again" in caplog.text
    now[0] = 61.0
    for _ in range(50):
        watched.observe(report_of(0.99))
    assert len(heard) == 2
    [state] = watched.reports()
    assert (state.windows, state.alarms, state.form) == (4, 4, "long")


def test_a_hook_that_fails_does_not_fail_the_check(caplog):
    def fail(report):
        raise RuntimeError("pager is down")

    watched = watch(calibrator(), on_drift=fail)
    with caplog.at_level(logging.ERROR):
        for _ in range(50):
            watched.observe(report_of(0.99))
    assert "pager is down" in caplog.text


def test_nothing_is_watched_without_a_reference():
    old = calibrator()
    old = replace(old, card=replace(old.card, reference=None))
    for watched in (watch(old), watch(None), watch(calibrator(), window=0)):
        watched.observe(report_of(0.99))
        assert watched.reports() == ()


def test_hard_faithfulness_is_no_drift():
    watched = DriftWatch(window=50, period=60.0)
    watched.follow(calibrator(), hard=True)
    for _ in range(50):
        watched.observe(report_of(0.5))
    assert "p_true" not in [signal.name for signal in watched.reports()[0].signals]


def test_uncertainties_change_their_sign():
    entropies = np.linspace(0, 3, 300)
    short = Calibrator.fit(
        np.linspace(0, 1, 300), -entropies, -np.linspace(1, 9, 300), entropies < 1, form="short", samples=10
    )
    names = {sketch.name: sketch for sketch in short.card.reference.signals}
    assert max(names["semantic_entropy"].edges) < 0
    watched = watch(short, window=1)
    report = report_of(0.5, form="short")
    signals = replace(report.claims[0].signals, semantic_entropy=0.1, sum_eigenvalues=8.9)
    watched.observe(replace(report, claims=(replace(report.claims[0], signals=signals),)))
    found = {signal.name: signal for signal in watched.reports()[0].signals}
    assert found["semantic_entropy"].shares[-1] == 1  # the most confident bin
    assert found["sum_eigenvalues"].shares[0] == 1


def test_a_guard_notices():
    aligner = make_guard(calibration="none").warm_up()._loaded().aligner.id
    found = calibrator(language_model=WordLM().id, alignment_model=aligner)
    heard = []
    guard = make_guard(calibration=found, drift_window=20, on_drift=heard.append, on_error="raise")
    assert guard.drift() == ()
    items = [
        {"question": "q", "passages": ["Nothing at all."], "answer": f"Zebras swim {n} miles."}
        for n in range(20)
    ]
    guard.check_many(items[:19])
    [state] = guard.drift()
    assert (state.pending, state.windows, state.calibrator) == (19, 0, found.id)
    guard.with_policy(Policy(block_below=None)).check(**items[19])
    assert len(heard) == 1
    assert guard.drift() == (heard[0],)
    assert make_guard(calibration=found, drift_window=0).warm_up().drift() == ()
    assert make_guard(calibration="none").warm_up().drift() == ()
