"""The guide's code runs as it stands, one block after the other."""

import re
from pathlib import Path

GUIDE = Path(__file__).parents[3] / "docs" / "llama_index.md"


def test_the_guides_code_runs(capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 5
    namespace = {}
    for number, block in enumerate(blocks, start=1):
        exec(compile(block, f"{GUIDE.name}, block {number}", "exec"), namespace)  # noqa: S102
    shown = capsys.readouterr().out
    assert "Fleming" in shown
    assert "0." in shown
