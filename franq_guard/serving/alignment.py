"""The alignment model that other guards use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from franq_guard.models.base import AlignmentModel

if TYPE_CHECKING:
    from franq_guard.config import GuardConfig
    from franq_guard.servers.alignment_model import Reading


@dataclass(frozen=True, slots=True)
class OfferedAlignment:
    """An alignment model, and what a guard must know to use it as the guard here does.

    Attributes:
        model: the model, safe to share between threads.
        reading: how passages are cut for it.
    """

    model: AlignmentModel
    reading: Reading


def offered_alignment(config: GuardConfig) -> OfferedAlignment:
    """The alignment model that the settings name; a guard with the same settings shares it.

    Raises:
        ConfigError: if none is named.
        ModelError: if it cannot be found, fetched or loaded.
    """
    from franq_guard.assembly import model_source
    from franq_guard.models.loading import ALIGNSCORE, EMBEDDED, load_alignment_model
    from franq_guard.models.shared import shared_alignment_model
    from franq_guard.servers.alignment_model import ServedAlignmentModel

    source = model_source(config, "alignment_model")
    model = load_alignment_model(
        source,
        mode=config.alignment_mode,
        tokenizer=config.alignment_tokenizer,
        labels=config.alignment_labels,
        device=config.device,
        dtype=config.dtype,
    )
    reading: Reading = "sentences"
    if isinstance(model, ServedAlignmentModel):
        reading = model.reading
    elif source == EMBEDDED:
        reading = "embedded"
    elif source.startswith(ALIGNSCORE):
        reading = "nli_sp" if config.alignment_mode.endswith("_sp") else "whole"
    return OfferedAlignment(shared_alignment_model(model), reading)
