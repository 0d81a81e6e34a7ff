import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

from franq_guard.errors import ModelError
from franq_guard.models.cross_encoder import CrossEncoder

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "tower", "is", "tall", "old"]


def make(folder, outputs=1):
    torch.manual_seed(0)
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
        num_labels=outputs,
        initializer_range=0.5,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    return str(folder)


def test_similarity_is_the_sigmoid_of_the_output_alone_and_in_a_batch(tmp_path):
    judge = CrossEncoder(make(tmp_path), device="cpu", dtype="float32")
    pairs = [("the tower", "is tall"), ("the tower is old", "old"), ("tall", "the old tower is tall")]
    found = judge.score(pairs)
    assert found.shape == (3,) and ((found > 0) & (found < 1)).all()
    tokenizer = BertTokenizerFast.from_pretrained(tmp_path)
    model = BertForSequenceClassification.from_pretrained(tmp_path).eval()
    for pair, value in zip(pairs, found, strict=True):
        with torch.inference_mode():
            plain = torch.sigmoid(model(**tokenizer(*pair, return_tensors="pt")).logits)[0, 0]
        assert value == pytest.approx(float(plain), abs=1e-5)
        assert judge.score([pair])[0] == pytest.approx(value, abs=1e-5)
    assert judge.id and not judge.reuses_alignment


def test_another_number_of_outputs_is_refused(tmp_path):
    with pytest.raises(ModelError, match="has 3 outputs"):
        CrossEncoder(make(tmp_path, outputs=3), device="cpu")


def test_a_folder_without_a_model(tmp_path):
    with pytest.raises(ModelError, match="cross-encoder"):
        CrossEncoder(str(tmp_path), device="cpu")
