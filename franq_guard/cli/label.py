"""`franq-guard label` and `franq-guard agreement`."""

from __future__ import annotations

import getpass
import webbrowser
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from franq_guard.cli.check import DEFAULT_PRESET
from franq_guard.errors import ConfigError, InputError
from franq_guard.evaluation.labels import LABELS, LabelledClaim, read_labels
from franq_guard.labelling.agreement import ANSWERS, Agreement, agreement, answer_of, split_annotators
from franq_guard.labelling.first_pass import (
    FirstPass,
    append_cache,
    cache_path,
    difficult_first,
    first_pass,
    load_cache,
)
from franq_guard.labelling.server import LabelServer
from franq_guard.labelling.session import Session
from franq_guard.labelling.store import LabelStore
from franq_guard.labelling.tasks import Tasks, load_tasks, most_uncertain_first
from franq_guard.rewriting.wording import one_line, printable

_TELLING = 20
"""With so many claims, one and the same opinion on all of them is suspicious."""
_SHOWN = 100
"""Differing claims that are listed."""


def run_label(
    *,
    file: Path,
    out: Path,
    annotator: str | None,
    port: int,
    browser: bool,
    order: str,
    margin: float | None,
    config: Path | None,
    settings: dict[str, Any],
) -> int:
    """Serves the page until Ctrl-C; returns the exit code.

    Args:
        file: reports or rows.
        out: file of labels.
        annotator: who labels; None for the user's name.
        port: on 127.0.0.1; 0 for any.
        browser: whether to open one.
        order: "uncertain" or "file".
        margin: of the first pass; None for no first pass.
        config: TOML file that names the models of the first pass.
        settings: further settings of `GuardConfig`.

    Raises:
        InputError: if a file cannot be read or written.
        ConfigError: if a setting is wrong, the port is taken, or `out` is in use.
        ModelError: if the model of the first pass cannot be loaded.
    """
    if out.exists() and file.exists() and out.samefile(file):
        raise ConfigError(f"{file} would be read and written: give another --out")
    console = Console(stderr=True)
    tasks = load_tasks(file)
    with LabelStore(out, _annotator(annotator)) as store:
        marks = {} if margin is None else _first_pass(tasks, out, config, settings)
        rows = list(tasks.rows)
        if order == "uncertain":
            rows = most_uncertain_first(rows) if margin is None else difficult_first(rows, marks, margin)
        session = Session(rows, store, marks=marks, margin=1.0 if margin is None else margin)
        if margin is not None:
            console.print(Text(_opinions(rows, marks, margin)))
        with LabelServer(session, port=port) as server:
            _greet(console, server, session, store, tasks)
            if browser:
                webbrowser.open(server.url)
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                pass
        done, total = session.done, session.total
    console.print(Text(f"\n{done} of {total} claims are labelled in {out}."))
    if done:
        console.print(Text(f"Next: franq-guard calibrate {out}", style="bold"))
    return 0


def run_agreement(paths: Sequence[Path]) -> int:
    """Prints how far two annotators agree; returns the exit code.

    Raises:
        InputError: if the files cannot be read, or do not hold two annotators with claims in common.
    """
    files = {str(path): read_labels([path], require=("id", *LABELS)) for path in paths}
    annotators = split_annotators(files)
    (first_name, first), (second_name, second) = annotators.items()
    results = agreement(first, second)
    console = Console()
    table = Table(
        title=f"{printable(first_name)} and {printable(second_name)}: {results[0].n} claims in common",
        title_justify="left",
    )
    for column in ("question", "same answer", "Cohen's kappa"):
        table.add_column(column, justify="left" if column == "question" else "right")
    for result in results:
        kappa = "undefined: one answer throughout" if result.kappa is None else f"{result.kappa:.3f}"
        table.add_row(f"{result.question}?", f"{result.raw:.1%}", kappa)
    console.print(table)
    for result in results:
        _list_differing(console, result, first_name, second_name)
    return 0


