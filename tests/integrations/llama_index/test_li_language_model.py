"""One set of weights for LlamaIndex and the guard."""

from pathlib import Path

import pytest
from li_models import ScriptedLLM

from franq_guard import ConfigError
from franq_guard.models.base import Prompt
from franq_guard.models.sources import fingerprint
from llama_index_franq_guard import language_model_from


def test_the_weights_are_shared(llm):
    shared = language_model_from(llm)
    mine = dict(shared._model.named_parameters())
    assert mine
    for name, parameter in llm._model.named_parameters():
        assert mine[name].data_ptr() == parameter.data_ptr()


def test_the_tokeniser_is_not_shared(llm):
    shared = language_model_from(llm)
    assert shared._tokenizer is not llm._tokenizer
    assert shared.tokenize("The tower.").ids == tuple(llm._tokenizer("The tower.")["input_ids"])


def test_it_scores_like_a_model_of_its_own(llm):
    shared = language_model_from(llm)
    prompt = Prompt("Question: How tall is the Eiffel Tower?\nAnswer the question.")
    [likely] = shared.score([(prompt, shared.tokenize("It is 330 metres tall."))])
    [unlikely] = shared.score([(prompt, shared.tokenize("It is purple bananas tall."))])
    assert likely.log_probs.sum() > unlikely.log_probs.sum()


def test_it_is_named_after_the_weights_or_as_told(llm):
    assert language_model_from(llm).id == fingerprint(Path(llm.model_name))
    assert language_model_from(llm, id="smollm2").id == "smollm2"


@pytest.mark.parametrize("wrong", [None, "model", ScriptedLLM("x")])
def test_what_holds_no_weights_is_refused(wrong):
    with pytest.raises(ConfigError, match="HuggingFaceLLM"):
        language_model_from(wrong)
