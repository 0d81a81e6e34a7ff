"""Turns settings into a pipeline with loaded models."""

from __future__ import annotations

import logging
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from franq_guard.errors import ConfigError
from franq_guard.models.presets import Preset, preset

if TYPE_CHECKING:
    from franq_guard.alignment import Aligner, Windowing
    from franq_guard.calibration import Calibrator
    from franq_guard.claims import ClaimExtractor
    from franq_guard.config import GuardConfig
    from franq_guard.models.base import AlignmentModel, LanguageModel
    from franq_guard.pipeline import Pipeline
    from franq_guard.rewriting import LMRewriter

logger = logging.getLogger(__name__)

NO_CALIBRATION = "none"
DEFAULT_SIGNAL = "max_claim_probability"


def assemble(
    config: GuardConfig,
    *,
    language_model: LanguageModel | None = None,
    alignment_model: AlignmentModel | Aligner | None = None,
    calibration: Calibrator | None = None,
) -> Pipeline:
    """Loads what the settings name; objects given here are used as they are.

    Raises:
        ConfigError: if no model is named.
        ModelError: if a model cannot be found, fetched or loaded.
        CalibrationError: if the calibrator is corrupt or was fitted for other signals or models.
    """
    from franq_guard.pipeline import Limits, Pipeline

    defaults = preset(config.preset) if config.preset is not None else None
    lm = language_model or _language_model(config, defaults)
    aligner = _aligner(config, defaults, alignment_model)
    own_models = language_model is not None or alignment_model is not None
    calibrator = calibration if calibration is not None else _calibrator(config, defaults, own_models)
    if calibrator is not None:
        calibrator.require(
            signals=(config.faithful_signal, "parametric_knowledge"),
            language_model=lm.id,
            alignment_model=aligner.id,
            form="long",
            force=config.force_calibration,
        )
    return Pipeline(
        language_model=lm,
        aligner=aligner,
        extractor=_extractor(config, lm),
        calibrator=calibrator,
        faithful_signal=config.faithful_signal,
        threshold=config.threshold,
        rephraser=_rephraser(config, lm, aligner),
        limits=Limits(
            max_claims=config.max_claims,
            max_prompt_tokens=config.max_prompt_tokens,
            max_answer_tokens=config.max_answer_tokens,
        ),
    )


def _language_model(config: GuardConfig, defaults: Preset | None) -> LanguageModel:
    from franq_guard.models.loading import load_language_model

    source = config.language_model or (defaults.language_model if defaults else None)
    if source is None:
        raise ConfigError("no language model: set `language_model`, or start from a preset such as 'mini'")
    return load_language_model(source, device=config.device, dtype=config.dtype)


def _aligner(config: GuardConfig, defaults: Preset | None, given: AlignmentModel | Aligner | None) -> Aligner:
    from franq_guard.alignment import Aligner, LexicalCombiner
    from franq_guard.models.loading import ALIGNSCORE, EMBEDDED, load_alignment_model

    if isinstance(given, Aligner):
        return given
    options: dict[str, Any] = {"max_windows_per_claim": config.max_windows_per_claim}
    if given is not None:
        return Aligner(given, **options)
    source = config.alignment_model or (defaults.alignment_model if defaults else None)
    if source is None:
        raise ConfigError("no alignment model: set `alignment_model`, or start from a preset such as 'mini'")
    model = load_alignment_model(
        source,
        mode=config.alignment_mode,
        tokenizer=config.alignment_tokenizer,
        device=config.device,
        dtype=config.dtype,
    )
    if source == EMBEDDED:
        return Aligner(model, combiner=LexicalCombiner.embedded(), **options)
    if source.startswith(ALIGNSCORE):
        chunks: Windowing = "nli_sp" if config.alignment_mode.endswith("_sp") else "whole"
        return Aligner(model, windowing=chunks, **options)
    return Aligner(model, **options)


def _calibrator(config: GuardConfig, defaults: Preset | None, own_models: bool) -> Calibrator | None:
    from franq_guard.calibration import Calibrator

    if config.calibration == NO_CALIBRATION:
        return None
    if config.calibration is not None:
        return Calibrator.load(Path(config.calibration))
    if defaults is None or not defaults.calibration:
        return None
    if (
        own_models
        or config.language_model
        or config.alignment_model
        or config.faithful_signal != DEFAULT_SIGNAL
    ):
        logger.warning(
            "the calibrator of preset %r does not fit other models or signals; nothing is calibrated",
            defaults.name,
        )
        return None
    embedded = resources.files("franq_guard") / "models" / "calibrators" / defaults.calibration
    with resources.as_file(embedded) as path:
        return Calibrator.load(path)


def _rephraser(config: GuardConfig, lm: LanguageModel, aligner: Aligner) -> LMRewriter | None:
    from franq_guard.alignment import AlignmentJob
    from franq_guard.rewriting import LMRewriter
    from franq_guard.schema import Verdict

    if config.rewriting == "rules":
        return None

    def entails(original: str, candidate: str) -> bool:
        [[found]] = aligner.align([AlignmentJob([candidate], [original])])
        return found.verdict is Verdict.SUPPORTED

    return LMRewriter(lm, entails)


def _extractor(config: GuardConfig, lm: LanguageModel) -> ClaimExtractor:
    from franq_guard.claims import LLMExtractor, RuleExtractor

    rules = RuleExtractor(max_claims=config.max_claims)
    if config.claims == "rules":
        return rules
    return LLMExtractor(lm, fallback=rules, max_claims=config.max_claims)
