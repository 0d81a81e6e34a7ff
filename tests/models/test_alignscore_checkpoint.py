from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_alignscore import TOKENIZER, tiny_state, write_checkpoint

from franq_guard.alignment import Aligner, AlignmentJob
from franq_guard.errors import ConfigError, InputError, ModelError
from franq_guard.models.alignscore_checkpoint import AlignScoreCheckpoint
from franq_guard.models.base import AlignmentModel
from franq_guard.schema import Span

GOLDEN = json.loads((TOKENIZER.parent / "alignscore.json").read_text(encoding="utf-8"))["cases"]
MODES = ("nli_sp", "nli", "bin_sp", "bin")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("alignscore") / "tiny.ckpt")


def load(path: Path, mode: str = "nli_sp", **options: object) -> AlignScoreCheckpoint:
    options = {"tokenizer": TOKENIZER, "device": "cpu", "dtype": "float32"} | options
    return AlignScoreCheckpoint(path, mode=mode, **options)


def recorded_splitter(case: dict) -> object:
    """The reference's sentences, looked up."""

    def punkt(text: str) -> list[Span]:
        places = {case["context"]: "context_sentences", case["claim"]: "claim_sentences"}[text]
        return [Span.of(text, start, end) for start, end in case[places]]

    return punkt


@pytest.mark.parametrize("mode", MODES)
def test_equals_the_reference_implementation(checkpoint: Path, mode: str) -> None:
    model = load(checkpoint, mode)
    for case in GOLDEN:
        aligner = Aligner(model, windowing=model.windowing, splitter=recorded_splitter(case))
        result = aligner.align([AlignmentJob([case["claim"]], [case["context"]])])[0][0]
        assert result.p_faithful == pytest.approx(case["scores"][mode], abs=1e-5), case["name"]


def test_three_way_head_in_the_order_of_the_reference(checkpoint: Path) -> None:
    rows = load(checkpoint, "nli").score([(case["context"], case["claim"]) for case in GOLDEN])
    np.testing.assert_allclose(rows, [case["whole_pair"] for case in GOLDEN], atol=1e-5)


def test_two_way_head_never_claims_a_contradiction(checkpoint: Path) -> None:
    model = load(checkpoint, "bin")
    rows = model.score([("The tower is tall.", "It is tall."), ("", "x")])
    assert (rows[:, 2] == 0).all()
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-12)


def test_batch_does_not_change_results(checkpoint: Path) -> None:
    model = load(checkpoint, batch_tokens=300)
    pairs = [(case["context"], case["claim"]) for case in GOLDEN]
    alone = np.concatenate([model.score([pair]) for pair in pairs])
    np.testing.assert_allclose(model.score(pairs), alone, atol=1e-5)


def test_id_names_weights_and_head(checkpoint: Path, tmp_path: Path) -> None:
    nli, binary = load(checkpoint, "nli_sp"), load(checkpoint, "bin_sp")
    other = load(write_checkpoint(tmp_path / "other.ckpt", tiny_state(seed=8)))
    assert isinstance(nli, AlignmentModel)
    assert nli.id == load(checkpoint, "nli").id
    assert len({nli.id, binary.id, other.id}) == 3
    assert str(checkpoint) not in nli.id
    assert (nli.windowing, load(checkpoint, "bin").windowing) == ("nli_sp", "whole")
    assert nli.languages == {"en"}


def test_tokenizer_beside_the_checkpoint_is_found(checkpoint: Path, tmp_path: Path) -> None:
    for file in TOKENIZER.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    beside = write_checkpoint(tmp_path / "tiny.ckpt")
    pair = [("The tower is tall.", "It is tall.")]
    np.testing.assert_array_equal(load(beside, tokenizer=None).score(pair), load(checkpoint).score(pair))


def test_claim_that_does_not_fit_is_refused(checkpoint: Path) -> None:
    with pytest.raises(InputError, match="split it"):
        load(checkpoint).score([("The tower.", "keeper " * 200)])


def test_lightnings_namespace_is_harmless(tmp_path: Path) -> None:
    path = tmp_path / "namespace.ckpt"
    torch.save({"state_dict": tiny_state(), "hyper_parameters": {"args": argparse.Namespace(lr=1.0)}}, path)
    assert load(path).score([("a", "b")]).shape == (1, 3)


class Trap:
    """Would create a file when unpickled."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (self.target,)


def test_pickled_code_is_refused_and_not_run(tmp_path: Path) -> None:
    path, target = tmp_path / "trap.ckpt", tmp_path / "pwned"
    torch.save({"state_dict": tiny_state(), "callbacks": Trap(target)}, path)
    with pytest.raises(ModelError, match="never unpickled"):
        load(path)
    assert not target.exists()


def without(*names: str) -> dict[str, torch.Tensor]:
    return {name: value for name, value in tiny_state().items() if not name.startswith(names)}


@pytest.mark.parametrize(
    "state",
    [
        without("tri_layer"),
        without("base_model.pooler"),
        without("base_model.encoder.layer.1.output"),
        without("base_model.encoder"),
        tiny_state() | {"tri_layer.weight": torch.zeros(3, 5)},
    ],
)
def test_incomplete_checkpoint_is_refused(tmp_path: Path, state: dict[str, torch.Tensor]) -> None:
    with pytest.raises(ModelError, match="download the checkpoint again"):
        load(write_checkpoint(tmp_path / "part.ckpt", state))


@pytest.mark.parametrize("content", [{"weights": torch.zeros(3)}, torch.zeros(3), {"state_dict": {}}])
def test_something_else_is_refused(tmp_path: Path, content: object) -> None:
    path = tmp_path / "other.pt"
    torch.save(content, path)
    with pytest.raises(ModelError, match="not an AlignScore checkpoint"):
        load(path)


@pytest.mark.parametrize("keep", [0, 10, 1_000, 100_000])
def test_truncated_file_is_refused(checkpoint: Path, tmp_path: Path, keep: int) -> None:
    path = tmp_path / "cut.ckpt"
    path.write_bytes(checkpoint.read_bytes()[:keep])
    with pytest.raises(ModelError, match="damaged"):
        load(path)


def test_missing_files_and_wrong_settings(checkpoint: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="there is no file"):
        load(tmp_path / "none.ckpt")
    with pytest.raises(ModelError, match="tokeniser"):
        load(checkpoint, tokenizer=tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="mode"):
        load(checkpoint, "reg")


def test_foreign_tokenizer_is_refused(tmp_path: Path) -> None:
    state = tiny_state()
    name = "base_model.embeddings.word_embeddings.weight"
    state[name] = state[name][:300]
    with pytest.raises(ModelError, match="not the one"):
        load(write_checkpoint(tmp_path / "small.ckpt", state))
