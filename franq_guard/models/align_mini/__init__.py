"""The embedded alignment model. See MODEL_CARD.md: small, English only, weak; for tests and the demo."""

from __future__ import annotations

from pathlib import Path

from franq_guard.models.pair_classifier import PairClassifier

FOLDER = Path(__file__).parent
"""Where the weights, the tokeniser and the card are."""


def load_align_mini(
    *, device: str | None = None, dtype: str | None = None, max_tokens_per_batch: int = 4096
) -> PairClassifier:
    """Loads the embedded model; nothing is downloaded.

    Args:
        device: "cpu", "cuda", ...; None chooses.
        dtype: "float32", "bfloat16", "float16"; None chooses.
        max_tokens_per_batch: largest number of padded tokens in one forward pass.

    Raises:
        ModelError: if the files are damaged.
    """
    return PairClassifier.load(
        FOLDER,
        id="align_mini",
        languages={"en"},
        device=device,
        dtype=dtype,
        max_tokens_per_batch=max_tokens_per_batch,
    )


__all__ = ["FOLDER", "load_align_mini"]
