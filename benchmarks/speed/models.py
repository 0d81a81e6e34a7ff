"""The embedded models, on one device, and a guard that computes the three long-form signals with them."""

from __future__ import annotations

from typing import Any

from franq_guard import Guard
from franq_guard.alignment import Aligner
from franq_guard.models.align_mini import load_align_mini
from franq_guard.models.base import AlignmentModel
from franq_guard.models.loading import load_language_model
from franq_guard.models.pair_classifier import PairClassifier
from franq_guard.models.presets import PRESETS
from franq_guard.models.shared import SharedAlignmentModel, SharedLanguageModel
from franq_guard.models.transformers_lm import TransformersLM

DEVICE, DTYPE = "cpu", "float32"


def language_model() -> TransformersLM:
    """SmolLM2-135M-Instruct."""
    found = load_language_model(PRESETS["mini"].language_model, device=DEVICE, dtype=DTYPE)
    assert isinstance(found, TransformersLM)
    return found


def alignment_model() -> PairClassifier:
    """align_mini."""
    return load_align_mini(device=DEVICE, dtype=DTYPE)


def forgetful(model: AlignmentModel) -> SharedAlignmentModel:
    """The model behind a worker that remembers no pair: every round does all of its work."""
    return SharedAlignmentModel(model, remembered=0)


def forgetful_lm(model: TransformersLM) -> SharedLanguageModel:
    """The model behind a worker that remembers no answer."""
    return SharedLanguageModel(model, remembered=0)


def reference_guard(lm: TransformersLM, aligner: Aligner, **settings: Any) -> Guard:
    """A guard whose alignment is AlignScore's, without lexical evidence: what the reference computes."""
    return Guard(
        language_model=forgetful_lm(lm),
        alignment_model=aligner,
        calibration="none",
        form="long",
        on_error="raise",
        **settings,
    ).warm_up()


def mini_guard(lm: TransformersLM, model: AlignmentModel, **settings: Any) -> Guard:
    """The guard as shipped, but that it remembers no pair and no answer."""
    from franq_guard.alignment import embedded_aligner

    return Guard(
        language_model=forgetful_lm(lm),
        alignment_model=embedded_aligner(forgetful(model)),
        calibration="none",
        form="long",
        on_error="raise",
        **settings,
    ).warm_up()
