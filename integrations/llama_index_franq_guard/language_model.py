"""Weights that an application has loaded for LlamaIndex, shared with the guard."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

from franq_guard import ConfigError
from franq_guard.models.base import LanguageModel
from franq_guard.models.sources import fingerprint


def language_model_from(llm: Any, *, id: str | None = None) -> LanguageModel:
    """Makes the guard's language model of a `HuggingFaceLLM`, without loading its weights again.

    Args:
        llm: a `llama_index.llms.huggingface.HuggingFaceLLM` with a fast tokeniser.
        id: names the weights, the same in every process; calibrators are bound to it. None takes the name
            on the hub, or the fingerprint of the folder.

    Raises:
        ConfigError: if `llm` holds no model and tokeniser of transformers.
        ModelError: if its tokeniser is not a fast one.

    Example:
        >>> llm = HuggingFaceLLM(model_name=name, tokenizer_name=name, is_chat_model=True)
        >>> guard = Guard(language_model=language_model_from(llm), alignment_model="align_mini")
    """
    from franq_guard.models.transformers_lm import TransformersLM

    model: Any = getattr(llm, "_model", None)
    tokenizer: Any = getattr(llm, "_tokenizer", None)
    if not hasattr(model, "generate") or not hasattr(tokenizer, "apply_chat_template"):
        raise ConfigError(
            f"{type(llm).__name__} holds no local model whose weights could be shared; give a HuggingFaceLLM "
            "of llama-index-llms-huggingface, or name the guard's own language model"
        )
    # Tokenisers keep padding and truncation as state, so each user of the weights has its own.
    return TransformersLM.from_loaded(model, deepcopy(tokenizer), id=id or _name(str(model.name_or_path)))


def _name(path: str) -> str:
    return fingerprint(Path(path)) if Path(path).is_dir() else f"hf:{path}"
