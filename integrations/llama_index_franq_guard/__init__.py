"""The guard for LlamaIndex: query engines, chat engines, synthesizers, nodes, evaluation, events."""

from __future__ import annotations

from franq_guard.blocking import AnswerBlockedError

from .chat_engine import FranqChatEngine, GuardedStreamingChatResponse
from .evaluator import FranqEvaluator
from .event_handler import FranqEventHandler
from .events import EvidenceEvent, GuardEndEvent, GuardStartEvent
from .language_model import language_model_from
from .postprocessor import FranqNodePostprocessor
from .query_engine import FranqQueryEngine
from .responses import METADATA_KEY, report_of
from .synthesizer import FranqSynthesizer

__all__ = [
    "METADATA_KEY",
    "AnswerBlockedError",
    "EvidenceEvent",
    "FranqChatEngine",
    "FranqEvaluator",
    "FranqEventHandler",
    "FranqNodePostprocessor",
    "FranqQueryEngine",
    "FranqSynthesizer",
    "GuardEndEvent",
    "GuardStartEvent",
    "GuardedStreamingChatResponse",
    "language_model_from",
    "report_of",
]
