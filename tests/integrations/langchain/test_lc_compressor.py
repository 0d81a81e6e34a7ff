"""Retrieved documents are looked at before an answer is written, on the embedded alignment model."""

import asyncio

import pytest
from fakes import make_guard
from langchain_core.documents import Document
from lc_models import QUESTION, TALL, Shelf
from pydantic import ValidationError

from franq_guard import ModelError
from franq_guard.retrieval import Screening
from langchain_franq_guard import FranqDocumentCompressor

FOUND = [
    TALL,
    Document("The Eiffel Tower is 330 metres  tall.", id="copy"),
    Document("  ", id="blank"),
    Document("The Eiffel Tower is 250 metres tall.", id="wrong"),
    Document("Bananas are rich in potassium.", id="bananas"),
]


def compress(mode, guard, documents=FOUND, query=QUESTION, **settings):
    compressor = FranqDocumentCompressor(guard, **settings)
    if mode == "sync":
        return compressor.compress_documents(documents, query)
    return asyncio.run(compressor.acompress_documents(documents, query))


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_copies_and_blanks_go_conflicts_and_strays_are_flagged(real_guard, mode):
    kept = {document.id: document.metadata["franq_guard"] for document in compress(mode, real_guard)}
    assert list(kept) == ["tall", "wrong", "bananas"]
    assert kept["tall"]["problems"] == ["conflicting"]
    assert kept["tall"]["conflicts_with"] == [3]
    assert kept["wrong"]["conflicts_with"][0] == 0
    assert kept["bananas"]["problems"] == ["irrelevant"]


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize(
    ("drop", "expected"),
    [
        ([], ["tall", "copy", "blank", "wrong", "bananas"]),
        (["irrelevant"], ["tall", "copy", "blank", "wrong"]),
        ({"conflicting", "empty"}, ["bananas"]),
    ],
)
def test_what_is_dropped_is_configurable(real_guard, mode, drop, expected):
    assert [document.id for document in compress(mode, real_guard, drop=drop)] == expected


def test_documents_are_copied_and_their_metadata_kept(real_guard):
    [kept] = compress("sync", real_guard, [TALL])
    assert kept.metadata["source"] == "guide.txt"
    assert (kept.page_content, kept.id) == (TALL.page_content, TALL.id)
    assert TALL.metadata == {"source": "guide.txt"}


@pytest.mark.parametrize("query", ["", "🗼", "埃菲尔铁塔有多高?", "\ud800"])
def test_odd_queries_drop_nothing_they_cannot_judge(real_guard, query):
    assert [document.id for document in compress("sync", real_guard, [TALL], query)] == ["tall"]
    assert compress("sync", real_guard, [], query) == []


class Broken:
    id = "broken"
    languages = None

    def score(self, pairs):
        raise RuntimeError("out of paper")


@pytest.mark.parametrize("on_error", ["pass", "block", "raise"])
def test_a_screening_that_fails_follows_on_error(on_error):
    guard = make_guard(alignment_model=Broken(), on_error=on_error)
    if on_error == "raise":
        with pytest.raises(ModelError, match="out of paper"):
            compress("sync", guard)
        return
    kept = compress("sync", guard)
    assert [document.id for document in kept] == ["tall", "wrong", "bananas"]
    assert "out of paper" in kept[0].metadata["franq_guard"]["notes"][0]


def test_it_serves_as_a_step_of_a_chain(real_guard):
    compressor = FranqDocumentCompressor(real_guard, screening=Screening(conflicts=False))
    chain = Shelf(documents=FOUND) | (lambda found: compressor.compress_documents(found, QUESTION))
    assert [document.id for document in chain.invoke(QUESTION)] == ["tall", "wrong", "bananas"]


@pytest.mark.parametrize("settings", [{"drop": ["boring"]}, {"drop": 3}, {"keep": ["empty"]}])
def test_senseless_settings_are_refused(settings):
    with pytest.raises(ValidationError):
        FranqDocumentCompressor(make_guard(), **settings)
