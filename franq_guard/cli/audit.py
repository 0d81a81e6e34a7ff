"""`franq-guard audit`: many stored answers in, a folder of reports out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from franq_guard.audit import AuditResult, audit
from franq_guard.audit.store import FAILED, REPORTS, Store
from franq_guard.cli.progress import stage_progress

if TYPE_CHECKING:
    from franq_guard.config import GuardConfig
    from franq_guard.guard import Guard

DEFAULT_PRESET = "mini"
_NOT_RECORDED = {"device", "tracing", "drift_window", "drift_period"}
"""Settings that change no report."""


def run_audit(
    *,
    files: Sequence[Path],
    out: Path,
    workers: int | None,
    address: str | None,
    part_rows: int,
    config: Path | None,
    settings: dict[str, Any],
) -> int:
    """Audits and prints a summary; returns the exit code, 1 if rows were kept aside.

    Raises:
        InputError: if a file cannot be read or written.
        ConfigError: if a setting is wrong.
        ModelError: if a model cannot be loaded.
    """
    loaded = _config(config, settings)
    with stage_progress() as progress:
        result = audit(
            files,
            out,
            partial(make_guard, loaded),
            workers=workers,
            address=address,
            part_rows=part_rows,
            about=_about(loaded),
            progress=lambda done, total: progress("rows", done, total),
        )
    console = Console()
    console.print(_summary(result))
    if result.failed:
        where = out / FAILED
        console.print(
            Text(
                f"{result.failed} {'row was' if result.failed == 1 else 'rows were'} kept aside in {where}",
                style="yellow",
            ),
            soft_wrap=True,
        )
    console.print(Text(f"Wrote {out / REPORTS}"), soft_wrap=True)
    return int(result.failed > 0)


def make_guard(config: GuardConfig) -> Guard:
    """The guard of one process."""
    from franq_guard.cli.progress import quiet_libraries
    from franq_guard.guard import Guard

    quiet_libraries()
    return Guard(config=config)


def _config(path: Path | None, settings: dict[str, Any]) -> GuardConfig:
    from franq_guard.config import GuardConfig

    loaded = GuardConfig.load(path, **settings)
    if loaded.preset is None and (loaded.language_model is None or loaded.alignment_model is None):
        loaded = GuardConfig.load(path, **(settings | {"preset": DEFAULT_PRESET}))
    return loaded


def _about(config: GuardConfig) -> dict[str, Any]:
    """Settings that a resumed audit must share, and the calibrators behind file names."""
    from franq_guard.assembly import NO_CALIBRATION
    from franq_guard.calibration import Calibrator

    about = config.model_dump(mode="json", exclude=_NOT_RECORDED)
    for name in ("calibration", "short_calibration"):
        source = getattr(config, name)
        if source is not None and source != NO_CALIBRATION:
            about[name] = Calibrator.load(source).id
    return about


def _summary(result: AuditResult) -> Table:
    claims: Counter[str] = Counter()
    answers: Counter[str] = Counter()
    for line in Store(result.folder).index():
        claims.update(line["actions"])
        acted = line["blocked"] or any(name != "keep" for name in line["actions"])
        answers["acted" if acted else "kept"] += 1
    table = Table(title="Audit", show_header=False, title_justify="left")
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    done = result.rows - result.resumed
    rate = f", {done / result.seconds:.2f} a second" if done and result.seconds > 0 else ""
    earlier = f"; {result.resumed} by an earlier run" if result.resumed else ""
    table.add_row("rows", Text(f"{result.rows}: {done} in {result.seconds:.0f} s{rate}{earlier}"))
    table.add_row("answers", Text(f"{answers['kept']} as they are, {answers['acted']} acted on"))
    actions = ", ".join(f"{count} {name}" for name, count in sorted(claims.items())) or "none"
    table.add_row("claims", Text(actions))
    if result.memory:
        most = max(result.memory.values()) / 2**20
        table.add_row("processes", Text(f"{len(result.memory)}, up to {most:.0f} MiB each"))
    return table
