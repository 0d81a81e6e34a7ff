"""Start tokens, templates and byte-level pieces, on tokenisers made on the fly."""

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from franq_guard.models.base import Prompt
from franq_guard.models.chat_tokenizer import ChatTokenizer

TEMPLATE = (
    "<s>{% for m in messages %}"
    "{% if m['role'] == 'system' and no_system is defined %}"
    "{{ raise_exception('no system role') }}{% endif %}"
    "[{{ m['role'] }}]{{ m['content'] }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"
)
NO_SYSTEM = TEMPLATE.replace(" and no_system is defined", "")


def byte_level(*, end=False, template=None):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(["the tower is tall", "the answer"], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>" if end else "<s> $A", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")
    fast.chat_template = template
    return fast


def test_without_a_template_the_start_token_comes_once():
    fast = byte_level()
    ids = ChatTokenizer(fast).prompt_ids(Prompt("Why?", "Be brief."))
    assert ids[0] == 0
    assert ids.count(0) == 1
    assert fast.decode(ids[1:]) == "Be brief.\n\nWhy?\n\nAnswer:"


def test_an_end_token_does_not_close_the_prompt():
    assert 1 not in ChatTokenizer(byte_level(end=True)).prompt_ids(Prompt("Why?"))


def test_a_template_that_writes_the_start_token_gets_no_second_one():
    fast = byte_level(template=TEMPLATE)
    ids = ChatTokenizer(fast).prompt_ids(Prompt("Why?", "Be brief."))
    assert ids.count(0) == 1
    assert fast.decode(ids[1:]) == "[system]Be brief.[user]Why?[assistant]"


def test_a_template_without_system_role_gets_one_turn():
    fast = byte_level(template=NO_SYSTEM)
    ids = ChatTokenizer(fast).prompt_ids(Prompt("Why?", "Be brief."))
    assert fast.decode(ids[1:]) == "[user]Be brief.\n\nWhy?[assistant]"


def test_an_answer_gets_no_special_tokens():
    tokens = ChatTokenizer(byte_level(end=True)).tokenize("<s>the tower</s>")
    assert not {0, 1} & set(tokens.ids)


@pytest.mark.parametrize("text", ["the tower 🎉 is 世界", "é", "a\u0301", "🎉🎉"])
def test_pieces_of_one_character_share_its_place(text):
    tokens = ChatTokenizer(byte_level()).tokenize(text)
    assert len(tokens.ids) > len(text) / 2
    covered = np.zeros(len(text), dtype=bool)
    for start, end in tokens.offsets:
        assert 0 <= start < end <= len(text)
        covered[start:end] = True
    assert covered[[i for i, c in enumerate(text) if not c.isspace()]].all()


def test_generated_ids_are_located_even_if_the_text_would_be_tokenised_otherwise():
    chat = ChatTokenizer(byte_level())
    pieces = [chat.tokenize(char).ids for char in "the 🎉 end"]
    ids = [token for piece in pieces for token in piece]
    found = chat.locate(ids)
    assert found.text == "the 🎉 end"
    assert found.ids == tuple(ids)
    assert [found.text[a:b] for a, b in found.offsets][:3] == ["t", "h", "e"]
    assert {found.text[a:b] for a, b in found.offsets} >= {"🎉", "d"}
