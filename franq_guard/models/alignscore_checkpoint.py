"""Original AlignScore checkpoints (Zha et al. 2023): RoBERTa with the heads it was trained with."""

from __future__ import annotations

import argparse
import hashlib
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from franq_guard.errors import ConfigError, ModelError
from franq_guard.models.base import FloatArray
from franq_guard.models.pair_scoring import PairScorer, usable_length
from franq_guard.runtime.device import resolve_device, resolve_dtype

if TYPE_CHECKING:
    import torch

AlignScoreMode = Literal["nli_sp", "nli", "bin_sp", "bin"]
"""The head (three-way or two-way), and whether texts are split (`_sp`) or read in one pass."""

_ENCODER = "base_model."
_HEAD_WIDTH = 64  # of an attention head, in RoBERTa-base and -large alike
_WORDS = "embeddings.word_embeddings.weight"
_HEADS = {"nli": ("tri_layer", 3), "bin": ("bin_layer", 2)}


class AlignScoreCheckpoint:
    """An `AlignmentModel` read from an AlignScore `.ckpt` file. Thread-safe.

    The three-way head gives aligned, neutral, contradicted. The two-way head gives aligned and the rest; the
    rest counts as neutral, contradicted is 0. The splitting that `_sp` modes ask for is the aligner's work:
    see `windowing`. A claim that does not fit is refused, where the original cuts it off.

    Nothing in the file is ever executed.

    Args:
        path: the `.ckpt` file; its size (base, large) is read off the tensors.
        id: names the weights, the head is added to it; by default the size and a fingerprint.
        tokenizer: folder or hub repository with RoBERTa's tokeniser. None takes the checkpoint's own
            folder if it holds one, else "roberta-base" from the hub (the large one is the same).
        mode: head and splitting.
        device: "cpu", "cuda", ...; None chooses.
        dtype: "float32", "bfloat16", "float16"; None chooses.
        batch_tokens: most padded tokens in one forward pass, None for what suits the device; a single longer
            pair goes alone.

    Raises:
        ConfigError: if the mode is unknown.
        ModelError: if the file or the tokeniser is missing, damaged or something else.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        id: str | None = None,
        tokenizer: str | Path | None = None,
        mode: AlignScoreMode = "nli_sp",
        device: str | None = None,
        dtype: str | None = None,
        batch_tokens: int | None = None,
    ) -> None:
        if mode not in get_args(AlignScoreMode):
            raise ConfigError(f"AlignScore mode {mode!r} is unknown; use one of {get_args(AlignScoreMode)}")
        path = Path(path)
        where = resolve_device(device)
        state = _read_state(path)
        network = _build(state, mode, path)
        config = network["encoder"].config
        words = _load_tokenizer(path, tokenizer, config.vocab_size)
        self._network = network.to(where, resolve_dtype(dtype, where)).eval()
        name = id or f"alignscore-{_size(state)}-{_fingerprint(state)}"
        self._id = f"{name}/{mode.removesuffix('_sp')}"
        self._mode = mode
        self._scorer = PairScorer(
            words,
            self._probabilities,
            device=where,
            max_length=usable_length(words, config.max_position_embeddings - config.pad_token_id - 1),
            batch_tokens=batch_tokens,
        )

    @property
    def id(self) -> str:
        """Names the weights and the head."""
        return self._id

    @property
    def batch_tokens(self) -> int:
        """Most padded tokens in one forward pass."""
        return self._scorer.batch_tokens

    @property
    def languages(self) -> frozenset[str] | None:
        """English, on which it was trained."""
        return frozenset({"en"})

    @property
    def windowing(self) -> Literal["nli_sp", "whole"]:
        """How the `Aligner` has to cut the texts for this mode."""
        return "nli_sp" if self._mode.endswith("_sp") else "whole"

    def score(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Scores (context, claim) pairs; see `AlignmentModel.score`.

        Returns:
            Shape (N, 3): P(aligned), P(neutral), P(contradicted); rows sum to 1.

        Raises:
            InputError: if a claim alone does not fit the model.
        """
        return self._scorer.score(pairs)

    def _probabilities(self, tensors: dict[str, torch.Tensor]) -> torch.Tensor:
        import torch

        pooled = self._network["encoder"](
            input_ids=tensors["input_ids"], attention_mask=tensors["attention_mask"]
        ).pooler_output
        outputs = torch.softmax(self._network["head"](pooled).float(), dim=-1)
        if outputs.shape[1] == 3:
            return outputs
        rest, aligned = outputs.unbind(dim=1)
        return torch.stack([aligned, rest, torch.zeros_like(rest)], dim=1)


