"""The nouns: what goes into the guard and what comes out.

All of them are frozen. Text is never searched for twice: claims carry character spans into the answer,
evidence carries character spans into a passage. For every span, `text == source[start:end]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """What the passages say about a claim, or why nothing is said about it."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_MENTIONED = "not_mentioned"
    UNCHECKED = "unchecked"
    NOT_CHECKWORTHY = "not_checkworthy"


class Action(StrEnum):
    """What the guard does with a claim."""

    KEEP = "keep"
    ANNOTATE = "annotate"
    HEDGE = "hedge"
    BLOCK = "block"


class TriggerName(StrEnum):
    """Why a claim is doubtful."""

    SPARSE_RETRIEVAL = "sparse_retrieval"
    CONTEXT_DILUTION = "context_dilution"
    OVER_SPECIFIED = "over_specified"
    CONFLICTING_SOURCES = "conflicting_sources"
    UNWARRANTED_CONFIDENCE = "unwarranted_confidence"


class Wording(StrEnum):
    """How sure a claim sounds, held against how likely it is to be true."""

    FITTING = "fitting"
    OVERCONFIDENT = "overconfident"
    UNDERCONFIDENT = "underconfident"


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `[start, end)` of a text, with the characters themselves."""

    start: int
    end: int
    text: str

    @classmethod
    def of(cls, source: str, start: int, end: int) -> Span:
        """Cuts `source[start:end]`.

        Raises:
            ValueError: if the range is empty, reversed or outside `source`.
        """
        if not 0 <= start < end <= len(source):
            raise ValueError(f"span [{start}, {end}) does not fit a text of {len(source)} characters")
        return cls(start, end, source[start:end])


@dataclass(frozen=True, slots=True)
class Passage:
    """One retrieved text."""

    text: str
    id: str | None = None
    title: str | None = None
    source: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One atomic statement of the answer.

    Attributes:
        index: position among the claims of the answer, from 0.
        text: the claim as it is checked; may be decontextualised.
        spans: where the answer expresses it; sorted, disjoint, at least one.
        sentence: the sentence (or list item, heading, table row, code block) that holds the first span.
        checkworthy: False for greetings, questions, offers of help, refusals, code and the like.
        reason: why it is not checkworthy; empty otherwise.
        extractor: "rules" or "llm".
    """

    index: int
    text: str
    spans: tuple[Span, ...]
    sentence: Span
    checkworthy: bool = True
    reason: str = ""
    extractor: str = "rules"

    @property
    def source_text(self) -> str:
        """The claim's own words in the answer, verbatim, pieces joined by one space."""
        return " ".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The part of a passage that decided, and what the alignment model said about it.

    Attributes:
        passage: index of the passage, from 0.
        start: first character in the passage's text.
        end: one past the last character.
        text: `passage.text[start:end]`.
        aligned: P(the text entails the claim), in [0, 1].
        neutral: P(the text says neither), in [0, 1].
        contradicted: P(the text contradicts the claim), in [0, 1].
        differs: which of its numbers, dates or negations differ from the claim's; empty if none do.
    """

    passage: int
    start: int
    end: int
    text: str
    aligned: float
    neutral: float
    contradicted: float
    differs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """One reason why a claim is doubtful, and what to change in the chain.

    Attributes:
        name: which of the five.
        strength: how clearly it shows, in [0, 1]; not a probability.
        detail: what was found, one sentence.
        advice: what to change in the chain, one sentence.
        passages: indices of the passages it was seen in, from 0; none if it is about all or none of them.
    """

    name: TriggerName
    strength: float
    detail: str
    advice: str
    passages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """Raw uncertainty numbers of one claim, before calibration. None where not computed.

    Attributes:
        alignment: AlignScore-style P(faithful), in [0, 1]; higher is more faithful.
        max_claim_log_prob: log p(claim | question, passages), natural log, at most 0 (paper eq. 1).
        parametric_log_prob: log p(claim | question), natural log, at most 0 (paper eq. 3).
        max_nli: the best passage's P_e / (P_e + P_c), in [0, 1] (paper eq. 4).
        semantic_entropy: how far sampled answers disagree in meaning, in nats; higher is likelier false.
        sum_eigenvalues: how many meanings they have, in [1, samples]; higher is likelier false.
        samples: how many there are; 0 in long form.
        tokens: number of answer tokens that express the claim.
    """

    alignment: float | None = None
    max_claim_log_prob: float | None = None
    parametric_log_prob: float | None = None
    max_nli: float | None = None
    semantic_entropy: float | None = None
    sum_eigenvalues: float | None = None
    samples: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredClaim(Claim):
    """A claim with its probabilities and what is to be done about it.

    Attributes:
        p_true: FRANQ, P(the claim is true), in [0, 1] (paper eq. 2); None if unchecked. The lower end of
            `p_true_range`, if that is set.
        p_true_range: the least and the greatest that P(true) can be, if the language model was not asked
            because the policy would do the same at both (`GuardConfig.cheap_first`); else None.
        p_faithful: P(the passages entail it), in [0, 1].
        p_true_if_faithful: P(true | faithful), in [0, 1].
        p_true_if_unfaithful: P(true | not faithful), in [0, 1].
        verdict: what the passages say.
        action: what the policy decided.
        review: True if a person should look at it.
        evidence: the deciding text pieces, best first.
        signals: the raw numbers.
        triggers: why it is doubtful, strongest first.
        stated_confidence: how sure its wording sounds, in [0, 1]; None if it was not read.
        wording: whether that fits P(true); None if it was not judged.
        unchecked_reason: why it could not be checked; empty otherwise.
    """

    p_true: float | None = None
    p_true_range: tuple[float, float] | None = None
    p_faithful: float | None = None
    p_true_if_faithful: float | None = None
    p_true_if_unfaithful: float | None = None
    verdict: Verdict = Verdict.UNCHECKED
    action: Action = Action.KEEP
    review: bool = False
    evidence: tuple[Evidence, ...] = ()
    signals: Signals = field(default_factory=Signals)
    triggers: tuple[Trigger, ...] = ()
    stated_confidence: float | None = None
    wording: Wording | None = None
    unchecked_reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How much of the answer was looked at, in characters that are not white space.

    Attributes:
        total: all of the answer.
        scored: inside claims that got a probability.
        not_checkworthy: inside claims that need none.
    """

    total: int
    scored: int
    not_checkworthy: int

    @property
    def unchecked(self) -> int:
        """Characters nobody vouches for: neither scored nor exempt."""
        return self.total - self.scored - self.not_checkworthy


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardReport:
    """Everything the guard found out about one answer.

    Attributes:
        question: the question as given.
        passages: the passages as given.
        answer: the answer as given.
        text: the guarded answer: what to show.
        claims: every claim, in the order of the answer.
        blocked: True if the whole answer was replaced by the policy's message.
        error: why the check failed as a whole; None if it ran.
        form: "long" or "short": how the claims were scored.
        form_reason: why in this form.
        samples: other answers that the language model drew to the question; none in long form.
        calibration: "none", "calibrated" or "condition".
        calibrator: id of the calibrator; None without one.
        models: ids of the models used, by role ("language_model", "alignment_model").
        coverage: how much of the answer was scored.
        timings: seconds by stage.
        notes: limits that cut in, fallbacks that were taken, and other things worth knowing.
    """

    question: str
    passages: tuple[Passage, ...]
    answer: str
    text: str
    claims: tuple[ScoredClaim, ...] = ()
    blocked: bool = False
    error: str | None = None
    form: str = "long"
    form_reason: str = ""
    samples: tuple[str, ...] = ()
    calibration: str = "none"
    calibrator: str | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    coverage: Coverage = Coverage(total=0, scored=0, not_checkworthy=0)
    timings: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def acted(self) -> bool:
        """True if the answer was blocked or any claim got an action other than keep."""
        return self.blocked or any(claim.action is not Action.KEEP for claim in self.claims)

    @property
    def p_true(self) -> float | None:
        """The least likely claim's P(true); None if no claim has one."""
        scores = [claim.p_true for claim in self.claims if claim.p_true is not None]
        return min(scores, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, strings and numbers; `from_dict` gives an equal report back."""
        from franq_guard.report.serialise import to_dict

        return to_dict(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """JSON in ASCII, so that even lone surrogates survive; never contains NaN."""
        from franq_guard.report.serialise import to_json

        return to_json(self, indent=indent)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GuardReport:
        """Inverse of `to_dict`.

        Raises:
            InputError: if `data` is not a report.
        """
        from franq_guard.report.serialise import from_dict

        return from_dict(data)

    @classmethod
    def from_json(cls, text: str) -> GuardReport:
        """Inverse of `to_json`.

        Raises:
            InputError: if `text` is not the JSON of a report.
        """
        from franq_guard.report.serialise import from_json

        return from_json(text)

    def to_html(self) -> str:
        """A self-contained page: it loads nothing, works without a mouse, and prints."""
        from franq_guard.report.html import to_html

        return to_html(self)

    def _repr_html_(self) -> str:
        """The page in a frame of its own, for notebooks."""
        from franq_guard.report.html import notebook

        return notebook(self)

    def __rich__(self) -> Any:
        """Renders as a table when printed with rich."""
        from franq_guard.report.console import render

        return render(self)

    def __str__(self) -> str:
        from franq_guard.report.console import to_text

        return to_text(self)
