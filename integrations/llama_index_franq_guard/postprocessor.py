"""FranqNodePostprocessor: screens retrieved nodes before a model sees them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
from pydantic import PrivateAttr

from franq_guard import ConfigError, Guard
from franq_guard.retrieval import PassageFinding, Problem, Screening, as_problems

from .events import EvidenceEvent, dispatcher
from .evidence import as_passage, holds_media
from .responses import METADATA_KEY, question_of


class FranqNodePostprocessor(BaseNodePostprocessor):
    """Annotates retrieved nodes with what is wrong with them, and drops some if asked.

    Put it last, behind re-rankers: then an `EvidenceEvent` tells exactly what the model will see. The nodes
    of the index are never touched: what comes back are copies with a finding under
    `metadata["franq_guard"]` (see `PassageFinding.to_dict`), which is kept out of prompts and embeddings.
    Positions in findings are those of the nodes that came in; scores and order stay.

    Args:
        guard: the guard; its `on_error` says what happens when the screening fails.
        screening: thresholds and limits.
        drop: problems for which a node is dropped: "empty", "duplicate", "conflicting", "irrelevant". Nodes
            with an image, sound or video are never dropped as empty or irrelevant, or called so.

    Raises:
        ConfigError: if an argument has the wrong type, or a problem is unknown.

    Example:
        >>> screen = FranqNodePostprocessor(guard, drop=["empty", "duplicate"])
        >>> engine = index.as_query_engine(llm=llm, node_postprocessors=[screen])
    """

    _guard: Guard = PrivateAttr()
    _screening: Screening = PrivateAttr()
    _drop: frozenset[Problem] = PrivateAttr()

    def __init__(
        self,
        guard: Guard,
        *,
        screening: Screening | None = None,
        drop: Iterable[Problem] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not isinstance(guard, Guard):
            raise ConfigError(f"guard must be a franq_guard.Guard, not {type(guard).__name__}")
        if screening is not None and not isinstance(screening, Screening):
            raise ConfigError(f"screening must be a Screening, not {type(screening).__name__}")
        self._guard = guard
        self._screening = screening or Screening()
        self._drop = as_problems(drop)

    @classmethod
    def class_name(cls) -> str:
        """Class name."""
        return "FranqNodePostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        query = question_of(query_bundle) if query_bundle else ""
        findings = self._guard.screen(query, _passages(nodes), settings=self._screening)
        return self._sorted_out(query, nodes, findings)

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        query = question_of(query_bundle) if query_bundle else ""
        findings = await self._guard.ascreen(query, _passages(nodes), settings=self._screening)
        return self._sorted_out(query, nodes, findings)

    def _sorted_out(
        self, query: str, nodes: Sequence[NodeWithScore], findings: Sequence[PassageFinding]
    ) -> list[NodeWithScore]:
        kept: list[NodeWithScore] = []
        dropped: list[str] = []
        for node, finding in zip(nodes, findings, strict=True):
            judged = _seen(node, finding)
            if self._drop.isdisjoint(judged.problems):
                kept.append(_annotated(node, judged))
            else:
                dropped.append(node.node.node_id)
        dispatcher.event(EvidenceEvent(query=query, nodes=kept, dropped=dropped))
        return kept


def _passages(nodes: Sequence[NodeWithScore]) -> list[Any]:
    # The bare text: metadata that many nodes share would make them alike.
    return [as_passage(node, MetadataMode.NONE) for node in nodes]


def _seen(node: NodeWithScore, finding: PassageFinding) -> PassageFinding:
    """The finding without what text alone cannot tell of a picture."""
    if not holds_media(node.node):
        return finding
    return PassageFinding(
        index=finding.index,
        duplicate_of=finding.duplicate_of if not finding.empty else None,
        conflicts_with=finding.conflicts_with,
        notes=finding.notes,
    )


def _annotated(node: NodeWithScore, finding: PassageFinding) -> NodeWithScore:
    inner = node.node
    copy = inner.model_copy(
        update={
            "metadata": {**inner.metadata, METADATA_KEY: finding.to_dict()},
            "excluded_llm_metadata_keys": _with_key(inner.excluded_llm_metadata_keys),
            "excluded_embed_metadata_keys": _with_key(inner.excluded_embed_metadata_keys),
        }
    )
    return NodeWithScore(node=copy, score=node.score)


def _with_key(keys: Sequence[str]) -> list[str]:
    return [*(key for key in keys if key != METADATA_KEY), METADATA_KEY]
