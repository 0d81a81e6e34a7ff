"""The command line in this process, with models whose numbers follow from the words."""

import io
import logging
import sys

import pytest
from fakes import WordAligner, WordLM

from franq_guard.cli import main


@pytest.fixture(autouse=True)
def no_weights(monkeypatch, tmp_path):
    from franq_guard.models import loading

    monkeypatch.setattr(loading, "load_language_model", lambda source, **options: WordLM())
    monkeypatch.setattr(loading, "load_alignment_model", lambda source, **options: WordAligner())
    monkeypatch.setenv("FRANQ_GUARD_ALIGNMENT_MODEL", "/models/overlap")
    monkeypatch.setenv("FRANQ_GUARD_CALIBRATION", "none")
    monkeypatch.setenv("FRANQ_GUARD_FORM", "long")
    monkeypatch.setenv("FRANQ_GUARD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def cli(monkeypatch, capsys):
    """Runs a command; gives the exit code, standard output and standard error."""

    def run(*arguments, stdin=None):
        monkeypatch.setattr(sys, "argv", ["franq-guard", *map(str, arguments)])
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        # Without handlers of pytest's own, as in a shell: warnings go to standard error.
        monkeypatch.setattr(logging.getLogger("franq_guard"), "propagate", False)
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return run
