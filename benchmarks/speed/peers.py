"""The straightforward way: transformers called twice an answer, and AlignScore's own code."""

from __future__ import annotations

import importlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.speed.workload import Case
from franq_guard.claims import RuleExtractor
from franq_guard.models.align_mini import FOLDER
from franq_guard.models.base import FloatArray, Prompt, TokenScores
from franq_guard.models.pair_classifier import PairClassifier
from franq_guard.models.transformers_lm import TransformersLM
from franq_guard.pipeline.drafts import claim_tokens
from franq_guard.pipeline.prompts import question_prompt, rag_prompt
from franq_guard.schema import Passage, Span


class PlainLM:
    """Two passes over an answer, one row each, with the logits of every position."""

    def __init__(self, lm: TransformersLM) -> None:
        self._lm = lm
        self._model: Any = lm._model

    def log_probs(self, prompt: Prompt, ids: tuple[int, ...]) -> FloatArray:
        """Of the answer's tokens behind the prompt, shape (T,)."""
        before = self._lm.prompt_ids(prompt)
        with torch.no_grad():
            logits = self._model(torch.tensor([[*before, *ids]])).logits[0]
        wanted = torch.tensor(ids)[:, None]
        predicted = torch.log_softmax(logits, dim=-1)[len(before) - 1 : -1].gather(-1, wanted)
        return np.asarray(predicted[:, 0].double().numpy())

    def signals(self, case: Case) -> list[tuple[float, float]]:
        """Max claim probability and parametric knowledge of each claim, natural logarithms."""
        tokens = self._lm.tokenize(case.answer)
        passages = [Passage(text) for text in case.passages]
        given = self.log_probs(rag_prompt(case.question, passages), tokens.ids)
        alone = self.log_probs(question_prompt(case.question), tokens.ids)
        found = []
        for claim in RuleExtractor().extract(case.answer, question=case.question).claims:
            if claim.checkworthy:
                rows = claim_tokens(TokenScores(tokens, given), claim)
                found.append((float(given[rows].sum()), float(alone[rows].sum())))
        return found


class AlignScorePeer:
    """AlignScore's published code (PyPI: alignscore-speedofmagic 0.1.4) with the weights of align_mini.

    Args:
        model: the same weights, already loaded.
        with_word_head: the published code also computes, and throws away, the logits of its masked language
            model; False leaves that out.
    """

    def __init__(self, model: PairClassifier, *, with_word_head: bool = True) -> None:
        spacy: Any = importlib.import_module("spacy")
        spacy.load = lambda name: None  # only modes that are not used here need its data
        reference: Any = importlib.import_module("alignscore.inference")
        reference.sent_tokenize = vars(importlib.import_module("punkt"))["sent_tokenize"]
        network: Any = importlib.import_module("alignscore.model")
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "bert-mini"
            shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
            made = network.BERTAlignModel
            network_of = lambda model: made(model=model, using_pretrained=False)  # noqa: E731
            reference.BERTAlignModel = network_of
            self.scorer = reference.Inferencer(None, model=str(folder), device="cpu", verbose=False)
        weights = model._model
        self.scorer.model.base_model.load_state_dict(weights.bert.state_dict())
        self.scorer.model.tri_layer.load_state_dict(weights.classifier.state_dict())
        if not with_word_head:
            self.scorer.model.mlm_head = torch.nn.Identity()
        self.scorer.model.eval()
        self.scorer.nlg_eval_mode = "nli_sp"

    def scores(self, case: Case) -> list[float]:
        """Of each claim, held against all passages."""
        context = "\n\n".join(case.passages)
        claims = claims_of(case)
        values = self.scorer.nlg_eval([context] * len(claims), claims)[1]
        return [float(value) for value in values]


def claims_of(case: Case) -> list[str]:
    """The texts of the claims that are checked."""
    found = RuleExtractor().extract(case.answer, question=case.question).claims
    return [claim.text for claim in found if claim.checkworthy]


def punkt(text: str) -> list[Span]:
    """The reference's sentences with their places."""
    places, position = [], 0
    for sentence in vars(importlib.import_module("punkt"))["sent_tokenize"](text):
        start = text.index(sentence, position)
        position = start + len(sentence)
        places.append(Span.of(text, start, position))
    return places
