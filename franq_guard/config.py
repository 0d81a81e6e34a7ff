"""All that a user may set, validated, from keywords, environment variables and a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from franq_guard.errors import ConfigError
from franq_guard.pipeline.forms import FormChoice, ShortForm
from franq_guard.policy import Policy
from franq_guard.tracing.settings import AnySinkSettings, as_tables

OnError = Literal["pass", "block", "raise"]


class GuardConfig(BaseSettings):
    """Settings of a guard. Keywords win over `FRANQ_GUARD_*` variables, these over the TOML file.

    Attributes:
        preset: name of a preset that fills in what is not set here.
        language_model: source of the language model (`hf:`, `pypi:`, folder or file, or `openai:` and the
            address of a completion server).
        alignment_model: source of the alignment model: "align_mini", `alignscore:` and a source, or the
            source of an NLI model, or `franq:` and the address of a `franq-guard serve`.
        alignment_mode: head and chunking of an AlignScore checkpoint.
        alignment_tokenizer: source of the tokeniser of an AlignScore checkpoint; None takes RoBERTa's.
        alignment_labels: what the outputs of an NLI model mean ("aligned", "neutral", "contradicted"), by
            index, if its own configuration does not say.
        calibration: file of a calibrator for long form; None for the preset's, "none" for no calibration.
        short_calibration: file of one for short form; None for the preset's (none if `calibration` is
            "none"), "none" for no calibration.
        force_calibration: use a calibrator also for models it was not fitted for.
        policy: thresholds and looks.
        device: "cuda", "mps", "cpu"; None picks.
        dtype: "float32", "bfloat16", "float16"; None picks by device.
        claims: "rules" splits with rules; "llm" lets the language model decompose.
        rewriting: "rules" hedges by rules; "llm" first has the language model rephrase the sentence, and
            takes that only if the alignment model finds nothing new in it.
        form: "long" or "short" for every answer; "auto" takes short form for one short claim, unless only
            long form has a calibrator. None takes that of the preset, and "auto" without one.
        short_form: sampling, and the two signals of short form.
        faithful_signal: signal for P(true | faithful) in long form: "max_claim_probability" or "max_nli".
        cheap_first: leave out the language model for answers to whose claims the policy would do the same
            whatever it said (long form only). Actions and review flags stay exactly those of a full check;
            such a claim has a range of P(true), whose lower end stands for it.
        threshold: hard faithfulness at this value, in [0, 1]; None mixes continuously.
        drift_window: answers after which their signals are compared with the calibrator's; 0 switches it off.
        drift_period: at least so many seconds lie between two warnings of drift.
        on_error: what to do when a check fails: let the answer pass (unchecked), block it, or raise.
        timeout: seconds for a whole check; None for no limit.
        max_claims: claims beyond this number are not checked.
        max_prompt_tokens: passages are cut to this many tokens for the language model; None for the preset's
            limit, else 3072.
        max_answer_tokens: tokens of the answer beyond this number are not scored; None for the preset's
            limit, else 4096.
        max_windows_per_claim: pieces of the passages that are compared with one claim, most relevant first.
        tracing: where scores go besides the report: names of sinks, or tables with `sink` and its options.
    """

    model_config = SettingsConfigDict(
        env_prefix="FRANQ_GUARD_", env_nested_delimiter="__", extra="forbid", frozen=True
    )

    _file: ClassVar[Path | None] = None

    preset: str | None = None
    language_model: str | None = None
    alignment_model: str | None = None
    alignment_mode: Literal["nli_sp", "nli", "bin_sp", "bin"] = "nli_sp"
    alignment_tokenizer: str | None = None
    alignment_labels: dict[int, Literal["aligned", "neutral", "contradicted"]] | None = None
    calibration: str | None = None
    short_calibration: str | None = None
    force_calibration: bool = False
    policy: Policy = Policy()
    device: str | None = None
    dtype: Literal["auto", "float32", "bfloat16", "float16"] | None = None
    claims: Literal["rules", "llm"] = "rules"
    rewriting: Literal["rules", "llm"] = "rules"
    form: FormChoice | None = None
    short_form: ShortForm = ShortForm()
    faithful_signal: Literal["max_claim_probability", "max_nli"] = "max_claim_probability"
    cheap_first: bool = False
    threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    drift_window: Annotated[int, Field(ge=0)] = 500
    drift_period: Annotated[float, Field(ge=0)] = 3600.0
    on_error: OnError = "pass"
    timeout: Annotated[float, Field(gt=0)] | None = None
    max_claims: Annotated[int, Field(ge=1)] = 500
    max_prompt_tokens: Annotated[int, Field(ge=64)] | None = None
    max_answer_tokens: Annotated[int, Field(ge=64)] | None = None
    max_windows_per_claim: Annotated[int, Field(ge=1)] = 64
    tracing: Annotated[tuple[AnySinkSettings, ...], NoDecode, BeforeValidator(as_tables)] = ()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Reads keywords, environment and the file of `load`: no `.env` file, no secrets folder."""
        if cls._file is None:
            return init_settings, env_settings
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, cls._file)

    @classmethod
    def load(cls, path: str | Path | None = None, **overrides: Any) -> GuardConfig:
        """Merges a TOML file, the environment and keywords.

        Args:
            path: a TOML file with the names above, and a table `[policy]`.
            overrides: names above; None means "not set".

        Raises:
            ConfigError: if the file cannot be read, or a setting is unknown or out of range.
        """
        given = {key: value for key, value in overrides.items() if value is not None}
        file = None if path is None else _readable(Path(path))

        class WithFile(cls):  # type: ignore[misc, valid-type]
            _file: ClassVar[Path | None] = file

        try:
            merged = WithFile(**given)
            return cls(**{name: getattr(merged, name) for name in cls.model_fields})
        except ValidationError as error:
            raise ConfigError(_explain(error, cls)) from error
        except SettingsError as error:
            raise ConfigError(f"an environment variable is not valid JSON: {error}") from error
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"{path} is not valid TOML: {error}") from error


def _readable(path: Path) -> Path:
    try:
        path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read the configuration {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: it is not UTF-8 text") from error
    return path


def _explain(error: ValidationError, config: type[GuardConfig]) -> str:
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"]) or "configuration"
    message = f"{name}: {first['msg']}"
    if first["type"] == "extra_forbidden" and len(first["loc"]) > 1:
        message = f"{name} is not an option there"
    elif first["type"] == "extra_forbidden":
        message = f"{name} is not a setting; settings are {', '.join(config.model_fields)}"
    return message
