"""Probabilities become actions: what the guard does with each claim, and when it gives up on an answer."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

from franq_guard.errors import ConfigError, InputError
from franq_guard.schema import Action, ScoredClaim, TriggerName, Verdict, Wording

if TYPE_CHECKING:
    from franq_guard.calibration import Calibrator
    from franq_guard.calibration.risk_control import Promise

Annotation = Literal["inline", "footnotes"]
BlockMode = Literal["drop", "replace"]

_THRESHOLDS = ("block_below", "hedge_below", "annotate_below")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Thresholds on P(true), and what the actions look like in the answer.

    A claim gets the hardest action whose threshold it is strictly below; a probability exactly at a
    threshold is not below it. Nothing else softens or hardens an action.

    Attributes:
        annotate_below: below this P(true) a claim is annotated, in [0, 1]; None or 0 switches it off.
        hedge_below: below this P(true) a claim is hedged, in [0, 1]; None or 0 switches it off.
        block_below: below this P(true) a claim is blocked, in [0, 1]; None or 0 switches it off.
        review_below: below this P(true) a claim is also flagged for review, in [0, 1]. Flagged in any case
            are claims that are blocked, contradicted or unchecked, whose sources conflict, whose best
            evidence differs in a number or negation, or that are stated as certain although P(true) is low.
        unchecked: what to do with claims that could not be checked. With "keep" their text stays as it is,
            and only the report says that nobody vouches for them.
        annotation: "inline" puts a marker behind the claim, "footnotes" a reference, and a list at the end.
        block_mode: "drop" removes a blocked sentence, "replace" puts `sentence_message` in its place.
        sentence_message: stands in for a blocked sentence.
        answer_message: stands in for an answer of which too little is left.
        min_kept: share of the characters in checkworthy claims that must survive, in [0, 1]; with less, the
            whole answer is replaced. 0 never replaces it.
        keep_promise: block below the threshold that the calibrator's card promises (`franq-guard calibrate
            --target-false-rate`), instead of below `block_below`.

    Raises:
        ConfigError: if a threshold is out of range or out of order, or another setting is unknown.
    """

    annotate_below: float | None = 0.9
    hedge_below: float | None = 0.6
    block_below: float | None = 0.15
    review_below: float | None = None
    unchecked: Action = Action.ANNOTATE
    annotation: Annotation = "inline"
    block_mode: BlockMode = "replace"
    sentence_message: str = "[This statement was removed: it is probably wrong.]"
    answer_message: str = "The documents at hand do not allow a reliable answer to this question."
    min_kept: float = 0.3
    keep_promise: bool = False

    def __post_init__(self) -> None:
        for name in (*_THRESHOLDS, "review_below"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _unit_interval(name, getattr(self, name)))
        object.__setattr__(self, "min_kept", _unit_interval("min_kept", self.min_kept))
        in_use = [(name, getattr(self, name)) for name in _THRESHOLDS if getattr(self, name)]
        for (lower, low), (upper, high) in pairwise(in_use):
            if low > high:
                raise ConfigError(
                    f"{lower}={low} is above {upper}={high}; thresholds must satisfy "
                    "block_below <= hedge_below <= annotate_below (None switches one off)"
                )
        object.__setattr__(self, "unchecked", _action(self.unchecked))
        _one_of("annotation", self.annotation, get_args(Annotation))
        _one_of("block_mode", self.block_mode, get_args(BlockMode))
        if not isinstance(self.keep_promise, bool):
            raise ConfigError(f"keep_promise must be true or false, got {self.keep_promise!r}")
        for name in ("sentence_message", "answer_message"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise ConfigError(f"{name} must be a text that is not blank, got {value!r}")

    def keeping(self, promise: Promise | None) -> Policy:
        """This policy, with the promised threshold for blocking.

        Thresholds of milder actions that lie below it are raised to it, which switches them off.

        Args:
            promise: of a calibrator's card, `calibrator.card.promise`.

        Raises:
            ConfigError: if nothing is promised.
        """
        remedy = "fit it with `franq-guard calibrate --target-false-rate`, or set block_below instead"
        if promise is None:
            raise ConfigError(f"the calibrator's card holds no promise that could be kept: {remedy}")
        if promise.threshold is None:
            raise ConfigError(f"the calibrator's card promises nothing: {promise.reason}")
        at = promise.threshold
        raised = {
            name: max(at, value) for name in _THRESHOLDS[1:] if (value := getattr(self, name)) is not None
        }
        return replace(self, block_below=at, **raised)

    def for_calibrator(self, calibrator: Calibrator | None) -> Policy:
        """What applies to claims that went through a calibrator: this policy, or its promised threshold.

        Raises:
            ConfigError: if a promise is to be kept, and the calibrator promises nothing.
        """
        if not self.keep_promise:
            return self
        if calibrator is None:
            raise ConfigError("keep_promise needs a calibrator: `franq-guard calibrate --target-false-rate`")
        return self.keeping(calibrator.card.promise)

    def decide(self, claim: ScoredClaim) -> ScoredClaim:
        """Sets the action and the review flag of one claim.

        Raises:
            InputError: if its P(true) is NaN or outside [0, 1].
        """
        if claim.verdict is Verdict.NOT_CHECKWORTHY or not claim.checkworthy:
            return replace(claim, action=Action.KEEP, review=False)
        if claim.p_true is None or claim.verdict is Verdict.UNCHECKED:
            return replace(claim, action=self.unchecked, review=True)
        if not 0 <= claim.p_true <= 1:
            raise InputError(f"claim {claim.index}: P(true) is {claim.p_true}; must be in [0, 1] or None")
        action = self._action_at(claim.p_true)
        review = (
            action is Action.BLOCK
            or claim.verdict is Verdict.CONTRADICTED
            or _is_suspect(claim)
            or _below(claim.p_true, self.review_below)
        )
        return replace(claim, action=action, review=review)

    def apply(self, claims: Iterable[ScoredClaim]) -> tuple[ScoredClaim, ...]:
        """Decides every claim; order is kept.

        Raises:
            InputError: as `decide` does.
        """
        return tuple(self.decide(claim) for claim in claims)

    def _action_at(self, p_true: float) -> Action:
        if _below(p_true, self.block_below):
            return Action.BLOCK
        if _below(p_true, self.hedge_below):
            return Action.HEDGE
        if _below(p_true, self.annotate_below):
            return Action.ANNOTATE
        return Action.KEEP


def _is_suspect(claim: ScoredClaim) -> bool:
    """Whether something other than its probability calls for a person."""
    return (
        any(trigger.name is TriggerName.CONFLICTING_SOURCES for trigger in claim.triggers)
        or bool(claim.evidence and claim.evidence[0].differs)
        or (claim.wording is Wording.OVERCONFIDENT and claim.stated_confidence == 1.0)
    )


def _below(p_true: float, threshold: float | None) -> bool:
    return threshold is not None and p_true < threshold


def _unit_interval(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ConfigError(f"{name} must be a number from 0 to 1, got {value!r}")
    if not 0 <= value <= 1:
        raise ConfigError(f"{name} must lie between 0 and 1, got {value}; write 90 % as 0.9")
    return float(value)


def _action(value: Any) -> Action:
    _one_of("unchecked", value, [action.value for action in Action])
    return Action(value)


def _one_of(name: str, value: Any, choices: Iterable[str]) -> None:
    if value not in choices:
        raise ConfigError(f"{name} must be one of {', '.join(choices)}; got {value!r}")
