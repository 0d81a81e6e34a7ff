"""What every claim extractor gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from franq_guard.schema import Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The claims of one answer.

    Attributes:
        claims: in the order of the answer; together with white space they cover all of it.
        notes: fallbacks taken and limits that cut in.
        method: "rules" or "llm": what made the claims in the end.
    """

    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()
    method: str = "rules"


@runtime_checkable
class ClaimExtractor(Protocol):
    """Splits an answer into atomic claims."""

    def extract(self, answer: str, *, question: str = "") -> Extraction:
        """Finds the claims; an answer of white space has none."""
        ...
