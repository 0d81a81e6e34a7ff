"""Do the passages entail the claims? No model is loaded here; see `franq_guard.models`."""

from __future__ import annotations

from franq_guard.alignment.aligner import Aligner, AlignmentJob, Windowing, alignscore, embedded_aligner
from franq_guard.alignment.claim_alignment import ClaimAlignment
from franq_guard.alignment.combiner import LexicalCombiner
from franq_guard.alignment.mismatch import MismatchPenalty
from franq_guard.alignment.windows import Window

__all__ = [
    "Aligner",
    "AlignmentJob",
    "ClaimAlignment",
    "LexicalCombiner",
    "MismatchPenalty",
    "Window",
    "Windowing",
    "alignscore",
    "embedded_aligner",
]
