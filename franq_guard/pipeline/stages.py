"""What every stage of a check is given: the time left, a clock, and someone to tell how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from franq_guard.pipeline.deadline import Deadline

Progress = Callable[[str, int, int], None]
"""Called with the stage's name, how much of it is done, and how much there is."""


def silent(stage: str, done: int, total: int) -> None:
    """Tells nobody."""


@dataclass(frozen=True, slots=True)
class Stages:
    """Passed through the stages of one check.

    Attributes:
        deadline: asked between pieces of work.
        timings: receives the seconds of each stage.
        report: told how far each stage is.
    """

    deadline: Deadline
    timings: dict[str, float]
    report: Progress = silent

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Adds the seconds spent inside to the stage's."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.timings[stage] = self.timings.get(stage, 0.0) + time.perf_counter() - start
