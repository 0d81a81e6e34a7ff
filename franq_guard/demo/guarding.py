"""The preset "mini" over weights that a demo has loaded behind a framework's own interface."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

from franq_guard.guard import Guard
from franq_guard.models.base import LanguageModel
from franq_guard.models.gguf import converted
from franq_guard.models.presets import PRESETS
from franq_guard.models.sources import parse, resolve
from franq_guard.policy import Policy

_MINI = PRESETS["mini"]

MINI_ID = _MINI.language_model.partition("#")[0]
"""Id of the preset's language model, which its calibrator is bound to."""


def mini_folder() -> Path:
    """Folder of the language model of "mini"; fetched and converted if need be.

    Raises:
        ModelError: if the weights can neither be found nor fetched.
    """
    return Path(converted(resolve(parse(_MINI.language_model))))


def mini_guard(language_model: LanguageModel, policy: Policy | None = None, **settings: Any) -> Guard:
    """The preset "mini", its calibrator included, over a language model that is loaded already.

    Args:
        language_model: with the id `MINI_ID`.
        policy: None for the usual thresholds.
        settings: as for `Guard`.
    """
    calibrators = resources.files("franq_guard") / "models" / "calibrators"
    return Guard.from_preset(
        "mini",
        language_model=language_model,
        calibration=str(calibrators / _MINI.calibration),
        policy=policy or Policy(),
        **settings,
    )
