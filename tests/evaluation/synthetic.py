"""Labelled claims whose signals tell a known story."""

import numpy as np

from franq_guard.evaluation.baselines import ALIGNMENT, BASELINES
from franq_guard.evaluation.labels import LabelledClaim
from franq_guard.uncertainty import SIGNALS


def make_claims(count=240, *, form="long", questions=80, seed=0, gold=True, signals=None):
    """Truth depends on the first signal where faithful, on the second elsewhere; the others are noise."""
    rng = np.random.default_rng(seed)
    names = [name for name, one in BASELINES.items() if form in one.forms and name != ALIGNMENT]
    first, second = (
        ("max_claim_probability", "parametric_knowledge")
        if form == "long"
        else ("semantic_entropy", "sum_eigenvalues")
    )
    rows = []
    for at in range(count):
        faithful = rng.random() < 0.5
        alignment = rng.uniform(0.6, 1) if faithful else rng.uniform(0, 0.4)
        values = {name: float(_noise(name, rng)) for name in names}
        # In the direction of confidence, 0 is the best there is.
        known = {first: -rng.uniform(1, 10), second: -rng.uniform(1, 10)}
        true = known[first if faithful else second] > -5 if rng.random() < 0.95 else rng.random() < 0.5
        values |= {
            name: -value if not SIGNALS[name].higher_is_truer else value for name, value in known.items()
        }
        rows.append(
            LabelledClaim(
                id=str(at),
                question_id=f"q{at % questions}",
                claim=f"claim {at}",
                form=form,
                true=bool(true),
                faithful=bool(faithful) if gold else None,
                alignment=float(alignment),
                signals=values if signals is None else {name: values[name] for name in signals},
                language_model="lm",
                alignment_model="am",
                samples=10 if form == "short" else None,
                place=f"row {at}",
            )
        )
    return rows


def _noise(name, rng):
    scale = SIGNALS[name].scale if name in SIGNALS else "probability"
    match scale:
        case "log_probability":
            return -rng.uniform(0, 10)
        case "probability":
            return rng.uniform(0, 1)
        case "count":
            return rng.integers(1, 10)
    return rng.uniform(0, 5)
