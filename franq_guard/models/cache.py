"""The folder that keeps fetched and converted weights."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from franq_guard.errors import ModelError


def cache_dir() -> Path:
    """The platform's cache folder; `FRANQ_GUARD_CACHE` overrides it."""
    import platformdirs

    chosen = os.environ.get("FRANQ_GUARD_CACHE")
    return Path(chosen).expanduser() if chosen else Path(platformdirs.user_cache_dir("franq-guard"))


@contextmanager
def making(target: Path) -> Iterator[Path]:
    """Locks a file or folder of the cache against other processes while it is made.

    Yields:
        An empty folder beside `target` to make it in; move it from there when it is whole. What a killed
        process left there is removed.

    Raises:
        ModelError: if the cache cannot be written.
    """
    import filelock

    prefix = f"part-{target.name}-"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(target.with_name(f"{target.name}.lock")):
            for left in target.parent.glob(f"{prefix}*"):
                shutil.rmtree(left, ignore_errors=True)
            with tempfile.TemporaryDirectory(dir=target.parent, prefix=prefix) as folder:
                yield Path(folder)
    except OSError as error:
        raise cannot_write(error.strerror or str(error)) from error


def cannot_write(reason: str) -> ModelError:
    """The error for a cache that is full or read-only."""
    return ModelError(
        f"cannot write to the cache folder {cache_dir()}: {reason}. Make room, or set FRANQ_GUARD_CACHE "
        "to a folder that can be written"
    )
