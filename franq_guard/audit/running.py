"""Runs an audit, in this process or on Ray."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from franq_guard import __version__
from franq_guard.audit.source import Part, Source
from franq_guard.audit.store import FAILED, Store
from franq_guard.audit.worker import MakeGuard, PartDone, Worker
from franq_guard.errors import ConfigError, InputError

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult:
    """What an audit did.

    Attributes:
        folder: where it wrote.
        rows: rows of the input, blank lines included.
        failed: rows kept aside.
        resumed: rows that an earlier run had done.
        seconds: that this run took.
        memory: most memory that each process of this run had resident, in bytes, by its id.
        already_complete: True if there was nothing left to do.
    """

    folder: Path
    rows: int
    failed: int
    resumed: int
    seconds: float
    memory: Mapping[int, int] = field(default_factory=dict)
    already_complete: bool = False


def audit(
    paths: Iterable[str | Path],
    out: str | Path,
    make_guard: MakeGuard,
    *,
    workers: int | None = 1,
    address: str | None = None,
    part_rows: int = 32,
    about: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """Checks every row of some files once, going on where an earlier run stopped.

    Writes reports.jsonl (a report a line), index.jsonl (which row each line is, and a summary), failed.jsonl
    (rows that could not be read or checked, with the reason) and audit.json into the folder.

    Args:
        paths: JSON Lines or Parquet files with question, passages and answer, and optionally id.
        out: folder; an audit of the same files with the same settings is gone on with.
        make_guard: makes a guard in each process; must be picklable unless `workers` is 1 without `address`.
        workers: processes; 1 without `address` stays in this process and needs no Ray. None takes one for
            each GPU, or for each core without GPUs.
        address: of a Ray cluster, "auto" for the one that this machine belongs to; None starts Ray here.
        part_rows: rows that are checked together, and done again if a process dies.
        about: settings that a resumed audit must share.
        progress: called with rows done and rows in all.

    Raises:
        InputError: if a file cannot be read or written, or the folder holds another audit.
        ConfigError: if Ray is missing, or a setting is wrong.
        ModelError: if a guard cannot be made.
    """
    from filelock import FileLock, Timeout

    if workers is not None and workers < 1:
        raise ConfigError(f"an audit needs at least 1 worker, got {workers}")
    start = time.perf_counter()
    source = Source(paths, part_rows=part_rows)
    folder = Path(out)
    store = Store(folder)
    described = {
        "version": __version__,
        "files": source.files,
        "part_rows": part_rows,
        "settings": dict(about or {}),
    }
    try:
        with FileLock(folder / ".lock", timeout=0):
            if not store.begin(described):
                return AuditResult(
                    folder=folder,
                    rows=source.rows,
                    failed=_failed_before(folder),
                    resumed=source.rows,
                    seconds=time.perf_counter() - start,
                    already_complete=True,
                )
            left = [part for part in source.parts if not store.done(part.number)]
            resumed = source.rows - sum(part.rows for part in left)
            memory = _run(left, folder, make_guard, workers, address, resumed, source.rows, progress)
            failed = sum("reason" in line for part in source.parts for line in store.read(part.number))
            store.finish(len(source.parts), described | {"rows": source.rows, "failed": failed})
    except Timeout as error:
        raise InputError(f"another audit is writing into {folder}: wait for it to end") from error
    return AuditResult(
        folder=folder,
        rows=source.rows,
        failed=failed,
        resumed=resumed,
        seconds=time.perf_counter() - start,
        memory=memory,
    )


def _run(
    parts: list[Part],
    folder: Path,
    make_guard: MakeGuard,
    workers: int | None,
    address: str | None,
    done: int,
    total: int,
    progress: Progress | None,
) -> dict[int, int]:
    """Does the parts; gives the memory of each process."""
    memory: dict[int, int] = {}
    for outcome in _outcomes(parts, folder, make_guard, workers, address):
        done += outcome.rows
        if outcome.process:
            memory[outcome.process] = max(memory.get(outcome.process, 0), outcome.memory)
        if progress is not None:
            progress(done, total)
    return memory


def _outcomes(
    parts: list[Part], folder: Path, make_guard: MakeGuard, workers: int | None, address: str | None
) -> Iterator[PartDone]:
    if not parts:
        return
    if workers == 1 and address is None:
        worker = Worker(make_guard, folder)
        yield from map(worker.run, parts)
        return
    from franq_guard.audit.on_ray import run_on_ray

    yield from run_on_ray(parts, folder.resolve(), make_guard, workers=workers, address=address)


def _failed_before(folder: Path) -> int:
    with (folder / FAILED).open(encoding="ascii") as file:
        return sum(1 for _ in file)
