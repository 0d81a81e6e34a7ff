"""Checks of parts that you write yourself: does a model, sink or claim extractor keep its promises?

One call each; all that is wrong is said at once. In a test::

    from franq_guard.testing import check_alignment_model

    def test_my_model():
        check_alignment_model(MyModel())
"""

from __future__ import annotations

from franq_guard.testing.alignment_models import check_alignment_model
from franq_guard.testing.claim_extractors import check_claim_extractor
from franq_guard.testing.findings import ConformanceError
from franq_guard.testing.language_models import check_language_model
from franq_guard.testing.sinks import check_sink

__all__ = [
    "ConformanceError",
    "check_alignment_model",
    "check_claim_extractor",
    "check_language_model",
    "check_sink",
]
