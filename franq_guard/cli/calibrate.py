"""`franq-guard calibrate`: labelled claims in, calibrator out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from franq_guard.calibration.risk_control import Promise
from franq_guard.errors import ConfigError, InputError
from franq_guard.evaluation.bootstrap import Interval, evaluate
from franq_guard.evaluation.calibrating import Calibration, HeldOut, Settings, calibrate
from franq_guard.evaluation.labels import read_labels

_METRICS = (
    ("ece", "ECE, 10 bins (less is better)"),
    ("brier", "Brier score (less is better)"),
    ("roc_auc", "ROC-AUC"),
    ("average_precision", "PR-AUC of finding false claims"),
    ("prr", "PRR, up to half rejected"),
)


def run_calibrate(
    *, labels: Sequence[Path], out: Path, settings: Settings, plot: Path | None, resamples: int
) -> int:
    """Fits, prints, plots and saves; returns the exit code, 1 if a target cannot be promised.

    Raises:
        InputError: if the labels cannot be read or used, or a file cannot be written.
        ConfigError: if a setting is wrong, or matplotlib is missing.
        CalibrationError: if there is too little to fit.
    """
    if out.is_dir() or not out.parent.is_dir():
        raise InputError(f"cannot write {out}: name a file in a folder that exists")
    if plot is not None:
        from franq_guard.report.plots import require_matplotlib

        require_matplotlib(plot)
        if settings.test_share == 0:
            raise ConfigError("--plot draws the held-out claims: it needs a --test-share above 0")
    result = calibrate(read_labels(labels), settings)
    console = Console()
    console.print(_summary(result, settings))
    if result.held_out is not None:
        console.print(_metrics(result.held_out, resamples, settings.seed))
        if plot is not None:
            _plot(result.held_out, plot)
    for warning in result.warnings:
        console.print(Text(f"warning: {warning}", style="yellow"))
    try:
        result.calibrator.save(out)
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror or error}") from error
    if plot is not None and result.held_out is not None:
        console.print(Text(f"Drew {plot}."))
    console.print(Text(_next_step(result, out)), soft_wrap=True)
    promise = result.calibrator.card.promise
    return int(promise is not None and promise.threshold is None)


def _summary(result: Calibration, settings: Settings) -> Table:
    calibrator, card = result.calibrator, result.calibrator.card
    split = "labelled faithful" if calibrator.split == "gold" else f"alignment above {calibrator.threshold:g}"
    table = Table(title="Calibration", show_header=False, title_justify="left")
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    rows = (
        ("claims", f"{result.claims} of {result.questions} questions"),
        ("left out", f"{result.unlabelled} nobody could tell, {result.disputed} on which annotators differ"),
        ("true", f"{card.true_rate:.1%}"),
        ("sides", f"{card.n_faithful} faithful, {card.n_unfaithful} unfaithful ({split})"),
        ("form", calibrator.form),
        ("mode", calibrator.mode),
        ("signals", f"{calibrator.signals[0]} if faithful, {calibrator.signals[1]} if not"),
        (
            "models",
            f"{calibrator.language_model or 'not recorded'}, {calibrator.alignment_model or 'not recorded'}",
        ),
        ("fitted on", "all claims" if _on_all(result, settings) else "the claims that were not held out"),
    )
    for name, value in rows:
        table.add_row(name, Text(value))
    if card.promise is not None:
        table.add_row("promise", Text(_promised(card.promise)))
    return table


def _promised(promise: Promise) -> str:
    goal = f"at most {promise.target:.1%} of the claims let through are false"
    asked = f"{goal}, confidence {promise.confidence:.0%}"
    if promise.threshold is None:
        return f"{asked}: not supported"
    return (
        f"{asked}: block below P(true) = {promise.threshold:g}; lets {promise.share_kept:.1%} of the held-out"
        f" claims through, {promise.false_rate:.1%} of them false (mean over {promise.kept} questions)"
    )


def _on_all(result: Calibration, settings: Settings) -> bool:
    return settings.refits or result.held_out is None


def _metrics(held_out: HeldOut, resamples: int, seed: int) -> Table:
    questions = len(set(held_out.questions))
    table = Table(
        title=f"On {held_out.true.size} held-out claims of {questions} questions, 95% intervals by question",
        title_justify="left",
    )
    table.add_column("metric", overflow="fold")
    found: list[dict[str, Interval]] = []
    for name, scores in (("before", held_out.before), ("after", held_out.after)):
        table.add_column(name, justify="right", no_wrap=True)
        found.append(
            {}
            if scores is None
            else evaluate(scores, held_out.true, groups=held_out.questions, resamples=resamples, seed=seed)
        )
    for key, label in _METRICS:
        table.add_row(label, *(_cell(metrics.get(key)) for metrics in found))
    table.add_row("share of false claims (PR-AUC of chance)", "", f"{1 - float(held_out.true.mean()):.3f}")
    return table


def _cell(interval: Interval | None) -> Text:
    if interval is None or math.isnan(interval.value):
        return Text("n/a")
    if math.isnan(interval.low):
        return Text(f"{interval.value:.3f}")
    return Text(f"{interval.value:.3f} [{interval.low:.3f}, {interval.high:.3f}]")


def _plot(held_out: HeldOut, path: Path) -> None:
    from franq_guard.report.plots import plot_reliability

    scores = {} if held_out.before is None else {"before": held_out.before}
    plot_reliability(scores | {"after": held_out.after}, held_out.true, path)


def _next_step(result: Calibration, out: Path) -> str:
    used = f"calibration={str(out)!r}"
    if result.calibrator.signals[0] == "max_nli":
        used += ", faithful_signal='max_nli'"
    promise = result.calibrator.card.promise
    if promise is not None and promise.threshold is not None:
        used += ", policy=Policy(keep_promise=True)"
    return f"Wrote {out} (calibrator {result.calibrator.id}). Use it: Guard(..., {used})"