def _read_state(path: Path) -> Mapping[str, torch.Tensor]:
    import torch

    if not path.is_file():
        raise ModelError(f"there is no file {path}: check the path of the AlignScore checkpoint")
    try:
        # Lightning stores its own bookkeeping beside the weights; a namespace of options is harmless.
        with torch.serialization.safe_globals([argparse.Namespace]):
            content = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise ModelError(
            f"{path} holds objects other than tensors and plain values, which are never unpickled "
            f"({str(error).splitlines()[0][:200]}). If you trust its origin, keep the weights alone: "
            "torch.save({'state_dict': torch.load(path, weights_only=False)['state_dict']}, new_path)"
        ) from error
    except Exception as error:  # a damaged file makes torch raise RuntimeError, EOFError, KeyError, ...
        raise ModelError(
            f"{path} is damaged or not a checkpoint ({type(error).__name__}); download it again and compare "
            "its size"
        ) from error
    state = content.get("state_dict") if isinstance(content, dict) else None
    if not isinstance(state, dict) or f"{_ENCODER}{_WORDS}" not in state:
        raise ModelError(
            f"{path} is not an AlignScore checkpoint: no RoBERTa encoder under 'state_dict'; load models of "
            "other kinds as sequence-classification models"
        )
    return state


def _build(state: Mapping[str, torch.Tensor], mode: AlignScoreMode, path: Path) -> Any:
    """Makes the encoder and the head that the tensors' shapes describe, and fills them."""
    from torch import nn
    from transformers import RobertaConfig, RobertaModel

    name, outputs = _HEADS[mode.removesuffix("_sp")]
    encoder_state = {
        key.removeprefix(_ENCODER): value
        for key, value in state.items()
        if key.startswith(_ENCODER) and not key.endswith("position_ids")
    }
    try:
        vocabulary, width = encoder_state[_WORDS].shape
        config = RobertaConfig(
            vocab_size=vocabulary,
            hidden_size=width,
            num_attention_heads=max(width // _HEAD_WIDTH, 1),
            num_hidden_layers=1
            + max(int(key.split(".")[2]) for key in encoder_state if key.startswith("encoder.layer.")),
            intermediate_size=encoder_state["encoder.layer.0.intermediate.dense.weight"].shape[0],
            max_position_embeddings=encoder_state["embeddings.position_embeddings.weight"].shape[0],
            type_vocab_size=encoder_state["embeddings.token_type_embeddings.weight"].shape[0],
            layer_norm_eps=1e-5,
        )
        network = nn.ModuleDict({"encoder": RobertaModel(config), "head": nn.Linear(width, outputs)})
        network["encoder"].load_state_dict(encoder_state)
        network["head"].load_state_dict({part: state[f"{name}.{part}"] for part in ("weight", "bias")})
    except (KeyError, ValueError, RuntimeError) as error:
        raise ModelError(
            f"{path} lacks parts of an AlignScore model or has them in other shapes "
            f"({str(error).strip().splitlines()[-1].strip()[:200]}); download the checkpoint again"
        ) from error
    return network


def _load_tokenizer(path: Path, choice: str | Path | None, vocabulary: int) -> Any:
    from transformers import AutoTokenizer, RobertaTokenizer

    beside = any((path.parent / name).is_file() for name in ("tokenizer.json", "vocab.json"))
    place = str(choice or (path.parent if beside else "roberta-base"))
    try:
        # AutoTokenizer reads the kind off a config.json, which a folder with a checkpoint need not have.
        tokenizer = (RobertaTokenizer if Path(place).is_dir() else AutoTokenizer).from_pretrained(place)
    except Exception as error:  # OSError, ValueError, JSON errors, ...
        raise ModelError(
            f"cannot load RoBERTa's tokeniser from {place!r} ({type(error).__name__}); put the files "
            "of roberta-base's tokeniser beside the checkpoint, or pass tokenizer=<their folder>"
        ) from error
    if len(tokenizer) > vocabulary:
        raise ModelError(
            f"the tokeniser from {place!r} knows {len(tokenizer)} tokens, the checkpoint {vocabulary}: "
            "it is not the one the model was trained with"
        )
    return tokenizer


def _size(state: Mapping[str, torch.Tensor]) -> str:
    width = int(state[f"{_ENCODER}{_WORDS}"].shape[1])
    return {768: "base", 1024: "large"}.get(width, str(width))


def _fingerprint(state: Mapping[str, torch.Tensor]) -> str:
    """Hash of the heads and the pooler: cheap, and another training run never has the same."""
    digest = hashlib.sha256()
    for name in ("tri_layer.weight", "bin_layer.weight", f"{_ENCODER}pooler.dense.bias"):
        if name in state:
            digest.update(state[name].float().contiguous().numpy().tobytes())
    return digest.hexdigest()[:8]
