"""LangChain documents as passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.documents import Document

from franq_guard import Passage


def as_passage(document: Document) -> Passage:
    """Takes over the text, the id and the metadata; title and source come from the metadata."""
    return Passage(
        document.page_content,
        id=document.id,
        title=_named(document, "title"),
        source=_named(document, "source"),
        metadata=dict(document.metadata),
    )


def as_evidence(value: Any) -> Any:
    """Replaces the documents of what a chain retrieved; everything else is left for the guard to judge."""
    if isinstance(value, Document):
        return as_passage(value)
    if isinstance(value, str | bytes | Mapping | Passage) or not isinstance(value, Iterable):
        return value
    return tuple(as_passage(item) if isinstance(item, Document) else item for item in value)


def documents_in(value: Any) -> list[Document]:
    """The documents, if `value` is one or consists of nothing else; else an empty list."""
    if isinstance(value, Document):
        return [value]
    if isinstance(value, list | tuple) and all(isinstance(item, Document) for item in value):
        return list(value)
    return []


def _named(document: Document, key: str) -> str | None:
    value = document.metadata.get(key)
    return None if value is None else str(value)
