"""The command line: `franq-guard demo | check | report | label | agreement | calibrate | models`."""

from __future__ import annotations

from franq_guard.cli.app import main

__all__ = ["main"]
