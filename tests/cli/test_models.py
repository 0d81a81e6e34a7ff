"""`franq-guard models`."""

from pathlib import Path

import pytest

import franq_guard


def test_the_list_tells_what_is_here(cli):
    code, out, _ = cli("models", "list")
    assert code == 0
    assert all(name in out for name in ("mini", "3b", "8b"))
    assert "franq-guard models pull mini" in " ".join(out.split())


def test_a_source_that_is_here_has_a_path(cli, tmp_path):
    assert cli("models", "path", tmp_path) == (0, f"{tmp_path}\n", "")


def test_the_embedded_model_has_a_path(cli):
    code, out, _ = cli("models", "path", "align_mini")
    assert code == 0
    assert Path(out.strip()) == Path(franq_guard.__file__).parent / "models" / "align_mini"
    assert (Path(out.strip()) / "config.json").exists()


@pytest.mark.parametrize("name", ["mini", "pypi:dist==1.0/file.gguf", "hf:org/name"])
def test_what_is_not_here_says_how_to_fetch_it(cli, name):
    code, out, err = cli("models", "path", name)
    assert code == 2
    assert out == ""
    assert f"franq-guard models pull {name}" in err


@pytest.mark.parametrize("command", ["pull", "path"])
@pytest.mark.parametrize("name", ["nonesuch", "", "hf:x", "pypi:x"])
def test_what_is_no_model_is_one_line_of_error(cli, command, name):
    code, out, err = cli("models", command, name)
    assert (code, out) == (2, "")
    assert err.startswith("franq-guard: ")
    assert err.count("\n") == 1


def test_pulling_a_path_that_is_here_prints_it(cli, tmp_path):
    code, out, _ = cli("models", "pull", tmp_path)
    assert (code, out) == (0, f"{tmp_path}\n")


def test_pulling_the_embedded_model_does_nothing(cli):
    code, out, err = cli("models", "pull", "align_mini")
    assert (code, out) == (0, "")
    assert "part of the package" in err


def test_pulling_without_a_network_is_one_line_of_error(cli, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    code, out, err = cli("models", "pull", "pypi:tiny-weights==1.0/model.gguf")
    assert (code, out) == (2, "")
    assert "pip could not download tiny-weights==1.0" in err
    assert "Traceback" not in err
