import numpy as np

from franq_guard.drift.sketch import SignalSketch


def test_values_that_differ_by_float_noise_share_a_bin():
    noise = np.repeat(8 / 15, 60) + np.arange(60) * 1e-12
    sketch = SignalSketch.of("p_true", np.concatenate([np.linspace(0.1, 0.5, 40), noise]))
    assert list(sketch.edges) == sorted(set(sketch.edges))
    assert abs(sum(sketch.shares) - 1) < 1e-3
