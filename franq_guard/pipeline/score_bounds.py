"""What P(true) can still become before the language model was asked, and whether that would change anything.

P(true) = w P(true | faithful) + (1 - w) P(true | unfaithful), with a weight w that the passages alone
decide. Both conditional probabilities do not decrease in their signal (calibrators are monotone, and so is
the exponential), and w and 1 - w are not negative: P(true) does not decrease in either signal.
Log-probabilities lie between minus infinity and 0, so that the score at both ends of that range bounds it.
The bounds are attained and come from the same arithmetic as the score itself: nothing is approximated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from franq_guard import franq
from franq_guard.calibration import Calibrator
from franq_guard.policy import Policy
from franq_guard.schema import ScoredClaim

Range = tuple[float, float]
"""The least and the greatest value."""


def score_bounds(
    alignment: Sequence[float],
    max_nli: Sequence[float],
    *,
    calibrator: Calibrator | None,
    threshold: float | None,
    faithful_signal: str,
) -> list[Range]:
    """The least and the greatest P(true) of claims in long form, whatever the language model would say.

    Args:
        alignment: P(faithful) of N claims, in [0, 1].
        max_nli: MaxNLI of the claims; counts only if it is the signal for P(true | faithful), which is then
            known.
        calibrator: see `franq.long_form`.
        threshold: see `franq.long_form`.
        faithful_signal: "max_claim_probability" or "max_nli".

    Returns:
        N ranges; NaN where the alignment is NaN.
    """
    ends = []
    for log_prob in (-np.inf, 0.0):
        unknown = np.full(len(alignment), log_prob)
        faithful = np.asarray(max_nli, dtype=np.float64) if faithful_signal == "max_nli" else unknown
        scores = franq.long_form(
            np.asarray(alignment, dtype=np.float64),
            faithful,
            unknown,
            calibrator=calibrator,
            threshold=threshold,
            signals=(faithful_signal, "parametric_knowledge"),
        )
        ends.append(scores.p_true.tolist())
    return list(zip(*ends, strict=True))


def is_settled(policy: Policy, claim: ScoredClaim, bounds: Range) -> bool:
    """True if the policy does the same with a claim, and flags it alike, for every P(true) within the bounds.

    Actions and flags go by thresholds: what is the same at both ends is the same in between.
    """
    if any(np.isnan(end) for end in bounds):
        return False
    ends = [policy.decide(replace(claim, p_true=end)) for end in bounds]
    return (ends[0].action, ends[0].review) == (ends[1].action, ends[1].review)
