"""What the service takes and gives, as its OpenAPI document describes it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PassageBody(_Body):
    """A retrieved passage."""

    text: str
    id: str | None = None
    title: str | None = None
    source: str | None = None
    metadata: dict[str, Any] | None = None


class CheckBody(_Body):
    """An answer to check."""

    question: str = Field(description="What was asked.")
    passages: list[str | PassageBody] = Field(description="What was retrieved, best first.")
    answer: str = Field(description="What was answered.")
    token_log_probs: list[dict[str, Any]] | None = Field(
        default=None,
        description="The generator's own log-probabilities of the answer's tokens: token, logprob.",
    )

    def as_item(self) -> dict[str, Any]:
        """As `Guard.check_many` takes it."""
        return self.model_dump()


class CheckManyBody(_Body):
    """Several answers to check together."""

    items: list[CheckBody]


class AlignBody(_Body):
    """Pairs of texts: what a context says, and a claim."""

    pairs: list[Annotated[list[str], Field(min_length=2, max_length=2)]]


class AlignmentModelAnswer(BaseModel):
    """The alignment model that is served."""

    model: str = Field(description="Names the weights and the scoring mode.")
    languages: list[str] | None = Field(description="ISO 639-1 codes it can judge; null if unknown.")
    reading: str = Field(description="How passages are cut for it.")


class AlignAnswer(BaseModel):
    """Probabilities of each pair."""

    model: str
    scores: list[list[float]] = Field(description="P(aligned), P(neutral), P(contradicted) of each pair.")


class CheckManyAnswer(BaseModel):
    """Reports in the order of the items, each as of `franq-guard check --format json`."""

    reports: list[dict[str, Any]]


class ErrorDetail(BaseModel):
    """What went wrong, and what to do."""

    type: str
    message: str


class ErrorAnswer(BaseModel):
    """An error."""

    error: ErrorDetail


class StateAnswer(BaseModel):
    """How the service is."""

    status: str
