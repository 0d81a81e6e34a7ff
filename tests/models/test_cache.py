"""The cache folder: locked while something is made in it, and clear about what is wrong with it."""

import pytest

from franq_guard.errors import ModelError
from franq_guard.models.cache import making


def test_a_folder_that_is_a_file_is_an_error_that_says_what_to_do(tmp_path, monkeypatch):
    blocked = tmp_path / "cache"
    blocked.write_text("not a folder")
    monkeypatch.setenv("FRANQ_GUARD_CACHE", str(blocked))
    with (
        pytest.raises(ModelError, match=r"cannot write to the cache folder .*FRANQ_GUARD_CACHE"),
        making(blocked / "x" / "y"),
    ):
        pass


def test_the_scratch_folder_is_gone_afterwards(tmp_path):
    target = tmp_path / "model"
    with making(target) as folder:
        assert folder.parent == tmp_path
        (folder / "part").write_text("whole")
        (folder / "part").replace(target)
    assert target.read_text() == "whole"
    assert {path.name for path in tmp_path.iterdir()} <= {"model", "model.lock"}


def test_our_own_errors_pass(tmp_path):
    with pytest.raises(ModelError, match="as it was"), making(tmp_path / "model"):
        raise ModelError("as it was")
