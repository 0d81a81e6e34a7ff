"""How much a page shows; what goes beyond is left out and counted."""

from __future__ import annotations

from dataclasses import dataclass, fields

from franq_guard.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Upper bounds that keep a page usable in a browser. All are at least 1.

    Attributes:
        claims: of one answer.
        passages: of one answer; those with evidence come first.
        answer_chars: characters shown of an answer.
        passage_chars: characters shown of a passage, around the evidence where there is any.
        evidence: text pieces shown for one claim.
        answers: rows of a page of many answers.
        details_chars: size of all details together in the file of a page of many answers; the answers with
            the least likely claims come first.
    """

    claims: int = 500
    passages: int = 100
    answer_chars: int = 100_000
    passage_chars: int = 6_000
    evidence: int = 5
    answers: int = 2_000
    details_chars: int = 10_000_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ConfigError(f"{field.name} must be a whole number of at least 1, got {value!r}")
