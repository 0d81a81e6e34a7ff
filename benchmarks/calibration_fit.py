"""Times the fit of a calibrator to 10,000 claims: `python -m benchmarks.calibration_fit`."""

from __future__ import annotations

import time

import numpy as np

from franq_guard.calibration import Calibrator
from franq_guard.evaluation.bootstrap import evaluate
from franq_guard.franq import long_form

ROWS = 10_000


def main() -> None:
    rng = np.random.default_rng(0)
    alignment = rng.beta(0.5, 0.5, ROWS)
    faith, unfaith = -rng.gamma(2, 2, ROWS), -rng.gamma(2, 8, ROWS)
    chance = np.where(rng.random(ROWS) < alignment, 0.99, 0.5 + 0.5 * np.exp(unfaith / 16))
    labels = rng.random(ROWS) < chance
    for attempt in ("first, with the import of scikit-learn", "second"):
        start = time.perf_counter()
        calibrator = Calibrator.fit(alignment, faith, unfaith, labels)
        print(f"fit of {ROWS} rows, {attempt}: {time.perf_counter() - start:.3f} s")
    for count in (500, ROWS):
        small = Calibrator.fit(alignment[:count], faith[:count], unfaith[:count], labels[:count])
        whole = len(small.to_json())
        knots = sum(len(f"{part.x}{part.y}") for part in (small.if_faithful, small.if_unfaithful) if part)
        print(f"calibrator of {count} rows: {whole} bytes, {knots} of them knots")
    scores = long_form(alignment, faith, unfaith, calibrator=calibrator).p_true
    start = time.perf_counter()
    evaluate(scores, labels, groups=np.arange(ROWS) // 20)
    print(f"6 metrics of {ROWS} rows with 1000 bootstrap resamples: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
