"""Lets the guard use the weights that a chat model has already loaded."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

from franq_guard import InputError
from franq_guard.models.base import LanguageModel
from franq_guard.models.sources import fingerprint


def language_model_from(model: Any, *, id: str | None = None) -> LanguageModel:
    """Makes a language model for a guard from a local LangChain model, without a second copy in memory.

    Args:
        model: a `ChatHuggingFace` or `HuggingFacePipeline` of `langchain-huggingface` (also with bound
            arguments) that runs a text-generation pipeline.
        id: names the weights; calibrators are bound to it. None takes the model's id on the hub, or the
            fingerprint of its folder.

    Raises:
        InputError: if the model holds no weights: it calls a server, or is of another kind.
        ModelError: if its tokeniser is no fast one.

    Example:
        >>> guard = Guard(language_model=language_model_from(chat_model), alignment_model="align_mini")
    """
    from franq_guard.models.transformers_lm import TransformersLM

    pipeline = _pipeline(model)
    if pipeline is None or getattr(pipeline, "task", None) != "text-generation":
        raise InputError(
            f"a {type(model).__name__} holds no weights that can be shared; it must be a HuggingFacePipeline "
            "for text-generation, or a ChatHuggingFace around one"
        )
    # Tokenisers keep padding and truncation as state, so each user of the weights has its own.
    return TransformersLM.from_loaded(
        pipeline.model, deepcopy(pipeline.tokenizer), id=id or _name(pipeline.model.name_or_path)
    )


def _pipeline(model: Any) -> Any:
    for wrapped in ("bound", "llm", "pipeline"):
        model = getattr(model, wrapped, model)
    return model


def _name(path: str) -> str:
    return fingerprint(Path(path)) if Path(path).is_dir() else f"hf:{path}"
