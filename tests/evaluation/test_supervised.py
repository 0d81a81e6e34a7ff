import sys

import numpy as np
import pytest

from franq_guard.errors import CalibrationError, ConfigError, InputError
from franq_guard.evaluation.metrics import roc_auc
from franq_guard.evaluation.supervised import fit_and_score


def data(seed=0, size=200):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(size, 3))
    return features, (features[:, 0] * features[:, 1] > 0).astype(float)


def test_learns_what_no_single_signal_shows():
    test, labels = data(1)
    scores = fit_and_score(*data(), test)
    assert scores.shape == (200,) and (scores >= 0).all() and (scores <= 1).all()
    assert roc_auc(scores, labels) > 0.9
    assert max(abs(roc_auc(test[:, column], labels) - 0.5) for column in range(3)) < 0.15


def test_the_same_data_give_the_same_scores():
    test, _ = data(1)
    assert np.array_equal(fit_and_score(*data(), test), fit_and_score(*data(), test))


def test_missing_values_are_allowed():
    features, labels = data()
    features[::3, 2] = np.nan
    test, wanted = data(1)
    test[::2, 2] = np.nan
    scores = fit_and_score(features, labels, test)
    assert not np.isnan(scores).any() and roc_auc(scores, wanted) > 0.85


def test_bad_input():
    features, labels = data()
    with pytest.raises(CalibrationError, match="one class"):
        fit_and_score(features, np.ones(200), features)
    with pytest.raises(InputError, match="infinite"):
        fit_and_score(np.where(features > 0, np.inf, 0), labels, features)
    with pytest.raises(InputError, match="needs features"):
        fit_and_score(features, labels, features[:, :2])


def test_without_xgboost(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(ConfigError, match=r"franq-guard\[evaluation\]"):
        fit_and_score(*data(), data(1)[0])
