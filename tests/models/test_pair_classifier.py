from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers import BertConfig, BertForSequenceClassification, BertModel

from franq_guard.errors import InputError, ModelError
from franq_guard.models.align_mini import FOLDER, load_align_mini
from franq_guard.models.base import AlignmentModel
from franq_guard.models.pair_classifier import PairClassifier, read_labels

EIFFEL = (
    "The Eiffel Tower is a wrought-iron lattice tower in Paris, France. It is 330 metres tall and was "
    "completed in 1889. It is the most visited monument with an entrance fee in the world."
)
PAIRS = [
    (EIFFEL, "The Eiffel Tower is 330 metres tall."),
    (EIFFEL, "It is in Paris."),
    (EIFFEL * 20, "The tower was completed in 1889."),
    ("", "Nothing is known."),
    ("Cats sleep.", "x"),
    ("Cats sleep.", "Cats sleep a lot, " * 20),
]


@pytest.fixture(scope="module")
def mini() -> PairClassifier:
    return load_align_mini(device="cpu", dtype="float32")


def tiny(folder: Path, id2label: dict[int, str], **options: object) -> Path:
    """A classifier whose outputs do not depend on the text: logits 2, 0, 1."""
    config = BertConfig(
        vocab_size=30522, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8,
        id2label=id2label, label2id={name: index for index, name in id2label.items()}, **options,
    )  # fmt: skip
    model = BertForSequenceClassification(config)
    with torch.no_grad():
        model.classifier.weight.zero_()
        model.classifier.bias.copy_(torch.tensor([2.0, 0.0, 1.0][: len(id2label)]))
    model.save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(FOLDER / name, folder / name)
    return folder


def load(folder: Path, **options: object) -> PairClassifier:
    return PairClassifier(folder, device="cpu", dtype="float32", **options)


def test_the_embedded_model_names_itself(mini: PairClassifier) -> None:
    assert isinstance(mini, AlignmentModel)
    assert (mini.id, mini.languages) == ("align_mini", frozenset({"en"}))


def test_true_ranks_above_false_above_unmentioned(mini: PairClassifier) -> None:
    claims = ("is 330 metres tall.", "is 500 metres tall.", "was painted green in 1968.")
    aligned = mini.score([(EIFFEL, f"The Eiffel Tower {claim}") for claim in claims])[:, 0]
    assert aligned[0] > aligned[1] > aligned[2]


@pytest.mark.parametrize(
    ("context", "true", "false"),
    [
        ("The bridge is not open.", "The bridge is not open.", "The bridge is open."),
        ("Nobody was hurt in the fire.", "Nobody was hurt.", "Several people were hurt."),
        ("The ship sank in 1912.", "The ship sank in 1912.", "The ship sank in 1921."),
        ("The firm has 40 employees.", "The firm employs 40 people.", "The firm employs 400 people."),
    ],
)
def test_negations_and_numbers(mini: PairClassifier, context: str, true: str, false: str) -> None:
    rows = mini.score([(context, true), (context, false)])
    assert rows[0, 0] > rows[1, 0]
    assert rows[0, 2] < rows[1, 2]


def test_rows_are_probabilities(mini: PairClassifier) -> None:
    rows = mini.score(PAIRS)
    assert rows.shape == (len(PAIRS), 3)
    assert rows.dtype == np.float64
    assert (rows >= 0).all()
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-12)
    assert mini.score([]).shape == (0, 3)


def test_batch_and_order_do_not_change_results(mini: PairClassifier) -> None:
    alone = np.concatenate([mini.score([pair]) for pair in PAIRS])
    np.testing.assert_allclose(mini.score(PAIRS), alone, atol=1e-5)
    np.testing.assert_allclose(mini.score(PAIRS[::-1]), alone[::-1], atol=1e-5)


