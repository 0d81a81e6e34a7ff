import pytest
from fakes import make_guard
from langchain_core.language_models import FakeListChatModel

from franq_guard import InputError
from franq_guard.models.base import Prompt
from langchain_franq_guard import language_model_from


def test_the_guard_uses_the_weights_of_the_chat_model(chat):
    pytest.importorskip("langchain_huggingface")
    theirs = chat.llm.pipeline.model.get_input_embeddings().weight
    for model in (chat, chat.llm, chat.bind(stop=["x"])):
        ours = language_model_from(model)
        assert ours._model.get_input_embeddings().weight.data_ptr() == theirs.data_ptr()
        assert ours._tokenizer is not chat.llm.pipeline.tokenizer


def test_it_scores_with_them(chat):
    lm = language_model_from(chat, id="mine")
    tokens = lm.tokenize("It is 330 metres tall.")
    [scores] = lm.score([(Prompt("How tall is the tower?"), tokens)])
    assert (scores.log_probs <= 0).all()
    assert lm.id == "mine"


def test_a_model_in_a_folder_is_named_after_its_content(chat):
    assert "/" not in language_model_from(chat).id


@pytest.mark.parametrize("model", [FakeListChatModel(responses=[]), None, "gpt", make_guard()])
def test_models_without_weights_are_refused(model):
    with pytest.raises(InputError, match="no weights that can be shared"):
        language_model_from(model)
