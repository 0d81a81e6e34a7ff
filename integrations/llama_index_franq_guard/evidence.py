"""LlamaIndex nodes as passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore

from franq_guard import Passage

_SOURCE_KEYS = ("source", "file_path", "file_name", "url")


def as_passage(node: NodeWithScore, mode: MetadataMode = MetadataMode.LLM) -> Passage:
    """Turns a node into a passage.

    Args:
        node: the node.
        mode: which metadata goes into the text. LLM is what a synthesizer shows the model; with NONE the
            evidence's character spans are those of the bare node text.
    """
    inner = node.node
    metadata: dict[str, Any] = {} if node.score is None else {"score": float(node.score)}
    source = next((str(inner.metadata[key]) for key in _SOURCE_KEYS if inner.metadata.get(key)), None)
    return Passage(
        inner.get_content(metadata_mode=mode),
        id=inner.node_id,
        source=source or inner.ref_doc_id,
        metadata=metadata,
    )


def as_passages(
    nodes: Iterable[NodeWithScore] | None, mode: MetadataMode = MetadataMode.LLM
) -> tuple[Passage, ...]:
    """Turns what an answer was written from into passages.

    A node that occurs twice counts once. Answers to sub-questions are left out: a model wrote them, so they
    prove nothing; the nodes they were written from are among the sources too.
    """
    found: dict[tuple[str | None, str], Passage] = {}
    for node in nodes or ():
        if not _is_sub_answer(node):
            passage = as_passage(node, mode)
            found.setdefault((passage.id, passage.text), passage)
    return tuple(found.values())


def nodes_of_sources(sources: Sequence[Any]) -> list[NodeWithScore]:
    """The nodes in a chat engine's sources (`ToolOutput`s of a retriever or a query engine)."""
    nodes: list[NodeWithScore] = []
    for source in sources:
        output = getattr(source, "raw_output", None)
        held = output if isinstance(output, list) else getattr(output, "source_nodes", None)
        nodes += [node for node in held or () if isinstance(node, NodeWithScore)]
    return nodes


def holds_media(node: BaseNode) -> bool:
    """True if a node has an image, sound or video beside its text."""
    fields = ("image", "image_path", "image_url", "image_resource", "audio_resource", "video_resource")
    return any(getattr(node, name, None) for name in fields)


def _is_sub_answer(node: NodeWithScore) -> bool:
    """True for the nodes that a SubQuestionQueryEngine makes of its own answers; they carry no mark."""
    inner = node.node
    if node.score is not None or inner.metadata or inner.relationships:
        return False
    text = inner.get_content(metadata_mode=MetadataMode.NONE)
    return text.startswith("Sub question: ") and "\nResponse: " in text
