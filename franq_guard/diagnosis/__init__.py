"""Why a claim is doubtful: five triggers, each a small rule on what the pipeline knows already."""

from __future__ import annotations

from franq_guard.diagnosis.case import Case
from franq_guard.diagnosis.diagnose import RULES, diagnose, judge_wording

__all__ = ["RULES", "Case", "diagnose", "judge_wording"]
