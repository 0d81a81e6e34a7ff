"""Gradient-boosted trees on signals: what learning from labels reaches without FRANQ's structure.

Needs the extra `evaluation`. The paper gives no hyper-parameters: these are the library's own, with a fixed
seed (arXiv 2505.21072, sec. 4).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from franq_guard._arrays import FloatArray
from franq_guard.errors import CalibrationError, ConfigError, InputError

SEED = 0
THREADS = 1
"""One, so that the same data give the same trees on every machine."""


def xgboost_settings() -> dict[str, Any]:
    """What a report should say about the model: library defaults but for seed and threads."""
    return {"library": "xgboost", "hyper_parameters": "library defaults", "seed": SEED, "threads": THREADS}


def require_xgboost() -> Any:
    """The module.

    Raises:
        ConfigError: if it is not installed.
    """
    try:
        import xgboost
    except ImportError as error:
        raise ConfigError(
            "the XGBoost methods need xgboost, which is missing: pip install 'franq-guard[evaluation]'"
        ) from error
    return xgboost


def fit_and_score(
    features: FloatArray, true_labels: FloatArray, test_features: FloatArray, *, seed: int = SEED
) -> FloatArray:
    """P(true) of test claims from trees fitted on other claims.

    A NaN is a missing value: at each split, XGBoost sends such rows to the side that fits the training rows
    better. Infinities are refused.

    Args:
        features: signals of the claims to fit on, shape (N, F).
        true_labels: 1 for true and 0 for false, shape (N,).
        test_features: shape (M, F).
        seed: of the trees.

    Returns:
        Shape (M,), in [0, 1].

    Raises:
        ConfigError: if xgboost is not installed.
        InputError: if shapes do not fit or a feature is infinite.
        CalibrationError: if the labels are all the same.
    """
    xgboost = require_xgboost()
    if features.ndim != 2 or features.shape != (true_labels.size, test_features.shape[-1]):
        raise InputError(
            f"needs features (N, F), labels (N,) and test features (M, F), got {features.shape},"
            f" {true_labels.shape} and {test_features.shape}"
        )
    if np.isinf(features).any() or np.isinf(test_features).any():
        raise InputError("a feature is infinite: floor log-probabilities, and leave out what is missing")
    if true_labels.size == 0 or true_labels.min() == true_labels.max():
        raise CalibrationError("trees learn nothing from one class: label some claims of the other")
    model = xgboost.XGBClassifier(random_state=seed, n_jobs=THREADS)
    model.fit(features, true_labels.astype(np.int64))
    return np.asarray(model.predict_proba(test_features)[:, 1], dtype=np.float64)
