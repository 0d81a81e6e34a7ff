"""What is wrong with the retrieved passages, before an answer is written from them."""

from __future__ import annotations

from franq_guard.retrieval.findings import PassageFinding, Problem, Screening, as_problems
from franq_guard.retrieval.screening import screen_passages

__all__ = ["PassageFinding", "Problem", "Screening", "as_problems", "screen_passages"]
