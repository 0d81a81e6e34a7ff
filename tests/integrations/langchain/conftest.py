"""A real local chat model, and a guard over the same weights."""

import pytest
from lc_models import LocalChat

from franq_guard import Guard
from franq_guard.models.gguf import converted
from franq_guard.models.presets import PRESETS
from franq_guard.models.sources import parse, resolve


@pytest.fixture(scope="session")
def chat():
    from langchain_huggingface import HuggingFacePipeline

    folder = converted(resolve(parse(PRESETS["mini"].language_model)))
    writing = {"max_new_tokens": 32, "do_sample": False, "return_full_text": False}
    return LocalChat(
        llm=HuggingFacePipeline.from_model_id(str(folder), "text-generation", pipeline_kwargs=writing)
    )


@pytest.fixture(scope="session")
def real_guard(chat):
    from langchain_franq_guard import language_model_from

    return Guard(
        language_model=language_model_from(chat),
        alignment_model="align_mini",
        calibration="none",
        form="long",
        on_error="raise",
        max_prompt_tokens=128,
        max_answer_tokens=128,
    ).warm_up()