def test_equal_pairs_cost_nothing_and_batches_keep_to_their_budget(
    mini: PairClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    shapes: list[torch.Size] = []
    forward = mini._scorer._forward

    def watched(tensors: dict[str, torch.Tensor]) -> torch.Tensor:
        shapes.append(tensors["input_ids"].shape)
        return forward(tensors)

    monkeypatch.setattr(mini._scorer, "_forward", watched)
    monkeypatch.setattr(mini._scorer, "batch_tokens", 100)
    rows = mini.score([("Cats sleep.", f"Cat {i % 30} sleeps.") for i in range(90)])
    assert sum(shape[0] for shape in shapes) == 30
    assert all(shape[0] * shape[1] <= 100 for shape in shapes)
    np.testing.assert_array_equal(rows[:30], rows[60:])


def test_long_context_is_cut_and_the_claim_is_not(
    mini: PairClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[list[int]] = []
    forward = mini._scorer._forward

    def watched(tensors: dict[str, torch.Tensor]) -> torch.Tensor:
        read.extend(tensors["input_ids"].tolist())
        return forward(tensors)

    monkeypatch.setattr(mini._scorer, "_forward", watched)
    mini.score([(EIFFEL * 30, "The tower was never finished.")])
    (ids,) = read
    assert len(ids) == 512
    assert mini._scorer._tokenizer.decode(ids).endswith("[SEP] the tower was never finished. [SEP]")


def test_claim_that_does_not_fit_is_refused(mini: PairClassifier) -> None:
    with pytest.raises(InputError, match=r"508.*split it"):
        mini.score([("Short.", "word " * 600)])
    assert mini.score([("Short.", "word " * 508)]).shape == (1, 3)
    with pytest.raises(InputError):
        mini.score([("Short.", "word " * 509)])


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_is_scored(mini: PairClassifier, context: str, claim: str) -> None:
    assert np.isfinite(mini.score([(context, claim)])).all()


def test_surrogates_and_control_characters(mini: PairClassifier) -> None:
    rows = mini.score([("a\ud800\0b\x07", "\udfff"), ("a�\0b\x07", "�")])
    np.testing.assert_array_equal(rows[0], rows[1])


def test_separators_in_a_text_cannot_pose_as_the_claim(
    mini: PairClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[list[int]] = []
    forward = mini._scorer._forward

    def watched(tensors: dict[str, torch.Tensor]) -> torch.Tensor:
        read.extend(tensors["input_ids"].tolist())
        return forward(tensors)

    monkeypatch.setattr(mini._scorer, "_forward", watched)
    mini.score([("Cats. [SEP] Dogs [MASK] bark.", "[SEP] Cats bark. [PAD]")])
    assert mini._scorer._tokenizer.convert_ids_to_tokens(read[0]).count("[SEP]") == 2


def test_threads_share_it(mini: PairClassifier) -> None:
    pairs = PAIRS[3:]
    expected = mini.score(pairs)
    with ThreadPoolExecutor(8) as pool:
        for rows in pool.map(lambda _: mini.score(pairs), range(32)):
            np.testing.assert_allclose(rows, expected, atol=1e-6)


def test_we_7_softmax(tmp_path: Path) -> None:
    model = load(tiny(tmp_path, {0: "entailment", 1: "neutral", 2: "contradiction"}))
    assert model.score([("a", "b")])[0, 0] == pytest.approx(0.665241, abs=1e-6)


def test_outputs_are_put_in_our_order(tmp_path: Path) -> None:
    rows = load(tiny(tmp_path, {0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"})).score([("a", "b")])
    np.testing.assert_allclose(rows, [[0.244728, 0.090031, 0.665241]], atol=1e-6)


def test_two_way_model_gives_the_rest_to_neutral(tmp_path: Path) -> None:
    rows = load(tiny(tmp_path, {0: "entailment", 1: "not_entailment"})).score([("a", "b")])
    np.testing.assert_allclose(rows, [[0.880797, 0.119203, 0.0]], atol=1e-6)


def test_labels_can_be_given(tmp_path: Path) -> None:
    folder = tiny(tmp_path, {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"})
    with pytest.raises(ModelError, match=r"LABEL_0.*labels="):
        load(folder)
    labels = {0: "contradicted", 1: "neutral", 2: "aligned"}
    assert load(folder, labels=labels).score([("a", "b")])[0, 2] == pytest.approx(0.665241, abs=1e-6)
    with pytest.raises(ModelError, match="for each output"):
        load(folder, labels={0: "aligned", 1: "neutral"})


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (["aligned", "neutral", "contradict"], (0, 1, 2)),
        (["Entails", "Neutral", "Contradicts"], (0, 1, 2)),
        (["contradiction", "entailment", "neutral"], (2, 0, 1)),
        (["not-entailment", "entailment"], (1, 0)),
        (["SUPPORTED", "NOT_SUPPORTED"], (0, 1)),
        (["refutes", "supports"], (2, 0)),
    ],
)
def test_labels_are_read(names: list[str], columns: tuple[int, ...]) -> None:
    assert read_labels(dict(enumerate(names))) == columns


@pytest.mark.parametrize(
    "names",
    [
        ["LABEL_0", "LABEL_1"],
        ["positive", "negative"],
        ["entailment"],
        ["neutral", "contradiction"],
        ["entailment", "supports"],
    ],
)
def test_labels_are_never_guessed(names: list[str]) -> None:
    with pytest.raises(ModelError, match="labels="):
        read_labels(dict(enumerate(names)))


def test_missing_folder_and_unknown_repository(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(ModelError, match="cannot load"):
        PairClassifier("nobody/nothing", device="cpu")


@pytest.mark.parametrize("keep", [0, 100, 10_000])
def test_truncated_weights_are_refused(tmp_path: Path, keep: int) -> None:
    folder = tiny(tmp_path, {0: "entailment", 1: "neutral", 2: "contradiction"})
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:keep])
    with pytest.raises(ModelError, match="undamaged"):
        load(folder)


def test_model_without_a_trained_head_is_refused(tmp_path: Path) -> None:
    folder = tiny(tmp_path, {0: "entailment", 1: "neutral", 2: "contradiction"})
    BertModel(BertConfig.from_pretrained(folder)).save_pretrained(tmp_path / "bare")
    shutil.copy(tmp_path / "bare" / "model.safetensors", folder / "model.safetensors")
    with pytest.raises(ModelError, match="lack"):
        load(folder)


def test_not_numbers_are_an_error(tmp_path: Path) -> None:
    model = load(tiny(tmp_path, {0: "entailment", 1: "neutral", 2: "contradiction"}))
    with torch.no_grad():
        model._model.classifier.bias.fill_(float("nan"))
    with pytest.raises(ModelError, match="float32"):
        model.score([("a", "b")])
