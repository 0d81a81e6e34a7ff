"""Real servers on 127.0.0.1."""

from contextlib import ExitStack

import pytest

from franq_guard.servers.address import parse_server
from franq_guard.servers.language_model import ServedLanguageModel
from tests.servers.model_server import TinyModel, serving
from tests.servers.tiny_tokenizer import make_tokenizer


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def tokenizer_folder(tmp_path_factory):
    return make_tokenizer(tmp_path_factory.mktemp("tokenizer"))


@pytest.fixture(scope="session")
def tiny(tokenizer_folder):
    return TinyModel(tokenizer_folder)


@pytest.fixture
def start(tiny):
    """Starts servers by flavour; they end with the test."""
    with ExitStack() as stack:
        yield lambda flavour="vllm": stack.enter_context(serving(tiny, flavour))


@pytest.fixture
def connect(tokenizer_folder):
    """A language model on a server; flavours that do not tokenise get a local tokeniser."""

    def connected(server, **options):
        if server.flavour != "vllm":
            options.setdefault("tokenizer", tokenizer_folder)
        options = "&".join(f"{name}={value}" for name, value in ({"timeout": 20} | options).items())
        return ServedLanguageModel(parse_server(f"openai:{server.url}#{options}"))

    return connected
