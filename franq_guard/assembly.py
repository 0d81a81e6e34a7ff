"""Turns settings into a pipeline with loaded models."""

from __future__ import annotations

import logging
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from franq_guard.errors import ConfigError
from franq_guard.franq import LONG_FORM, SHORT_FORM
from franq_guard.models.presets import Preset, preset
from franq_guard.pipeline.forms import FormChoice, ShortForm

if TYPE_CHECKING:
    from franq_guard.alignment import Aligner, Windowing
    from franq_guard.calibration import Calibrator
    from franq_guard.claims import ClaimExtractor
    from franq_guard.config import GuardConfig
    from franq_guard.models.base import AlignmentModel, LanguageModel
    from franq_guard.pipeline.pipeline import Limits, Pipeline
    from franq_guard.rewriting import LMRewriter

logger = logging.getLogger(__name__)

NO_CALIBRATION = "none"
_PRESET_SIGNALS = (LONG_FORM, SHORT_FORM)


def assemble(
    config: GuardConfig,
    *,
    language_model: LanguageModel | None = None,
    alignment_model: AlignmentModel | Aligner | None = None,
    calibration: Calibrator | None = None,
    short_calibration: Calibrator | None = None,
    claim_extractor: ClaimExtractor | None = None,
) -> Pipeline:
    """Loads what the settings name, or takes the objects given here; each model gets its worker.

    Raises:
        ConfigError: if no model is named.
        ModelError: if a model cannot be found, fetched or loaded.
        CalibrationError: if the calibrator is corrupt or was fitted for other signals or models.
    """
    from franq_guard.models.shared import shared_alignment_model, shared_language_model
    from franq_guard.pipeline.pipeline import Pipeline

    defaults = preset(config.preset) if config.preset is not None else None
    lm = shared_language_model(language_model or _language_model(config))
    aligner = _aligner(config, alignment_model)
    aligner = aligner.with_model(shared_alignment_model(aligner.model))
    own_models = language_model is not None or alignment_model is not None
    signals = (config.faithful_signal, "parametric_knowledge")
    calibrator = calibration or _calibrator(
        config.calibration,
        defaults.calibration if defaults else "",
        fits=not own_models and _fits(config, signals),
    )
    short_source = config.short_calibration
    if short_source is None and config.calibration == NO_CALIBRATION:
        short_source = NO_CALIBRATION
    short_calibrator = short_calibration or _calibrator(
        short_source,
        defaults.short_calibration if defaults else "",
        fits=not own_models
        and _fits(config, config.short_form.signals)
        and config.short_form.samples == ShortForm().samples,
    )
    if calibrator is not None:
        calibrator.require(
            form="long",
            signals=signals,
            language_model=lm.id,
            alignment_model=aligner.id,
            force=config.force_calibration,
        )
    if short_calibrator is not None:
        short_calibrator.require(
            form="short",
            signals=config.short_form.signals,
            samples=config.short_form.samples,
            language_model=lm.id,
            alignment_model=aligner.id,
            force=config.force_calibration,
        )
    return Pipeline(
        language_model=lm,
        aligner=aligner,
        extractor=_extractor(config, lm, claim_extractor),
        calibrator=calibrator,
        short_calibrator=short_calibrator,
        form=_form(config),
        short_form=config.short_form,
        faithful_signal=config.faithful_signal,
        threshold=config.threshold,
        rephraser=_rephraser(config, lm, aligner),
        limits=_limits(config, defaults),
    )


def model_source(config: GuardConfig, role: Literal["language_model", "alignment_model"]) -> str:
    """Where a model comes from: as set, else as the preset says.

    Raises:
        ConfigError: if neither names one.
    """
    source: str | None = getattr(config, role)
    if source is None and config.preset is not None:
        source = getattr(preset(config.preset), role)
    if source is None:
        name = role.replace("_", " ")
        raise ConfigError(f"no {name}: set `{role}`, or start from a preset such as 'mini'")
    return source


