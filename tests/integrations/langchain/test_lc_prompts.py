import pytest
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate

from franq_guard import InputError
from langchain_franq_guard import UNCERTAINTY_CLAUSE, with_uncertainty_clause


def test_a_text_gets_it_in_front():
    assert with_uncertainty_clause("Answer.") == f"{UNCERTAINTY_CLAUSE}\n\nAnswer."


def test_a_string_template_gets_it_in_front():
    prompt = PromptTemplate.from_template("{context} {question}")
    longer = with_uncertainty_clause(prompt, "Admit {gaps}.")
    assert longer.format(context="C", question="Q") == "Admit {gaps}.\n\nC Q"
    assert prompt.format(context="C", question="Q") == "C Q"


def test_a_chat_template_gets_it_in_its_system_message():
    prompt = ChatPromptTemplate.from_messages([("system", "Be {mood}."), ("human", "{question}")])
    longer = with_uncertainty_clause(prompt, "Admit {gaps}.")
    assert longer.invoke({"mood": "kind", "question": "Q"}).to_messages() == [
        SystemMessage("Be kind.\n\nAdmit {gaps}."),
        HumanMessage("Q"),
    ]
    assert prompt.invoke({"mood": "kind", "question": "Q"}).to_messages()[0] == SystemMessage("Be kind.")


def test_a_fixed_system_message_is_extended():
    prompt = ChatPromptTemplate.from_messages([SystemMessage("Be {kind}."), MessagesPlaceholder("history")])
    longer = with_uncertainty_clause(prompt, "Admit it.")
    assert longer.invoke({"history": []}).to_messages() == [SystemMessage("Be {kind}.\n\nAdmit it.")]


@pytest.mark.parametrize("messages", [[("human", "{question}")], [MessagesPlaceholder("question")]])
def test_a_system_message_is_added_where_there_is_none(messages):
    longer = with_uncertainty_clause(ChatPromptTemplate.from_messages(messages))
    first = longer.invoke({"question": [HumanMessage("Q")]}).to_messages()[0]
    assert first == SystemMessage(UNCERTAINTY_CLAUSE)


def test_an_empty_chat_template_is_no_obstacle():
    assert with_uncertainty_clause(ChatPromptTemplate([])).invoke({}).to_messages() == [
        SystemMessage(UNCERTAINTY_CLAUSE)
    ]


def test_mustache_braces_are_plain_unless_doubled():
    prompt = PromptTemplate.from_template("{{question}}", template_format="mustache")
    assert with_uncertainty_clause(prompt, "Admit {it}.").format(question="Q") == "Admit {it}.\n\nQ"
    with pytest.raises(InputError, match="mustache"):
        with_uncertainty_clause(prompt, "Admit {{it}}.")


@pytest.mark.parametrize("prompt", [None, 3, ["system"], SystemMessage("s")])
def test_other_prompts_are_refused(prompt):
    with pytest.raises(InputError, match="cannot add a clause"):
        with_uncertainty_clause(prompt)
