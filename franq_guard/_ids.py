"""Names that follow from texts, so that the same answer has the same name wherever it is recorded."""

from __future__ import annotations

import hashlib
import json

from franq_guard.schema import GuardReport


def digest(*texts: str) -> str:
    """Twelve hexadecimal digits."""
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:12]


def answer_id(report: GuardReport) -> str:
    """Names an answer to a question with these passages."""
    return digest(report.question, *(passage.text for passage in report.passages), report.answer)


def question_id(report: GuardReport) -> str:
    """Names the question; without one, every answer stands alone."""
    return digest(report.question) if report.question.strip() else answer_id(report)
