"""What is gathered, with models whose numbers follow from the words."""

import math
from dataclasses import replace

import numpy as np
import pytest
from fakes import TOLD, UNTOLD, WordLM

from franq_guard.errors import ConfigError
from franq_guard.evaluation.baselines import BASELINES, gather_value, get_baseline
from franq_guard.evaluation.gathered import Gathered
from franq_guard.evaluation.gathering import Gatherer
from franq_guard.evaluation.similarity import AlignmentSimilarity
from franq_guard.inputs import as_input
from franq_guard.pipeline.deadline import Deadline
from franq_guard.pipeline.stages import Stages
from franq_guard.uncertainty.semantic_classes import Relation
from tests.evaluation.lookers import LookedAtLM, make_pipeline

QUESTION = "How tall is the tower?"
PASSAGES = ["The tower is 330 metres tall.", "Rain fell."]
LONG = "The tower is 330 metres tall. It was painted red in 1968."


def gather(*items, form, baselines=tuple(BASELINES), pipeline=None):
    pipeline = replace(pipeline or make_pipeline(), form=form)
    drafts = [pipeline.draft(as_input(*item)) for item in items]
    gatherer = Gatherer(
        pipeline=pipeline, similarity=AlignmentSimilarity(pipeline.aligner.model), baselines=baselines
    )
    return gatherer.gather(drafts, Stages(Deadline(None), {})), pipeline


@pytest.mark.parametrize(("form", "answer", "claims"), [("long", LONG, 2), ("short", "330 metres", 1)])
def test_every_baseline_of_the_form_gets_a_number(form, answer, claims):
    [found], _ = gather((QUESTION, PASSAGES, answer), form=form)
    assert len(found) == claims
    for name, baseline in BASELINES.items():
        if form in baseline.forms:
            for one in found.values():
                assert math.isfinite(baseline.confidence(one)), name
                assert math.isfinite(gather_value(baseline, one)), name


def test_the_numbers_are_the_guards_own():
    [found], pipeline = gather((QUESTION, PASSAGES, LONG), form="long")
    [scored] = pipeline.run([as_input(QUESTION, PASSAGES, LONG)], deadline=Deadline(None), timings={})
    for claim in scored.claims:
        one = found[claim.index]
        assert one.alignment == claim.signals.alignment
        assert get_baseline("max_claim_probability").compute(one) == claim.signals.max_claim_log_prob
        assert get_baseline("parametric_knowledge").compute(one) == claim.signals.parametric_log_prob
        assert get_baseline("max_nli").compute(one) == claim.signals.max_nli
        assert len(one.tokens) == claim.signals.tokens


def test_the_numbers_are_the_guards_own_in_short_form():
    item = (QUESTION, PASSAGES, "330 metres")
    [found], pipeline = gather(item, form="short")
    [scored] = pipeline.run([as_input(*item)], deadline=Deadline(None), timings={})
    [claim], [one] = scored.claims, found.values()
    for name in ("semantic_entropy", "sum_eigenvalues", "max_nli", "alignment"):
        assert get_baseline(name).compute(one) == getattr(claim.signals, name)
    assert one.samples.texts == scored.samples


def test_each_thing_is_asked_once_for_all_answers():
    pipeline = make_pipeline()
    items = [(QUESTION, PASSAGES, "330 metres"), ("How old is it?", PASSAGES, "It is old.")]
    gather(*items, form="short", pipeline=pipeline)
    model = pipeline.language_model
    assert len(model.looked) == 2 and len(model.sampled) == 2
    pairs = pipeline.aligner.model.pairs
    words = [pair for pair in pairs if len(pair[0].split()) == len(pair[1].split()) == 1]
    assert words and len(words) == len(set(words))


