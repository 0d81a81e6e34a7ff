"""Every example runs as it is, on the real models."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_example_runs(path, lm, capsys):
    runpy.run_path(str(path), run_name="__main__")
    assert "0." in capsys.readouterr().out
