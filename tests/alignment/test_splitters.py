from __future__ import annotations

import sys
import types

import pytest

from franq_guard.alignment.splitters import punkt_splitter, resolve_splitter
from franq_guard.errors import ConfigError
from franq_guard.schema import Span


class FakePunkt:
    def __init__(self, language: str) -> None:
        if language != "english":
            raise LookupError(language)

    def span_tokenize(self, text: str) -> list[tuple[int, int]]:
        return [(0, 3), (4, 7)]


def test_rules_are_the_default_for_windows() -> None:
    splitter = resolve_splitter(None, prefer_punkt=False)
    assert splitter.name == "rules"
    assert [span.text for span in splitter.split("One. Two.")] == ["One.", "Two."]


def test_punkt_is_used_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.tokenize", types.SimpleNamespace(PunktTokenizer=FakePunkt))
    splitter = resolve_splitter(None, prefer_punkt=True)
    assert splitter.name == "punkt"
    assert splitter.split("A b C d") == [Span(0, 3, "A b"), Span(4, 7, "C d")]


def no_data(language: str) -> FakePunkt:
    raise LookupError("punkt_tab")


@pytest.mark.parametrize(
    "module", [None, types.SimpleNamespace(), types.SimpleNamespace(PunktTokenizer=no_data)]
)
def test_without_punkt_the_rules_step_in(monkeypatch: pytest.MonkeyPatch, module: object) -> None:
    monkeypatch.setitem(sys.modules, "nltk.tokenize", module)
    assert punkt_splitter() is None
    assert resolve_splitter(None, prefer_punkt=True).name == "rules"
    with pytest.raises(ConfigError, match="punkt_tab"):
        resolve_splitter("punkt", prefer_punkt=True)


def test_a_function_keeps_its_name() -> None:
    def by_line(text: str) -> list[Span]:
        return [Span.of(text, 0, len(text))]

    assert resolve_splitter(by_line, prefer_punkt=True).name == "by_line"


def test_unknown_name_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown"):
        resolve_splitter("spacy", prefer_punkt=False)
