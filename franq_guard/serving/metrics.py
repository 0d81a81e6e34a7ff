"""Numbers for a dashboard, in Prometheus' text format: counts and timings, never a text or an id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

if TYPE_CHECKING:
    from franq_guard.guard import Guard
    from franq_guard.schema import GuardReport

MEDIA_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class ServiceMetrics:
    """What the service did since it started; each service has its own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        named: dict[str, Any] = {"registry": self._registry, "namespace": "franq_guard"}
        self._requests = Counter("requests", "Requests by path and status.", ["path", "status"], **named)
        self._seconds = Histogram(
            "request_seconds", "Seconds from request to answer.", ["path"], buckets=_SECONDS, **named
        )
        self._running = Gauge("requests_running", "Requests that are worked on.", **named)
        self._waiting = Gauge("requests_waiting", "Requests that wait for their turn.", **named)
        self._answers = Counter("answers", "Checked answers by outcome.", ["outcome"], **named)
        self._claims = Counter("claims", "Claims by verdict and action.", ["verdict", "action"], **named)
        self._stages = Counter("stage_seconds", "Seconds of checks by stage.", ["stage"], **named)
        self._pairs = Counter("pairs", "Pairs of texts scored for other guards.", **named)
        self._drift = Gauge(
            "drift", "How far recent answers are off the calibrator's.", ["form", "number"], **named
        )

    def request(self, path: str, status: int, seconds: float) -> None:
        """Counts an answered request."""
        self._requests.labels(path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def refused(self, status: int) -> None:
        """Counts a request that was not let in."""
        self._requests.labels("refused", str(status)).inc()

    def load(self, running: int, waiting: int) -> None:
        """How many requests are worked on, and how many wait."""
        self._running.set(running)
        self._waiting.set(waiting)

    def checked(self, reports: Sequence[GuardReport]) -> None:
        """Counts what came out of one request; its answers share their timings."""
        for report in reports:
            acted = "blocked" if report.blocked else "changed" if report.acted else "kept"
            self._answers.labels("failed" if report.error is not None else acted).inc()
            for claim in report.claims:
                self._claims.labels(str(claim.verdict), str(claim.action)).inc()
        for stage, seconds in (reports[0].timings if reports else {}).items():
            self._stages.labels(stage).inc(max(0.0, seconds))

    def aligned(self, pairs: int) -> None:
        """Counts pairs that were scored for other guards."""
        self._pairs.inc(pairs)

    def text(self, guard: Guard | None) -> bytes:
        """All of it, with the guard's drift as it is now."""
        for report in guard.drift() if guard is not None else ():
            for name, value in report.metrics().items():
                self._drift.labels(report.form, name).set(value)
        return generate_latest(self._registry)
