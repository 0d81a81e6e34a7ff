"""The guide's code runs, and what it and the security policy name exists."""

import re
from pathlib import Path

import pytest

import franq_guard.errors
import franq_guard.runtime.threads

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "robustness.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
POLICY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", CODE, ids=range(len(CODE)))
def test_code_runs(code):
    exec(compile(code, "robustness.md", "exec"), {"__name__": "guide"})  # noqa: S102


def test_errors_and_settings_that_are_named_exist():
    modules = franq_guard.errors, franq_guard.runtime.threads
    for name in set(re.findall(r"`(\w+Error)`", GUIDE)) - {"ConformanceError", "AssertionError"}:
        assert any(hasattr(module, name) for module in modules), name
    for name in re.findall(r"`(max_\w+|timeout)`", POLICY):
        assert name in franq_guard.GuardConfig.model_fields


def test_files_that_are_named_exist():
    for text, folder in ((GUIDE, ROOT / "docs"), (POLICY, ROOT)):
        for link in re.findall(r"\]\(([\w./-]+)\)", text):
            assert (folder / link).exists(), link
    for path in re.findall(r"`(tests/[\w/.]+)`", POLICY):
        assert (ROOT / path).exists(), path
