"""Every code block of the guide runs."""

import re
from pathlib import Path

import pytest

from franq_guard.claims import hedging_language

GUIDE = Path(__file__).parents[2] / "docs" / "diagnosis.md"
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("code", BLOCKS, ids=["triggers", "hedging"])
def test_block_runs(code, capsys, monkeypatch):
    monkeypatch.setattr(hedging_language, "_added", {})
    exec(compile(code, str(GUIDE), "exec"), {})  # noqa: S102
    if "guard.check" in code:
        assert "conflicting_sources" in capsys.readouterr().out
