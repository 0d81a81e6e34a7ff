"""`franq-guard evaluate`: a data set in, a table of all methods out."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from franq_guard.cli.progress import quiet_libraries, stage_progress
from franq_guard.errors import ConfigError, InputError
from franq_guard.evaluation.ablations import ABLATIONS
from franq_guard.evaluation.labels import LabelledClaim, read_labels
from franq_guard.evaluation.measuring import Settings, measure
from franq_guard.evaluation.output import write_results
from franq_guard.evaluation.promise import PromiseSettings, check_promise
from franq_guard.evaluation.results import to_table

if TYPE_CHECKING:
    from franq_guard.config import GuardConfig

DEFAULT_PRESET = "mini"
PROMISE = "promise.json"


def run_evaluate(
    *,
    data: Path | None,
    out: Path,
    signals: Path | None,
    measuring: Settings,
    promise: PromiseSettings | None,
    ablations: Sequence[str],
    corrupt: str | None,
    passages: int | None,
    samples: int | None,
    similarity: str | None,
    limit: int | None,
    config: Path | None,
    settings: dict[str, Any],
) -> int:
    """Collects signals unless they are given, measures, prints and writes; returns the exit code.

    Raises:
        InputError: if the data cannot be read or used, or a file cannot be written.
        ConfigError: if a setting is wrong, or two do not go together.
    """
    if (data is None) == (signals is None):
        raise ConfigError("give a data set, or --signals FILE with signals that were already collected")
    making = {"--corrupt": corrupt, "--passages": passages, "--samples": samples, "--similarity": similarity}
    ignored = [name for name, value in making.items() if value is not None]
    if signals is not None and ignored:
        raise ConfigError(f"{', '.join(ignored)} change how signals are made: leave out --signals")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {out}: {error.strerror or error}") from error
    about: dict[str, Any] = {}
    if data is None:
        rows = _read(signals, limit)
    else:
        rows, about = _collect(
            data,
            out,
            methods=measuring.methods,
            corrupt=corrupt,
            passages=passages,
            samples=samples,
            similarity=similarity,
            limit=limit,
            seed=measuring.seed,
            config=config,
            settings=settings,
        )
    evaluation = measure(rows, measuring)
    tables = [ABLATIONS[name](evaluation.data, measuring.seed) for name in ablations]
    console = Console()
    console.print(to_table(evaluation))
    for note in evaluation.notes:
        console.print(Text(f"note: {note}", style="yellow"))
    for path in write_results(evaluation, tables, out, about=about):
        console.print(Text(f"Wrote {path}"))
    if promise is not None:
        _check_promise([*evaluation.data.calibration, *evaluation.data.test], promise, out, console)
    return 0


def _check_promise(
    rows: Sequence[LabelledClaim], settings: PromiseSettings, out: Path, console: Console
) -> None:
    found = check_promise(rows, settings)
    path = out / PROMISE
    try:
        path.write_text(json.dumps(found.to_dict(), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    numbers = found.to_dict()
    console.print(
        Text(
            f"Promise: at most {settings.target:.1%} of the claims let through are false, confidence"
            f" {settings.confidence:.0%}. Over {settings.resamples} resamples, each tested on {found.tested}"
            f" questions, it was supported in {found.supported:.1%} and kept in {found.held:.1%} (sampling"
            f" error {found.margin:.1%})."
        ),
        soft_wrap=True,
    )
    if found.supported:
        console.print(
            Text(
                f"Where supported, {numbers['mean_share_kept']:.1%} of the claims were let through,"
                f" {numbers['mean_false_rate']:.1%} of them false by question,"
                f" {numbers['mean_false_rate_of_claims']:.1%} by claim."
            ),
            soft_wrap=True,
        )
    if found.reasons:
        console.print(Text(f"note: where not supported: {found.reasons[0]}", style="yellow"), soft_wrap=True)
    console.print(Text(f"Wrote {path}"))


def _read(path: Path | None, limit: int | None) -> list[LabelledClaim]:
    rows = read_labels([] if path is None else [path])
    questions = list(dict.fromkeys(row.question_id for row in rows))[:limit]
    return [row for row in rows if row.question_id in set(questions)]


def _collect(
    data: Path,
    out: Path,
    *,
    methods: Collection[str],
    corrupt: str | None,
    passages: int | None,
    samples: int | None,
    similarity: str | None,
    limit: int | None,
    seed: int,
    config: Path | None,
    settings: dict[str, Any],
) -> tuple[list[LabelledClaim], dict[str, Any]]:
    from franq_guard.evaluation.runner import Making, collect, prepare

    making = Making(corruption=corrupt, passages=passages, similarity=similarity, seed=seed, limit=limit)
    examples = prepare(data, making)
    loaded = _config(config, settings, samples, seed)
    quiet_libraries()
    with stage_progress() as progress:
        return collect(
            examples,
            out,
            loaded,
            making,
            methods=methods,
            progress=lambda done, total: progress("questions", done, total),
        )


def _config(config: Path | None, settings: dict[str, Any], samples: int | None, seed: int) -> GuardConfig:
    from dataclasses import replace

    from franq_guard.config import GuardConfig

    loaded = GuardConfig.load(config, **settings, calibration="none")
    if loaded.preset is None and (loaded.language_model is None or loaded.alignment_model is None):
        loaded = GuardConfig.load(config, **(settings | {"preset": DEFAULT_PRESET, "calibration": "none"}))
    short = replace(loaded.short_form, samples=samples or loaded.short_form.samples, seed=seed)
    return loaded.model_copy(update={"short_form": short})