def _list_differing(console: Console, result: Agreement, first_name: str, second_name: str) -> None:
    if not result.differing:
        return
    table = Table(title=f"They differ on: {result.question}?", title_justify="left")
    table.add_column("id", no_wrap=True)
    table.add_column("claim", overflow="fold", ratio=1)
    table.add_column(Text(printable(first_name)))
    table.add_column(Text(printable(second_name)))
    for first, second in result.differing[:_SHOWN]:
        table.add_row(
            Text(printable(first.id)),
            Text(one_line(first.claim)),
            answer_of(first, result.question),
            answer_of(second, result.question),
        )
    console.print(table)
    if len(result.differing) > _SHOWN:
        console.print(f"and {len(result.differing) - _SHOWN} more")


def _annotator(given: str | None) -> str:
    if given is None:
        try:
            given = getpass.getuser()
        except (OSError, KeyError, ImportError) as error:
            raise ConfigError("say who labels: --annotator NAME") from error
    if not given.strip():
        raise InputError("--annotator must not be empty")
    return given.strip()


def _first_pass(
    tasks: Tasks, out: Path, config: Path | None, settings: dict[str, Any]
) -> Mapping[str, FirstPass]:
    from franq_guard.cli.progress import busy, quiet_libraries, stage_progress
    from franq_guard.config import GuardConfig
    from franq_guard.models.loading import load_language_model
    from franq_guard.models.presets import preset

    loaded = GuardConfig.load(config, **settings)
    source = loaded.language_model or preset(loaded.preset or DEFAULT_PRESET).language_model
    quiet_libraries()
    with busy("Loading the language model of the first pass"):
        model = load_language_model(source, device=loaded.device, dtype=loaded.dtype)
    path = cache_path(out)
    marks = load_cache(path, model.id)
    missing: list[LabelledClaim] = [row for row in tasks.rows if row.id not in marks]
    with stage_progress() as progress:
        found = 0

        def keep(group: Mapping[str, FirstPass]) -> None:
            nonlocal found
            append_cache(path, group)
            found += len(group)
            progress("first pass", found, len(missing))

        return marks | first_pass(model, missing, done=keep, max_prompt_tokens=loaded.max_prompt_tokens)


def _opinions(rows: Sequence[LabelledClaim], marks: Mapping[str, FirstPass], margin: float) -> str:
    """What the first pass came to, so that a model that says the same to everything is found out."""
    own = [marks[row.id] for row in rows]
    parts = []
    for question in LABELS:
        given = Counter(mark.best(question) for mark in own)
        parts.append(f"{question}? {', '.join(f'{given[answer]} {answer}' for answer in ANSWERS)}")
    sure = sum(len(mark.sure(margin)) == len(LABELS) for mark in own)
    text = f"First pass: {'; '.join(parts)}. It is sure of {sure} of {len(own)} claims."
    same = [question for question in LABELS if len({mark.best(question) for mark in own}) == 1]
    if same and len(own) >= _TELLING:
        text += (
            f" It answers {' and '.join(same)}? alike for every claim: this model may be too small to judge;"
            " try another one with --preset, or leave out --first-pass."
        )
    return text


def _greet(console: Console, server: LabelServer, session: Session, store: LabelStore, tasks: Tasks) -> None:
    if tasks.unscored:
        console.print(Text(f"{tasks.unscored} claims without a probability were left out."))
    if tasks.repeated:
        console.print(Text(f"{tasks.repeated} repeated claims are shown once."))
    if store.dropped:
        console.print(
            Text(f"The last line of {store.path} was cut short and is gone; its claim comes again.")
        )
    console.print(
        Text(f"{session.done} of {session.total} claims are labelled by {printable(store.annotator)}.")
    )
    console.print(Text(f"Open {server.url} to label; press Ctrl-C here to stop.", style="bold"))
