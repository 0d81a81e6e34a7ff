"""GGUF files are de-quantised once, whole or not at all."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tiny_gguf import write_tiny_gguf

from franq_guard.errors import ModelError
from franq_guard.models import gguf
from franq_guard.models.gguf import converted


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("FRANQ_GUARD_CACHE", str(folder))
    return folder


@pytest.fixture
def file(tmp_path):
    return write_tiny_gguf(tmp_path / "tiny.gguf")


@pytest.fixture
def conversions(monkeypatch):
    """How often something was converted."""
    real, calls = gguf._convert, []

    def convert(file, target):
        calls.append(file)
        real(file, target)

    monkeypatch.setattr(gguf, "_convert", convert)
    return calls


def kept(cache):
    return [path for path in cache.rglob("*") if path.suffix != ".lock" and path.is_file()]


def test_the_result_is_a_folder_of_safetensors_in_the_cache(file, cache):
    folder = converted(file)
    assert cache in folder.parents
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= {path.name for path in folder.iterdir()}


def test_a_second_call_reuses_the_first(file, conversions):
    first = converted(file)
    written = (first / "model.safetensors").stat().st_mtime_ns
    assert converted(file) == first
    assert (first / "model.safetensors").stat().st_mtime_ns == written
    assert len(conversions) == 1


def test_two_at_once_convert_once(file, conversions):
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(converted, [file, file])
    assert first == second
    assert len(conversions) == 1


def test_a_copy_elsewhere_is_the_same_model(file, tmp_path, conversions):
    copy = tmp_path / "elsewhere" / file.name
    copy.parent.mkdir()
    copy.write_bytes(file.read_bytes())
    assert converted(copy) == converted(file)
    assert len(conversions) == 1


def test_other_weights_are_another_model(file, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    assert converted(write_tiny_gguf(other / file.name, seed=1)) != converted(file)


def test_a_conversion_that_was_cut_off_is_done_again(file):
    folder = converted(file)
    (folder / "config.json").unlink()
    assert (converted(file) / "config.json").exists()


@pytest.mark.parametrize("share", [0.0, 0.0001, 0.02, 0.5, 0.99])
def test_a_truncated_file_is_refused_and_leaves_nothing(file, cache, share):
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(ModelError, match=r"tiny\.gguf could not be read as a GGUF model: .*Is the download"):
        converted(file)
    assert kept(cache) == []


def test_another_kind_of_file_is_refused(tmp_path, cache):
    file = tmp_path / "notes.gguf"
    file.write_text("no weights in here\n" * 500)
    with pytest.raises(ModelError, match="could not be read as a GGUF model"):
        converted(file)
    assert kept(cache) == []


def test_a_conversion_that_was_cut_off_is_made_anew(file, conversions):
    weights = converted(file) / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:1000])
    assert (converted(file) / "model.safetensors").read_bytes() == whole
    assert len(conversions) == 2


def test_what_a_killed_process_left_is_removed(file, cache, monkeypatch):
    first = converted(file)
    left = first.with_name(f"part-{first.name}-abc")
    left.mkdir()
    (left / "half").write_text("x")
    (first / "sizes.json").unlink()
    converted(file)
    assert not left.exists()


def test_a_full_disk_is_named(file, monkeypatch):
    def full(file, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(gguf, "_convert", full)
    with pytest.raises(ModelError, match=r"No space left on device.*FRANQ_GUARD_CACHE"):
        converted(file)
