"""Keeps other libraries' progress bars out of the application's standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def without_progress_bars() -> Iterator[None]:
    """Switches off the bars that transformers draws while it reads weights from disk; then on again."""
    from transformers.utils import logging as transformers_logging

    library: Any = transformers_logging
    were_on = library.is_progress_bar_enabled()
    library.disable_progress_bar()
    try:
        yield
    finally:
        if were_on:
            library.enable_progress_bar()
