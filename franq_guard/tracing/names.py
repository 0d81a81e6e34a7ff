"""Every name that leaves through a sink, in one place.

OpenTelemetry's conventions for evaluations and guardrails are still in development, and OpenInference's may
grow: what is theirs is spelled out here rather than imported, so that a change of theirs is one line here.
"""

from __future__ import annotations

SCOPE = "franq_guard"
"""Instrumentation scope, source and annotator of all that is emitted."""

SPAN = "franq_guard.check"

# OpenTelemetry, semantic conventions for generative AI (status: development).
EVENT = "gen_ai.evaluation.result"
EVALUATION_NAME = "gen_ai.evaluation.name"
SCORE_VALUE = "gen_ai.evaluation.score.value"
SCORE_LABEL = "gen_ai.evaluation.score.label"
EXPLANATION = "gen_ai.evaluation.explanation"
RESPONSE_ID = "gen_ai.response.id"
ERROR_TYPE = "error.type"

# OpenInference, which Phoenix reads.
SPAN_KIND = "openinference.span.kind"
INPUT_VALUE = "input.value"
OUTPUT_VALUE = "output.value"
SESSION_ID = "session.id"
EVALUATIONS = "evaluations"
OI_NAME = "evaluation.name"
OI_SCORE = "evaluation.score"
OI_LABEL = "evaluation.label"
OI_EXPLANATION = "evaluation.explanation"
OI_ANNOTATOR_KIND = "evaluation.annotator_kind"
OI_IDENTIFIER = "evaluation.identifier"
CODE = "CODE"
"""Kind of annotator, as Phoenix and MLflow call scores that a program gave."""

# Names of scores: evaluations, feedback keys, scores, assessments, annotations.
P_TRUE = "franq_guard.p_true"
DECISION = "franq_guard.decision"
CLAIM_P_TRUE = "franq_guard.claim.p_true"
CLAIM_VERDICT = "franq_guard.claim.verdict"

# Attributes of the span and of events.
PREFIX = "franq_guard."
CLAIM_PREFIX = "franq_guard.claim."
TIMINGS_PREFIX = "franq_guard.timings."

# Metrics.
METRIC_ANSWERS = "franq_guard.answers"
METRIC_CLAIMS = "franq_guard.claims"
METRIC_UNCHECKED = "franq_guard.claims.unchecked"
METRIC_P_TRUE = "franq_guard.claim.p_true"
METRIC_DURATION = "franq_guard.check.duration"
METRIC_ERRORS = "franq_guard.errors"
