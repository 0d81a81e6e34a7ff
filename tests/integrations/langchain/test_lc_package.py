"""What the package needs, and what it says when that is missing."""

import subprocess
import sys

import pytest

import langchain_franq_guard

WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name.split(".")[0])
sys.meta_path.insert(0, Missing())
"""


def python(missing, code):
    return subprocess.run(
        [sys.executable, "-c", WITHOUT.format(missing=missing) + code],
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_public_name_is_there():
    for name in langchain_franq_guard.__all__:
        if name != "FranqGuardMiddleware":
            assert getattr(langchain_franq_guard, name) is not None
    assert dir(langchain_franq_guard) == sorted(langchain_franq_guard.__all__)
    with pytest.raises(AttributeError, match="FranqGuardian"):
        _ = langchain_franq_guard.FranqGuardian


def test_importing_it_loads_no_framework():
    code = "import langchain_franq_guard, sys; print({'torch', 'langchain_core'} & sys.modules.keys())"
    assert python([], code).stdout.strip() == "set()"


@pytest.mark.parametrize("name", ["FranqGuardrail", "FranqCallbackHandler", "franq_guard_node"])
def test_without_langchain_core_the_error_says_what_to_install(name):
    found = python(["langchain_core"], f"from langchain_franq_guard import {name}")
    assert "pip install 'franq-guard[langchain]'" in found.stderr


def test_without_langchain_only_the_middleware_is_missing():
    names = ", ".join(name for name in langchain_franq_guard.__all__ if name != "FranqGuardMiddleware")
    assert python(["langchain", "langgraph"], f"from langchain_franq_guard import {names}").returncode == 0
    found = python(["langchain", "langgraph"], "from langchain_franq_guard import FranqGuardMiddleware")
    assert "pip install 'langchain>=1'" in found.stderr


def test_it_needs_neither_llama_index_nor_langchain_huggingface():
    missing = ["llama_index", "langchain_huggingface", "langgraph", "langchain"]
    names = ", ".join(name for name in langchain_franq_guard.__all__ if name != "FranqGuardMiddleware")
    found = python(missing, f"from langchain_franq_guard import {names}")
    assert (found.returncode, found.stderr) == (0, "")
