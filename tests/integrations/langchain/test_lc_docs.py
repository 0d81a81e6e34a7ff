"""The code of the guide runs from top to bottom."""

import re
from pathlib import Path

import pytest

pytest.importorskip("langchain_huggingface", reason="the guide uses the local chat model")
pytest.importorskip("langchain", reason="the guide uses an agent")

GUIDE = Path(__file__).parents[3] / "docs" / "langchain.md"


def test_the_guide_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) > 8
    names = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)  # noqa: S102
    assert "0." in capsys.readouterr().out
