"""The two prompts an answer is scored under."""

from franq_guard.pipeline.prompts import block_head, question_prompt, rag_prompt
from franq_guard.schema import Passage

PASSAGES = [Passage("It is tall.", title="Tower"), Passage("It is old.")]


def test_the_passages_are_numbered_and_titled_before_the_question():
    user = rag_prompt("How tall?", PASSAGES).user
    assert user.index("passage 1: Tower\nIt is tall.") < user.index("passage 2: It is old.")
    assert user.index("It is old.") < user.index("Question: How tall?")


def test_the_prompts_differ_only_in_the_passages():
    with_passages, without = rag_prompt("How tall?", PASSAGES), question_prompt("How tall?")
    assert with_passages.system == without.system
    assert with_passages.user.endswith(without.user)
    assert "It is tall." not in without.user


def test_the_head_is_what_stands_before_the_text():
    for number, passage in enumerate(PASSAGES, start=1):
        assert block_head(number, passage) + passage.text in rag_prompt("", PASSAGES).user
