"""What screening may be told, and what it says about one passage."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

from franq_guard.errors import ConfigError

Problem = Literal["empty", "duplicate", "conflicting", "irrelevant"]
"""What can be wrong with a passage."""

PROBLEMS: tuple[Problem, ...] = get_args(Problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class Screening:
    """Thresholds and limits of a screening.

    Attributes:
        duplicate_above: two passages are near-duplicates if the Jaccard index of their word triples is at
            least this, in (0, 1], and they mention the same numbers; 1 leaves only equal ones.
        irrelevant_below: a passage is irrelevant if it mentions less than this share of the question's
            content words, in [0, 1]; 0 switches it off.
        conflicts: look for passages that contradict one another; False needs no model.
        conflict_above: two statements contradict each other if the alignment model finds that with at least
            this probability in both directions, in [0, 1].
        min_overlap: statements are compared if they share at least this part of the content words of the
            shorter one, in (0, 1].
        max_passages: passages from this index on are compared with others for equality only, at least 1.
        max_characters: of each passage, only this many characters are searched for conflicts, at least 1.
        max_pairs: most pairs of statements that the alignment model reads, those with most words in common
            first; at least 1.

    Raises:
        ConfigError: if a value is out of range.
    """

    duplicate_above: float = 0.8
    irrelevant_below: float = 0.2
    conflicts: bool = True
    conflict_above: float = 0.5
    min_overlap: float = 0.5
    max_passages: int = 1000
    max_characters: int = 10_000
    max_pairs: int = 256

    def __post_init__(self) -> None:
        for name in ("duplicate_above", "irrelevant_below", "conflict_above", "min_overlap"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise ConfigError(f"{name} must be a number from 0 to 1, got {value!r}")
            if not 0 <= value <= 1 or (value == 0 and name in ("duplicate_above", "min_overlap")):
                raise ConfigError(f"{name} must lie between 0 and 1, got {value}")
        for name in ("max_passages", "max_characters", "max_pairs"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ConfigError(f"{name} must be an integer of at least 1, got {value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageFinding:
    """What is known about one passage.

    Attributes:
        index: position among the passages, from 0.
        empty: True if it holds nothing but white space and invisible characters.
        duplicate_of: index of the first passage that says the same; None if there is none before it.
        conflicts_with: indices of the passages that contradict it, in ascending order.
        relevance: share of the question's content words that it mentions, in [0, 1]; None if that says
            nothing: an empty passage, a question without words, or two languages.
        irrelevant: True if `relevance` is below the threshold.
        notes: limits that cut in, and what could not be looked for.
    """

    index: int
    empty: bool = False
    duplicate_of: int | None = None
    conflicts_with: tuple[int, ...] = ()
    relevance: float | None = None
    irrelevant: bool = False
    notes: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the passage; empty if nothing was found."""
        found = (
            self.empty,
            self.duplicate_of is not None,
            bool(self.conflicts_with),
            self.irrelevant,
        )
        return tuple(name for name, there in zip(PROBLEMS, found, strict=True) if there)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, strings and lists, for a document's metadata."""
        return {
            "index": self.index,
            "problems": list(self.problems),
            "duplicate_of": self.duplicate_of,
            "conflicts_with": list(self.conflicts_with),
            "relevance": self.relevance,
            "notes": list(self.notes),
        }


def as_problems(names: object) -> frozenset[Problem]:
    """Checks names of problems, such as those for which a passage is to be dropped.

    Raises:
        ConfigError: if one of them is unknown.
    """
    given = (names,) if isinstance(names, str) else names
    if not isinstance(given, list | tuple | set | frozenset):
        raise ConfigError(f"expected names of problems, got {given!r}; problems are {', '.join(PROBLEMS)}")
    unknown = [name for name in given if name not in PROBLEMS]
    if unknown:
        raise ConfigError(f"{unknown[0]!r} is not a problem; problems are {', '.join(PROBLEMS)}")
    return frozenset(given)
