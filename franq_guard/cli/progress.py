"""Progress bars on standard error, one a stage."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def stage_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Yields a callback for `Guard.check`; nothing is drawn unless standard error is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<18}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        tasks: dict[str, Any] = {}

        def update(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=total)
            progress.update(tasks[stage], completed=done, total=total)

        yield update


@contextmanager
def busy(message: str) -> Iterator[None]:
    """Shows a spinner while something of unknown length goes on, and the line again when it is done.

    What libraries print on standard error meanwhile, their own progress bars above all, is dropped.
    """
    from rich.console import Console

    console = Console(file=sys.stderr)
    with console.status(message), contextlib.redirect_stderr(io.StringIO()):
        yield
    console.print(f"[green]✓[/green] {message}")


def quiet_libraries() -> None:
    """Keeps transformers from logging below errors on our standard error."""
    from transformers.utils import logging as transformers_logging

    library: Any = transformers_logging
    library.set_verbosity_error()
