"""Real weights: SmolLM2-135M-Instruct and align_mini. The first run fetches and converts the former."""

import pytest

from franq_guard import Guard
from franq_guard.models.loading import load_language_model
from franq_guard.models.presets import PRESETS


@pytest.fixture(scope="session")
def lm():
    return load_language_model(PRESETS["mini"].language_model, device="cpu", dtype="float32")


@pytest.fixture(scope="session")
def guard(lm):
    return Guard.from_preset("mini", device="cpu", dtype="float32", on_error="raise").warm_up()


@pytest.fixture(scope="session")
def uncalibrated(lm):
    """Long form on bare signals, with short prompts: what a test asks of the models takes about a second."""
    return Guard.from_preset(
        "mini",
        device="cpu",
        dtype="float32",
        on_error="raise",
        calibration="none",
        form="long",
        max_prompt_tokens=128,
        max_answer_tokens=128,
    ).warm_up()
