"""Answers that are checked while they are being written: text is held back one sentence long."""

from franq_guard.streaming.answer_stream import AnswerStream, StreamedPiece
from franq_guard.streaming.driving import adrive, drive

__all__ = ["AnswerStream", "StreamedPiece", "adrive", "drive"]