def test_what_no_baseline_needs_is_not_asked():
    pipeline = make_pipeline()
    [found], _ = gather(
        (QUESTION, PASSAGES, "330 metres"), form="short", baselines=["alignment", "max_claim_probability"],
        pipeline=pipeline,
    )  # fmt: skip
    assert pipeline.language_model.looked == [] and pipeline.language_model.sampled == []
    [one] = found.values()
    assert one.samples is None and one.true_log_prob is None and one.entropies is None
    assert one.log_probs.tolist() == [TOLD, TOLD]


def test_prompts_with_and_without_passages():
    pipeline = make_pipeline()
    [found], _ = gather((QUESTION, PASSAGES, "330 metres"), form="short", pipeline=pipeline)
    [one] = found.values()
    assert one.log_probs.tolist() == [TOLD, TOLD]
    assert one.log_probs_without_passages.tolist() == [UNTOLD, UNTOLD]


def test_p_true_asks_about_the_claim():
    pipeline = make_pipeline()
    gather((QUESTION, PASSAGES, LONG), form="long", baselines=["p_true"], pipeline=pipeline)
    asked = [prompt.user for prompt, tokens in pipeline.language_model.requests if tokens.text == "True"]
    assert len(asked) == 2 and "painted red in 1968" in asked[1] and QUESTION in asked[1]


def test_alternatives_are_compared_with_the_token():
    [found], _ = gather((QUESTION, PASSAGES, "old and grey"), form="short", baselines=["ccp"])
    [one] = found.values()
    assert one.top_log_probs.shape == one.top_relations.shape == (3, 5)
    assert one.stop_words is None
    # The token itself, then "tall", "old", "the", ".": the same word entails, punctuation says nothing.
    assert one.top_relations[0].tolist()[0::2] == [Relation.ENTAILMENT, Relation.ENTAILMENT, Relation.NEUTRAL]


def test_function_words_are_not_judged_in_long_form():
    pipeline = make_pipeline()
    [found], _ = gather(
        ("", PASSAGES, "It is grey in Rome."), form="long", baselines=["ccp"], pipeline=pipeline
    )
    [one] = found.values()
    assert one.stop_words.tolist() == [True, True, False, True, False]
    assert not any("is" in pair for pair in pipeline.aligner.model.pairs)


def test_without_passages_a_claim_is_unfaithful():
    [found], _ = gather((QUESTION, [], "330 metres"), form="short")
    [one] = found.values()
    assert one.alignment == 0.0 and math.isnan(get_baseline("max_nli").compute(one))
    assert gather_value(get_baseline("max_nli"), one) is None


def test_a_model_that_hides_its_distributions():
    with pytest.raises(ConfigError, match="does not show its distributions"):
        gather((QUESTION, PASSAGES, LONG), form="long", pipeline=make_pipeline(WordLM()))
    [found], _ = gather(
        (QUESTION, PASSAGES, LONG), form="long", baselines=["perplexity"], pipeline=make_pipeline(WordLM())
    )
    assert len(found) == 2


def test_nothing_to_gather():
    assert gather(form="long")[0] == []


def test_missing_inputs_give_no_number_and_infinities_are_floored():
    empty = Gathered(tokens=(0,))
    assert [gather_value(one, empty) for one in BASELINES.values()] == [None] * len(BASELINES)
    impossible = Gathered(tokens=(0,), log_probs=np.array([-np.inf]))
    assert gather_value(get_baseline("max_claim_probability"), impossible) == -1e4
    assert gather_value(get_baseline("perplexity"), impossible) == 1e4


def test_unknown_baseline():
    with pytest.raises(ConfigError, match="no baseline 'magic'"):
        get_baseline("magic")


def test_answers_beyond_the_limit_have_no_tokens():
    pipeline = make_pipeline()
    pipeline = replace(pipeline, limits=replace(pipeline.limits, max_answer_tokens=4))
    [found], _ = gather((QUESTION, PASSAGES, LONG), form="long", pipeline=pipeline)
    assert list(found) == [0]


def test_the_model_is_open():
    from franq_guard.models.base import OpenLanguageModel

    assert isinstance(LookedAtLM(), OpenLanguageModel) and not isinstance(WordLM(), OpenLanguageModel)
