"""FranqDocumentCompressor: looks at retrieved documents before an answer is written from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict

from franq_guard import Guard
from franq_guard.retrieval import PassageFinding, Problem, Screening

from .messages import REPORT_KEY
from .passages import as_passage


class FranqDocumentCompressor(BaseDocumentCompressor):
    """Drops documents that are no use, and says in the metadata what is wrong with others.

    Every document that stays is a copy with `metadata["franq_guard"]`: its problems ("empty", "duplicate",
    "conflicting", "irrelevant"), the positions of those it repeats or contradicts among the documents given,
    and its relevance. Use it with LangChain's `ContextualCompressionRetriever`, or as a step of a chain by
    `compress_documents`.

    Attributes:
        guard: its alignment model finds contradictions.
        drop: problems for which a document is dropped. With "conflicting", all sides of a conflict go.
        screening: thresholds and limits; None for the usual ones.

    Raises:
        ValidationError: if `drop` names an unknown problem.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    guard: Guard
    drop: frozenset[Problem] = frozenset(("empty", "duplicate"))
    screening: Screening | None = None

    def __init__(self, guard: Guard, **settings: Any) -> None:
        super().__init__(**{"guard": guard, **settings})

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks = None
    ) -> list[Document]:
        """Screens the documents found for a query.

        Args:
            documents: best first.
            query: what was looked for.
            callbacks: not used.

        Returns:
            Those that stay, in order.

        Raises:
            FranqGuardError: if the screening fails and the guard's `on_error` is "raise".
        """
        passages = [as_passage(document) for document in documents]
        return self._kept(documents, self.guard.screen(query, passages, settings=self.screening))

    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks = None
    ) -> list[Document]:
        """`compress_documents` for event loops."""
        passages = [as_passage(document) for document in documents]
        return self._kept(documents, await self.guard.ascreen(query, passages, settings=self.screening))

    def _kept(self, documents: Sequence[Document], findings: Sequence[PassageFinding]) -> list[Document]:
        return [
            document.model_copy(update={"metadata": {**document.metadata, REPORT_KEY: finding.to_dict()}})
            for document, finding in zip(documents, findings, strict=True)
            if self.drop.isdisjoint(finding.problems)
        ]