def require_extractor(given: object) -> ClaimExtractor:
    """Checks that an object can extract claims.

    Raises:
        ConfigError: if it has no `extract`.
    """
    if isinstance(given, type | str) or not callable(getattr(given, "extract", None)):
        raise ConfigError(
            f"claim_extractor: {given!r:.60} has no method extract(answer, *, question); "
            "the built-in ones are chosen with claims='rules' or claims='llm'"
        )
    return cast("ClaimExtractor", given)


def _limits(config: GuardConfig, defaults: Preset | None) -> Limits:
    from franq_guard.pipeline.pipeline import Limits

    limits = {
        name: getattr(config, name) or (getattr(defaults, name) if defaults else None)
        for name in ("max_prompt_tokens", "max_answer_tokens")
    }
    return Limits(max_claims=config.max_claims, **{k: v for k, v in limits.items() if v is not None})


def _form(config: GuardConfig) -> FormChoice:
    """The preset's form, unless the user has set one."""
    if config.form is not None:
        return config.form
    return "auto" if config.preset is None else preset(config.preset).form


def _language_model(config: GuardConfig) -> LanguageModel:
    from franq_guard.models.loading import load_language_model

    source = model_source(config, "language_model")
    return load_language_model(source, device=config.device, dtype=config.dtype)


def _aligner(config: GuardConfig, given: AlignmentModel | Aligner | None) -> Aligner:
    from franq_guard.alignment import Aligner, embedded_aligner
    from franq_guard.models.loading import ALIGNSCORE, EMBEDDED, load_alignment_model

    if isinstance(given, Aligner):
        return given
    options: dict[str, Any] = {"max_windows_per_claim": config.max_windows_per_claim}
    if given is not None:
        return Aligner(given, **options)
    source = model_source(config, "alignment_model")
    model = load_alignment_model(
        source,
        mode=config.alignment_mode,
        tokenizer=config.alignment_tokenizer,
        labels=config.alignment_labels,
        device=config.device,
        dtype=config.dtype,
    )
    # A served model is read as the guard that serves it does.
    reading = getattr(model, "reading", None)
    if source == EMBEDDED or reading == "embedded":
        return embedded_aligner(model, **options)
    if reading is not None:
        return Aligner(model, windowing=reading, **options)
    if source.startswith(ALIGNSCORE):
        chunks: Windowing = "nli_sp" if config.alignment_mode.endswith("_sp") else "whole"
        return Aligner(model, windowing=chunks, **options)
    return Aligner(model, **options)


def _fits(config: GuardConfig, signals: tuple[str, str]) -> bool:
    """True if nothing is set that a preset's calibrators were not fitted for."""
    return not config.language_model and not config.alignment_model and signals in _PRESET_SIGNALS


def _calibrator(source: str | None, embedded: str, *, fits: bool) -> Calibrator | None:
    """The calibrator of a file, or the embedded one of a preset if it fits the rest of the settings."""
    from franq_guard.calibration import Calibrator

    if source == NO_CALIBRATION:
        return None
    if source is not None:
        return Calibrator.load(Path(source))
    if not embedded:
        return None
    file = resources.files("franq_guard") / "models" / "calibrators" / embedded
    if not file.is_file():
        logger.info("this release has no calibrator %r; nothing is calibrated", embedded)
        return None
    if not fits:
        logger.warning(
            "the preset's calibrator %r does not fit other models or settings; nothing is calibrated",
            embedded,
        )
        return None
    with resources.as_file(file) as path:
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


def _extractor(config: GuardConfig, lm: LanguageModel, given: ClaimExtractor | None) -> ClaimExtractor:
    from franq_guard.claims import LLMExtractor, RuleExtractor
    from franq_guard.claims.faults import CheckedExtractor

    if given is not None:
        return CheckedExtractor(given)
    rules = RuleExtractor(max_claims=config.max_claims)
    if config.claims == "rules":
        return rules
    return LLMExtractor(lm, fallback=rules, max_claims=config.max_claims)
