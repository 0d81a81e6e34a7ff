from __future__ import annotations

import sys
from pathlib import Path

# What was recorded, and the script that recorded it, share a module with the tests.
sys.path.insert(0, str(Path(__file__).parent / "golden"))

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM


@pytest.fixture(scope="session")
def tiny_llama():
    """A random causal language model of 40 tokens; 1 ends a text."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=40,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        initializer_range=0.4,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=1,
    )
    return LlamaForCausalLM(config).eval()
