"""A tiny checkpoint in AlignScore's layout, the same on every machine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

TOKENIZER = Path(__file__).parent / "roberta-tiny"
"""A byte-level BPE tokeniser in RoBERTa's format, 400 tokens, at most 128 a text."""

WIDTH, LAYERS, INNER, POSITIONS, VOCABULARY = 128, 2, 64, 130, 400


def tiny_state(seed: int = 7) -> dict[str, torch.Tensor]:
    """Tensors under AlignScore's names; the values come from numpy's frozen legacy generator."""
    draw = np.random.RandomState(seed)
    state: dict[str, torch.Tensor] = {}

    def tensor(name: str, *shape: int, scale: float = 0.12, shift: float = 0.0) -> None:
        values = draw.standard_normal(shape) * scale + shift
        state[name] = torch.tensor(values.astype(np.float32))

    def linear(name: str, rows: int, columns: int) -> None:
        tensor(f"{name}.weight", rows, columns)
        tensor(f"{name}.bias", rows)

    def norm(name: str) -> None:
        tensor(f"{name}.weight", WIDTH, shift=1.0)
        tensor(f"{name}.bias", WIDTH)

    tensor("base_model.embeddings.word_embeddings.weight", VOCABULARY, WIDTH)
    tensor("base_model.embeddings.position_embeddings.weight", POSITIONS, WIDTH)
    tensor("base_model.embeddings.token_type_embeddings.weight", 1, WIDTH)
    norm("base_model.embeddings.LayerNorm")
    for layer in range(LAYERS):
        place = f"base_model.encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            linear(f"{place}.attention.self.{part}", WIDTH, WIDTH)
        linear(f"{place}.attention.output.dense", WIDTH, WIDTH)
        norm(f"{place}.attention.output.LayerNorm")
        linear(f"{place}.intermediate.dense", INNER, WIDTH)
        linear(f"{place}.output.dense", WIDTH, INNER)
        norm(f"{place}.output.LayerNorm")
    linear("base_model.pooler.dense", WIDTH, WIDTH)
    linear("bin_layer", 2, WIDTH)
    linear("tri_layer", 3, WIDTH)
    linear("reg_layer", 1, WIDTH)
    tensor("mlm_head.bias", VOCABULARY)
    linear("mlm_head.dense", WIDTH, WIDTH)
    norm("mlm_head.layer_norm")
    return state


def write_checkpoint(path: Path, state: dict[str, torch.Tensor] | None = None) -> Path:
    """Writes what Lightning writes beside the weights, too."""
    content = {
        "epoch": 2,
        "global_step": 100,
        "pytorch-lightning_version": "1.7.7",
        "state_dict": tiny_state() if state is None else state,
        "hparams_name": "kwargs",
        "hyper_parameters": {"model": "roberta-tiny", "using_pretrained": True, "learning_rate": 1e-05},
        "callbacks": {},
        "optimizer_states": [],
        "lr_schedulers": [],
    }
    torch.save(content, path)
    return path
