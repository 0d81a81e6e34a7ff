"""The parts of an audit as a Ray Data set that streams through a pool of guards."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from franq_guard.audit.source import Part
from franq_guard.audit.worker import MakeGuard, PartDone, Worker
from franq_guard.errors import ConfigError, FranqGuardError, ModelError

_STARTS = 3
_MOST_BLOCKS = 2000
"""Bounds what the driver keeps in mind; a block is what is done again if a process dies, unless written."""


def run_on_ray(
    parts: list[Part], folder: Path, make_guard: MakeGuard, *, workers: int | None, address: str | None
) -> Iterator[PartDone]:
    """Does parts on a cluster, or on this machine; outcomes come in no particular order.

    Args:
        parts: what to do, at least one.
        folder: of the audit; every machine of a cluster must see it, and the input, under this path.
        make_guard: picklable.
        workers: processes; None takes one for each GPU, or for each core without GPUs.
        address: of the cluster; None starts Ray here, and ends it.

    Raises:
        ConfigError: if Ray is missing, or does not answer.
        FranqGuardError: what a worker raised.
    """
    # Ray reports to its makers unless told otherwise.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise ConfigError(
            "more than one worker needs Ray: pip install 'franq-guard[ray]', or use one worker"
        ) from error
    ours = not ray.is_initialized()
    if ours:
        _start(ray, address, workers)
    try:
        yield from _stream(ray, parts, folder, make_guard, workers)
    except ray.exceptions.RayError as error:
        raise _cause(error) from error
    finally:
        if ours:
            ray.shutdown()


def _start(ray: Any, address: str | None, workers: int | None) -> None:
    local: dict[str, Any] = {}
    if address is None:
        # A pool larger than the machine would wait for cores for ever.
        local = {"num_cpus": max(workers or 1, os.cpu_count() or 1), "include_dashboard": False}
    for attempt in range(_STARTS, 0, -1):
        try:
            ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **local)
            return
        except Exception as error:  # a bare Exception if a busy machine takes longer than Ray waits
            ray.shutdown()
            if attempt == 1 or address is not None:
                where = address or "this machine"
                raise ConfigError(f"Ray does not start or answer at {where}: {error}") from error


def _stream(
    ray: Any, parts: list[Part], folder: Path, make_guard: MakeGuard, workers: int | None
) -> Iterator[PartDone]:
    resources = ray.cluster_resources()
    gpus = int(resources.get("GPU", 0))
    pool = workers or gpus or int(resources.get("CPU", 1))
    pool = min(pool, len(parts))
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.verbose_progress = False
    rows = [{"part": asdict(part)} for part in parts]
    data = ray.data.from_items(rows, override_num_blocks=min(len(parts), _MOST_BLOCKS)).map_batches(
        _PartActor,
        fn_constructor_args=(make_guard, str(folder)),
        batch_size=1,
        compute=ray.data.ActorPoolStrategy(size=pool, max_tasks_in_flight_per_actor=2),
        num_cpus=1,
        # With fewer GPUs than workers, several share one.
        num_gpus=min(1.0, gpus / pool) if gpus else None,
    )
    for row in data.iter_rows():
        yield PartDone(**row)


class _PartActor:
    """A worker in a process of its own."""

    def __init__(self, make_guard: MakeGuard, folder: str) -> None:
        self._worker = Worker(make_guard, Path(folder))

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[int]]:
        done = [asdict(self._worker.run(Part(**part))) for part in batch["part"]]
        return {name: [row[name] for row in done] for name in done[0]}


def _cause(error: BaseException) -> FranqGuardError:
    """What a worker raised, out of what Ray wrapped around it."""
    seen: BaseException | None = error
    while seen is not None:
        inner = getattr(seen, "cause", None)
        if isinstance(inner, FranqGuardError):
            return inner
        if isinstance(seen, FranqGuardError):
            return seen
        seen = inner if isinstance(inner, BaseException) else seen.__cause__
    return ModelError(f"a worker failed: {error}")
