"""The embedded alignment model: small, English only, weak; for tests and the demo. See MODEL_CARD.md."""

from __future__ import annotations

from pathlib import Path

from franq_guard.models.pair_classifier import PairClassifier

FOLDER = Path(__file__).parent
"""Where the weights, the tokeniser and the card are."""


def load_align_mini(
    *, device: str | None = None, dtype: str | None = None, batch_tokens: int | None = None
) -> PairClassifier:
    """Loads the embedded model; nothing is downloaded.

    Args:
        device: "cpu", "cuda", ...; None chooses.
        dtype: "float32", "bfloat16", "float16"; None chooses.
        batch_tokens: most padded tokens in one forward pass; None for what suits the device.

    Raises:
        ModelError: if the files are damaged.
    """
    return PairClassifier(
        FOLDER, id="align_mini", languages={"en"}, device=device, dtype=dtype, batch_tokens=batch_tokens
    )


__all__ = ["FOLDER", "load_align_mini"]
