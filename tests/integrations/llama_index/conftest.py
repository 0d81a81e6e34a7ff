"""A real local model behind LlamaIndex, and guards that share its weights."""

import pytest
from li_models import LocalLLM, make_index

from franq_guard import Guard
from franq_guard.models.gguf import converted
from franq_guard.models.presets import PRESETS
from franq_guard.models.sources import parse, resolve
from llama_index_franq_guard import language_model_from


@pytest.fixture(scope="session")
def llm():
    folder = str(converted(resolve(parse(PRESETS["mini"].language_model))))
    return LocalLLM(
        model_name=folder,
        tokenizer_name=folder,
        device_map="cpu",
        model_kwargs={"dtype": "float32"},
        context_window=1024,
        max_new_tokens=32,
        is_chat_model=True,
        generate_kwargs={"do_sample": False},
    )


@pytest.fixture(scope="session")
def index():
    return make_index()


@pytest.fixture(scope="session")
def guard_with(llm):
    """Makes guards over the same weights that differ in their settings."""
    shared = language_model_from(llm)

    def make(**settings):
        defaults = {
            "language_model": shared,
            "alignment_model": "align_mini",
            "device": "cpu",
            "dtype": "float32",
            "form": "long",
            "on_error": "raise",
            "max_prompt_tokens": 128,
            "max_answer_tokens": 128,
        }
        return Guard(**(defaults | settings)).warm_up()

    return make
