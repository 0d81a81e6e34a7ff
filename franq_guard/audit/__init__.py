"""Audits: many stored answers checked once each, on one machine or a cluster, and resumable."""

from __future__ import annotations

from franq_guard.audit.running import AuditResult, audit
from franq_guard.audit.source import Source

__all__ = ["AuditResult", "Source", "audit"]
