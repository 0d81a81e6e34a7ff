"""The commands as a shell sees them: nothing heavy is loaded before it is needed."""

import os
import subprocess
import sys

import pytest

from franq_guard import __version__

HEAVY = ("torch", "transformers", "sklearn", "scipy", "huggingface_hub", "rich.console")


def python(code, **environment):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | {"COLUMNS": "120"} | environment,
        check=False,
    )


def shell(*arguments, heavy=HEAVY[:3], **environment):
    """Runs a command line in a process of its own, which then names the heavy modules it has loaded."""
    code = (
        "import sys\n"
        "from franq_guard.cli import main\n"
        f"sys.argv = ['franq-guard', *{list(arguments)!r}]\n"
        "try:\n    main()\n"
        "finally:\n"
        f"    print('LOADED', [name for name in {heavy!r} if name in sys.modules])\n"
    )
    return python(code, **environment)


def test_importing_the_package_loads_nothing_heavy():
    done = python(
        "import sys, franq_guard\n"
        "from franq_guard import Passage, Policy, Guard, GuardConfig\n"
        "Guard.from_preset('mini')\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--help"], ["check", "demo", "models"]),
        (["-h"], ["check", "demo", "models"]),
        (["check", "--help"], ["--fail-below", "--passage", "Exit code"]),
        (["demo", "--help"], ["--question", "--preset"]),
        (["models", "--help"], ["list", "pull", "path"]),
        (["--version"], [__version__]),
    ],
)
def test_help_is_light(arguments, words):
    done = shell(*arguments)
    assert done.returncode == 0, done.stderr
    assert all(word in done.stdout for word in words)
    assert "LOADED []" in done.stdout
    assert done.stderr == ""


def test_the_models_can_be_listed_without_loading_them(tmp_path):
    done = shell("models", "list", FRANQ_GUARD_CACHE=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "LOADED []" in done.stdout
    assert all(name in done.stdout for name in ("mini", "3b", "8b", "franq-guard models pull mini"))


def test_the_cache_folder_can_be_shown_without_loading_anything(tmp_path):
    done = shell("models", "path", FRANQ_GUARD_CACHE=str(tmp_path))
    assert done.stdout.splitlines()[0] == str(tmp_path)
    assert "LOADED []" in done.stdout


def test_the_package_is_a_command_too():
    done = subprocess.run(
        [sys.executable, "-m", "franq_guard.cli", "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, __version__)


def test_no_command_shows_the_help(cli):
    _, out, err = cli()
    assert "demo" in out + err


def test_an_interrupt_ends_quietly(cli, monkeypatch):
    def interrupt(**options):
        raise KeyboardInterrupt

    monkeypatch.setattr("franq_guard.cli.check.run_check", interrupt)
    code, _, err = cli("check")
    assert code == 130
    assert "Traceback" not in err
