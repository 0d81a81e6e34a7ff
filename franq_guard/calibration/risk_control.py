"""A threshold with a promise: of the claims let through, at most a stated share is false.

Learn then test (Angelopoulos et al. 2021, arXiv 2110.01052) with a split fixed sequence. The questions that
the calibrator was fitted on say where to look: at which threshold to start, and with which test. Questions
that it has not seen are then tested, from the start towards more lenient thresholds, until the first test
fails. The last threshold that passed is chosen. As neither the order nor the tests depend on what is tested,
each test may use the whole error probability 1 - confidence.

What is promised, for a threshold t: draw a question of which at least one claim has P(true) >= t, then one
of those claims. It is false with a probability of at most the target. That holds with the stated confidence
over the draw of the labelled questions, if they and future ones are exchangeable. Claims of one question may
depend on each other in any way: a question counts once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from franq_guard._arrays import BoolArray, FloatArray, IntArray, as_codes, as_labels, as_vector, equal_lengths
from franq_guard.errors import ConfigError, InputError

Test = Literal["binomial", "betting"]

_CANDIDATES = 60
_STAKES = 30
_MOST_QUESTIONS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What is promised about the claims that are let through, and what it rests on.

    Attributes:
        target: largest share of false claims, in (0, 1).
        confidence: with which it holds, in (0, 1).
        threshold: on P(true): claims at or above it are let through; None if the data do not support it.
        test: "binomial" looks at one claim a question, drawn at random, "betting" at all of them.
        questions: labelled questions that were tested, none of them fitted on.
        kept: of them, those of which a claim is let through; without a threshold, at the start of the
            sequence.
        false_rate: mean share of false claims among those of a question that are let through; None if there
            are none.
        share_kept: share of the tested claims that are let through, in [0, 1].
        reason: why there is no threshold, and what would help; empty with one.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid", "allow_inf_nan": False, "strict": True}

    target: float
    confidence: float
    threshold: float | None
    test: Test
    questions: int
    kept: int
    false_rate: float | None
    share_kept: float
    reason: str

    def __post_init__(self) -> None:
        if not (0 < self.target < 1 and 0 < self.confidence < 1):
            raise ValueError("target and confidence of a promise must lie in (0, 1)")
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise ValueError(f"the threshold of a promise must lie in [0, 1], got {self.threshold}")
        if not 0 <= self.kept <= self.questions:
            raise ValueError(f"{self.kept} questions with a claim let through are not among {self.questions}")
        if (self.threshold is None) != bool(self.reason):
            raise ValueError("a promise has either a threshold or a reason why not")


@dataclass(frozen=True, slots=True, eq=False)
class LabelledScores:
    """Scores of labelled claims, by question; build it with `of`.

    Attributes:
        p_true: shape (N,), in [0, 1].
        false: shape (N,).
        question: codes from 0 to Q - 1, shape (N,).
        questions: Q.
    """

    p_true: FloatArray
    false: BoolArray
    question: IntArray
    questions: int

    @classmethod
    def of(cls, p_true: ArrayLike, true_labels: ArrayLike, questions: ArrayLike) -> LabelledScores:
        """Checks and encodes.

        Args:
            p_true: shape (N,), in [0, 1]; rows with NaN are left out.
            true_labels: 1 or True, 0 or False; rows with NaN or None are left out. Shape (N,).
            questions: what each claim answers, shape (N,).

        Raises:
            InputError: if lengths differ, or a value is impossible.
        """
        scores, true = as_vector(p_true, "p_true"), as_labels(true_labels, "true_labels")
        equal_lengths(p_true=scores, true_labels=true)
        if np.any((scores < 0) | (scores > 1)):
            raise InputError("p_true must lie in [0, 1]")
        names = as_codes(questions, scores.size, "questions")
        known = ~(np.isnan(scores) | np.isnan(true))
        found, codes = np.unique(names[known], return_inverse=True)
        return cls(scores[known], true[known] == 0, codes.astype(np.int64), found.size)

    def losses(self, threshold: float) -> FloatArray:
        """Share of false claims among those let through, for each question with one; shape (kept,)."""
        through = self.p_true >= threshold
        count = np.bincount(self.question, through, self.questions)
        false = np.bincount(self.question, through & self.false, self.questions)
        return false[count > 0] / count[count > 0]

    def drawn_losses(self, threshold: float, seed: int) -> FloatArray:
        """1 if the one claim drawn from those of a question that are let through is false, else 0."""
        # One order for all thresholds, so that a little change of the threshold changes little.
        order = np.random.default_rng(seed).permutation(self.p_true.size)
        through = order[self.p_true[order] >= threshold]
        _, first = np.unique(self.question[through], return_index=True)
        return self.false[through[first]].astype(np.float64)

    def share_kept(self, threshold: float) -> float:
        """Share of the claims that are let through."""
        return float((self.p_true >= threshold).mean()) if self.p_true.size else 0.0


def fewest_questions(target: float, confidence: float) -> int:
    """How many questions must have a claim let through, none of them false, for a promise to be supported."""
    _check(target, confidence)
    return math.ceil(math.log(1 - confidence) / math.log1p(-target))


def binomial_p_value(losses: FloatArray, target: float) -> float:
    """P(at most so many false) if the false rate were the target; exact for independent losses of 0 and 1."""
    from scipy.special import bdtr

    return float(bdtr(round(losses.sum()), losses.size, target)) if losses.size else 1.0


def betting_p_value(losses: FloatArray, target: float, stake: float) -> float:
    """One over the wealth of who bets that the mean loss is below the target (arXiv 2010.09686).

    Args:
        losses: independent, in [0, 1], shape (n,).
        target: of the mean.
        stake: fixed before the losses were seen, in [0, 1 / (1 - target)).
    """
    return float(np.exp(min(0.0, -np.log1p(stake * (target - losses)).sum())))


def choose_threshold(
    fitted: LabelledScores,
    tested: LabelledScores,
    *,
    target: float,
    confidence: float = 0.95,
    seed: int = 0,
) -> Promise:
    """The most lenient threshold that the data support; see the module for what is promised.

    Args:
        fitted: claims that the calibrator was fitted on, or others that may guide the search.
        tested: claims of other questions, that nothing was fitted on.
        target: largest share of false claims, in (0, 1).
        confidence: in (0, 1).
        seed: of the draw of one claim a question.

    Raises:
        ConfigError: if target or confidence is out of range.
        InputError: if there is no labelled claim to guide the search.
    """
    _check(target, confidence)
    if fitted.p_true.size == 0:
        raise InputError("there is no labelled claim that could say where to look for a threshold")
    candidates = _candidates(fitted.p_true)
    start, test = _start(candidates, fitted, tested.questions, target, confidence)
    chosen = None
    for threshold in candidates[candidates <= start]:
        if test(float(threshold)).p_value(tested, target, seed) > 1 - confidence:
            break
        chosen = float(threshold)
    looked_at = float(start) if chosen is None else chosen
    losses = tested.losses(looked_at)
    return Promise(
        target=float(target),
        confidence=float(confidence),
        threshold=chosen,
        test=test(looked_at).name,
        questions=tested.questions,
        kept=losses.size,
        false_rate=round(float(losses.mean()), 4) if losses.size else None,
        share_kept=round(tested.share_kept(looked_at), 4),
        reason="" if chosen is not None else _why_not(losses, tested.questions, target, confidence),
    )


@dataclass(frozen=True, slots=True)
class _Planned:
    """A test at one threshold, planned without a look at what is tested."""

    name: Test
    threshold: float
    stake: float

    def p_value(self, tested: LabelledScores, target: float, seed: int) -> float:
        if self.name == "binomial":
            return binomial_p_value(tested.drawn_losses(self.threshold, seed), target)
        return betting_p_value(tested.losses(self.threshold), target, self.stake)


def _candidates(scores: FloatArray) -> FloatArray:
    """Thresholds, strictest first; 0 lets everything through."""
    levels = np.quantile(scores, np.linspace(0, 1, _CANDIDATES), method="inverted_cdf")
    # Rounded down: claims that sit exactly at a level are let through.
    return np.unique(np.append(np.floor(levels * 1e4) / 1e4, 0.0))[::-1]


def _start(
    candidates: FloatArray, fitted: LabelledScores, questions: int, target: float, confidence: float
) -> tuple[float, Callable[[float], _Planned]]:
    """Where a rejection is likeliest to succeed among so many questions, and the test that promises most."""
    from scipy.special import bdtr

    plans: list[tuple[float, float, Test]] = []
    rates: list[tuple[float, float]] = []
    for threshold in candidates.tolist():
        losses = _pessimistic(fitted, threshold)
        expected = int((losses.size - 1) / fitted.questions * questions)
        rate = float(losses.mean())
        exact = float(bdtr(math.floor(expected * rate), expected, target)) if expected else 1.0
        plans.append((exact, threshold, "binomial"))
        plans.append((math.exp(-_growth(losses, target)[1] * expected), threshold, "betting"))
        if expected >= fewest_questions(target, confidence):
            rates.append((rate, threshold))
    p_value, start, name = min(plans)
    if p_value > 1 - confidence and rates:
        # Hardly to be supported: what matters then is how far away the best claims are from the target.
        start = min(rates)[1]

    def planned(threshold: float) -> _Planned:
        return _Planned(name, threshold, _growth(_pessimistic(fitted, threshold), target)[0])

    return start, planned


def _pessimistic(fitted: LabelledScores, threshold: float) -> FloatArray:
    """Losses and one more false claim than was seen: the fitted ones look better than new ones will."""
    losses = fitted.losses(threshold)
    claims = (fitted.p_true >= threshold).sum() / max(1, losses.size)
    return np.append(losses, max(1 / max(1, claims), losses.max(initial=0.0)))


def _growth(losses: FloatArray, target: float) -> tuple[float, float]:
    """The stake at which wealth would grow fastest on these losses, and how fast."""
    stakes = np.linspace(0, 0.99 / (1 - target), _STAKES)
    growths = np.log1p(np.outer(stakes, target - losses)).mean(axis=1)
    best = int(np.argmax(growths))
    return float(stakes[best]), float(growths[best])


def _why_not(losses: FloatArray, questions: int, target: float, confidence: float) -> str:
    fewest = fewest_questions(target, confidence)
    found = (
        f"{losses.size} of the {questions} tested questions have a claim let through at the threshold that"
        " promised most"
    )
    rate = float(losses.mean()) if losses.size else 0.0
    if rate >= target:
        return (
            f"{found}, and {rate:.1%} of those claims are false, which is no less than {target:.1%}: more"
            " labels alone will not help; take a higher target, or models that tell true from false better"
        )
    needed = _needed(rate, target, confidence)
    if not losses.size:
        return f"{found}; it takes at least {fewest}, none of their claims false"
    if needed is None:
        return (
            f"{found}, {rate:.2%} of those claims false, which is too close to {target:.1%} to be told apart"
        )
    labelled = math.ceil(needed * questions / losses.size)
    return (
        f"{found}, {rate:.1%} of those claims false; if that share stays, it takes about {needed} such"
        f" questions, so about {labelled} to test instead of {questions}"
    )


def _needed(rate: float, target: float, confidence: float) -> int | None:
    """Questions with a claim let through that a promise takes at this false rate; None if over a million."""
    from scipy.special import bdtr

    count = fewest_questions(target, confidence)
    while count <= _MOST_QUESTIONS:
        if bdtr(math.ceil(rate * count), count, target) <= 1 - confidence:
            return count
        count = math.ceil(count * 1.05)
    return None


def _check(target: float, confidence: float) -> None:
    for name, value in (("target false rate", target), ("confidence", confidence)):
        if not 0 < value < 1:
            raise ConfigError(f"the {name} must lie between 0 and 1, got {value}; write 5 % as 0.05")
