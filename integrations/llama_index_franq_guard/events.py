"""Our own events in LlamaIndex's instrumentation."""

from __future__ import annotations

from typing import Any

from llama_index.core.schema import NodeWithScore
from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.base import BaseEvent
from pydantic import SkipValidation

from franq_guard import GuardReport

dispatcher = get_dispatcher(__name__)


class GuardStartEvent(BaseEvent):
    """A check of an answer begins.

    Attributes:
        question: what was asked.
        passages: how many passages the answer is held against.
    """

    question: str
    passages: int

    @classmethod
    def class_name(cls) -> str:
        """Class name."""
        return "GuardStartEvent"


class GuardEndEvent(BaseEvent):
    """A check of an answer has ended.

    Attributes:
        report: what was found out.
    """

    report: SkipValidation[GuardReport]

    @classmethod
    def class_name(cls) -> str:
        """Class name."""
        return "GuardEndEvent"

    def model_dump(self, **kwargs: Any) -> dict[str, Any]:
        """Plain data; the report as `GuardReport.to_dict` gives it."""
        exclude = {*(kwargs.pop("exclude", None) or ()), "report"}
        data = super().model_dump(exclude=exclude, **kwargs)
        return {**data, "report": self.report.to_dict()}


class EvidenceEvent(BaseEvent):
    """Nodes were screened; what is left of them is what the model will see.

    Attributes:
        query: what was asked; empty if not known.
        nodes: annotated copies of the nodes that stay.
        dropped: ids of those that do not.
    """

    query: str
    nodes: SkipValidation[list[NodeWithScore]]
    dropped: list[str]

    @classmethod
    def class_name(cls) -> str:
        """Class name."""
        return "EvidenceEvent"
