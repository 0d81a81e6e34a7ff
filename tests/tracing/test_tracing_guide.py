"""The guide: its code runs, its configuration is valid, and what it names exists."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from franq_guard import GuardConfig
from franq_guard.tracing import names
from franq_guard.tracing.settings import NAMES

GUIDE = Path(__file__).parents[2] / "docs" / "tracing.md"
TEXT = GUIDE.read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


# To set up MLflow's database takes as long as all the others together.
CODE = [pytest.param(code, marks=[pytest.mark.slow] if "mlflow" in code else []) for code in blocks("python")]


@pytest.mark.parametrize("code", CODE, ids=lambda code: str(len(code)))
@pytest.mark.filterwarnings("ignore::Warning:alembic", "ignore::DeprecationWarning")
def test_code_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    exec(compile(code, GUIDE.name, "exec"), {"__name__": "guide"})  # noqa: S102
    if "mlflow" in code:
        sys.modules["mlflow"].set_tracking_uri(None)


@pytest.mark.parametrize("text", blocks("toml"), ids=lambda text: str(len(text)))
def test_configuration_is_valid(text):
    assert GuardConfig.load(**tomllib.loads(text)).tracing


def test_every_sink_metric_and_image_is_there():
    assert all(f"| `{name}` |" in TEXT for name in NAMES)
    metrics = {value for name, value in vars(names).items() if name.startswith("METRIC_")}
    assert metrics == set(re.findall(r"^\| `(franq_guard\.[\w.]+)` \|", TEXT, re.MULTILINE))
    for image in re.findall(r"!\[.*?\]\((.*?)\)", TEXT):
        assert (GUIDE.parent / image).stat().st_size < 200_000
