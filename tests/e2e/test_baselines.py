"""Every baseline and the judge with real weights, on tiny inputs."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from franq_guard.assembly import assemble
from franq_guard.config import GuardConfig
from franq_guard.evaluation.baselines import BASELINES
from franq_guard.evaluation.gathering import Gatherer
from franq_guard.evaluation.lm_faithfulness import judge_claims
from franq_guard.evaluation.similarity import AlignmentSimilarity
from franq_guard.inputs import as_input
from franq_guard.pipeline.deadline import Deadline
from franq_guard.pipeline.forms import ShortForm
from franq_guard.pipeline.prompts import question_prompt, rag_prompt
from franq_guard.pipeline.stages import Stages
from franq_guard.schema import Passage

QUESTION = "How tall is the Eiffel Tower?"
PASSAGES = ["The Eiffel Tower is 330 metres tall.", "Bread is made of flour."]
ANSWER = "The Eiffel Tower is 330 metres tall."


@pytest.fixture(scope="module")
def pipeline(lm):
    config = GuardConfig(preset="mini", calibration="none", device="cpu", dtype="float32")
    return replace(assemble(config), short_form=ShortForm(samples=3, max_new_tokens=8))


def gather(pipeline, form, *items):
    pipeline = replace(pipeline, form=form)
    gatherer = Gatherer(
        pipeline=pipeline,
        similarity=AlignmentSimilarity(pipeline.aligner.model),
        baselines=tuple(BASELINES),
    )
    drafts = [pipeline.draft(as_input(*item)) for item in items]
    return gatherer.gather(drafts, Stages(Deadline(None), {}))


@pytest.mark.parametrize("form", ["long", "short"])
def test_every_baseline_runs(pipeline, form):
    together = gather(pipeline, form, (QUESTION, PASSAGES, ANSWER))
    assert [len(found) for found in together] == [1]
    for name, baseline in BASELINES.items():
        if form in baseline.forms:
            values = [baseline.confidence(one) for found in together for one in found.values()]
            assert all(map(math.isfinite, values)), name


def test_what_else_is_in_the_batch_changes_no_baseline(pipeline):
    items = [(QUESTION, PASSAGES, ANSWER), ("What is bread?", PASSAGES[1:], "Bread.")]
    pipeline.forget()
    [together, _] = gather(pipeline, "long", *items)
    pipeline.forget()
    [alone] = gather(pipeline, "long", items[0])
    for name, baseline in BASELINES.items():
        if "long" in baseline.forms:
            first, other = (baseline.compute(found[0]) for found in (alone, together))
            assert first == pytest.approx(other, abs=1e-3, rel=1e-3), name


def test_distributions_equal_a_plain_forward_pass(lm):
    requests = [
        (rag_prompt(QUESTION, [Passage(PASSAGES[0])]), lm.tokenize(ANSWER)),
        (question_prompt(QUESTION), lm.tokenize("No.")),
    ]
    found = lm.distributions(requests, top=4)
    scored = lm.score(requests)
    for (prompt, tokens), one, scores in zip(requests, found, scored, strict=True):
        ids = lm.prompt_ids(prompt)
        with torch.inference_mode():
            logits = lm._model(torch.tensor([ids + list(tokens.ids)])).logits[0, len(ids) - 1 : -1].double()
        log_probs = logits.log_softmax(-1).numpy()
        assert one.entropies == pytest.approx(-(np.exp(log_probs) * log_probs).sum(-1), abs=1e-3)
        assert one.scores.log_probs == pytest.approx(scores.log_probs, abs=1e-4)
        assert one.top_log_probs == pytest.approx(np.sort(log_probs)[:, ::-1][:, :4], abs=1e-3)
        assert one.top_texts[-1][0] == lm._tokenizer.decode([one.top_ids[-1, 0]])


def test_the_judge_gives_three_probabilities_whatever_the_batch(lm):
    item = as_input(QUESTION, PASSAGES, ANSWER)
    claims = [(item, text) for text in (ANSWER, "The Eiffel Tower is 5 metres tall.", "Cats sleep.")]
    together = judge_claims(lm, claims)
    assert together.shape == (3, 3) and together.sum(axis=1) == pytest.approx(np.ones(3))
    assert (together > 0).all()
    assert judge_claims(lm, claims[1:2])[0] == pytest.approx(together[1], abs=1e-3)
