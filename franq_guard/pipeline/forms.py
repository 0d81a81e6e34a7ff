"""Long form or short form: which fits an answer, and the settings of the short one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, get_args

from franq_guard.errors import ConfigError
from franq_guard.schema import Claim, Span

if TYPE_CHECKING:
    from franq_guard.models.base import Generation, LanguageModel, Prompt

Form = Literal["long", "short"]
FormChoice = Literal["auto", "long", "short"]
Clustering = Literal["first_member", "leader", "leader_lenient"]
Estimator = Literal["mean", "kuhn", "rao", "discrete"]
Graph = Literal["entailment", "contradiction", "jaccard"]

_MAX_NEW_TOKENS = 256
_CHARACTERS_PER_WORD = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortForm:
    """How short answers are scored (arXiv 2505.21072 sec. 3.3): sampling, and what is read off the samples.

    Attributes:
        samples: answers drawn for each question, at least 1.
        temperature: of the draws, above 0.
        top_k: only the k likeliest tokens are drawn; 0 for all.
        top_p: only the fewest tokens that reach this probability are drawn, in (0, 1].
        seed: of the draws; the same for every answer, so that a report does not depend on its neighbours.
        max_new_tokens: most tokens of a sample, at most 256.
        max_words: an answer with more words is scored in long form.
        clustering: which samples mean the same: entailment both ways with the first member of a class
            (Kuhn et al. 2023), with its leader (Farquhar et al. 2024), or the latter's lenient rule.
        estimator: of the semantic entropy; see `uncertainty.semantic_entropy`.
        graph: what the sum of eigenvalues is taken of: P(entailment), 1 - P(contradiction), or the overlap of
            words.

    Raises:
        ConfigError: if a setting is unknown or out of range.
    """

    samples: int = 10
    temperature: float = 1.0
    top_k: int = 50
    top_p: float = 1.0
    seed: int = 0
    max_new_tokens: int = 32
    max_words: int = 12
    clustering: Clustering = "first_member"
    estimator: Estimator = "mean"
    graph: Graph = "entailment"

    def __post_init__(self) -> None:
        for name, low, high in (
            ("samples", 1, math.inf),
            ("top_k", 0, math.inf),
            ("seed", 0, 2**63 - 1),
            ("max_new_tokens", 1, _MAX_NEW_TOKENS),
            ("max_words", 1, math.inf),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ConfigError(
                    f"short_form.{name} must be a whole number in [{low}, {high}], not {value!r}"
                )
        if not _is_number(self.temperature) or self.temperature <= 0:
            raise ConfigError(f"short_form.temperature must be above 0, not {self.temperature!r}")
        if not _is_number(self.top_p) or not 0 < self.top_p <= 1:
            raise ConfigError(f"short_form.top_p must lie in (0, 1], not {self.top_p!r}")
        for name, choices in (("clustering", Clustering), ("estimator", Estimator), ("graph", Graph)):
            if getattr(self, name) not in get_args(choices):
                raise ConfigError(
                    f"short_form.{name} must be one of {', '.join(get_args(choices))}, "
                    f"not {getattr(self, name)!r}"
                )

    def draw(self, model: LanguageModel, prompt: Prompt) -> list[Generation]:
        """Draws answers to a prompt with these settings.

        Raises:
            ModelError: if the model fails.
        """
        return model.sample(
            prompt,
            n=self.samples,
            temperature=self.temperature,
            top_k=self.top_k,
            top_p=self.top_p,
            max_new_tokens=self.max_new_tokens,
            seed=self.seed,
        )

    @property
    def signals(self) -> tuple[str, str]:
        """Names of the two signals that these settings give; what differs from the default is part of them.

        Other settings give numbers on another scale, which a calibrator must not mistake for its own.
        """
        drawing = ("temperature", "top_k", "top_p", "max_new_tokens")
        return (
            self._named("semantic_entropy", (*drawing, "clustering", "estimator")),
            self._named("sum_eigenvalues", (*drawing, "graph")),
        )

    def _named(self, signal: str, settings: Sequence[str]) -> str:
        defaults = {field.name: field.default for field in fields(self)}
        changed = [
            f"{name}={getattr(self, name)}" for name in settings if getattr(self, name) != defaults[name]
        ]
        return f"{signal}:{','.join(changed)}" if changed else signal


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def choose_form(
    choice: FormChoice, question: str, answer: str, claims: Sequence[Claim], *, max_words: int
) -> tuple[Form, str]:
    """Which form an answer is scored in, and why.

    An answer is short if it makes exactly one checkworthy claim, has at most `max_words` words (and at most
    eight characters for each, for scripts without spaces), and there is a question to sample other answers
    to. Every other answer is long.

    Args:
        choice: "long" or "short" overrides the rule, except that without a question there is no short form.
        question: what was asked.
        answer: what was answered.
        claims: its claims.
        max_words: see above.
    """
    if choice == "long":
        return "long", "long form is the setting"
    if not question.strip():
        return "long", "there is no question to sample other answers to"
    if choice == "short":
        return "short", "short form is the setting"
    count = sum(claim.checkworthy for claim in claims)
    if count != 1:
        return "long", f"{count} claims to check" if count else "no claim to check"
    words = len(answer.split())
    if words > max_words:
        return "long", f"one claim, but {words} words; short answers have at most {max_words}"
    if len(answer.strip()) > _CHARACTERS_PER_WORD * max_words:
        return "long", f"one claim, but {len(answer.strip())} characters"
    return "short", f"one claim in {words} word{'s' * (words != 1)}"


def as_one_claim(answer: str, claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """The whole answer as a single claim, as short form takes it, unless at most one claim is checkworthy."""
    if sum(claim.checkworthy for claim in claims) <= 1:
        return tuple(claims)
    start = len(answer) - len(answer.lstrip())
    whole = Span.of(answer, start, start + len(answer.strip()))
    return (Claim(index=0, text=whole.text, spans=(whole,), sentence=whole, extractor=claims[0].extractor),)
