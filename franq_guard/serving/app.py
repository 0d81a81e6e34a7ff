"""The service: whole checks, the alignment model for other guards, and what a cluster asks of a service."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any

import fastapi
from fastapi import Body, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from franq_guard import __version__
from franq_guard.errors import CheckTimeoutError, FranqGuardError, InputError, ModelError
from franq_guard.pipeline.deadline import Deadline
from franq_guard.runtime.time_limit import limited
from franq_guard.serving.alignment import OfferedAlignment
from franq_guard.serving.bodies import (
    AlignAnswer,
    AlignBody,
    AlignmentModelAnswer,
    CheckBody,
    CheckManyAnswer,
    CheckManyBody,
    ErrorAnswer,
    StateAnswer,
)
from franq_guard.serving.doors import Doors
from franq_guard.serving.metrics import MEDIA_TYPE, ServiceMetrics
from franq_guard.serving.settings import ServiceSettings
from franq_guard.serving.turns import Busy, Turns

if TYPE_CHECKING:
    from franq_guard.guard import Guard
    from franq_guard.schema import GuardReport

logger = logging.getLogger(__name__)

_SECONDS_BETWEEN_STARTS = 5.0
_ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": ErrorAnswer, "description": text}
    for code, text in {
        401: "The token is missing or wrong.",
        413: "The request is larger than allowed.",
        422: "The request is not understood.",
        502: "A model failed.",
        503: "Too many requests wait; come back after `Retry-After` seconds.",
        504: "It took too long.",
    }.items()
}


def create_app(
    guard: Guard | None,
    *,
    alignment: Callable[[], OfferedAlignment] | None = None,
    settings: ServiceSettings | None = None,
    local_only: bool = True,
) -> FastAPI:
    """Makes the ASGI application, for `franq-guard serve` or any other ASGI server.

    Args:
        guard: checks answers; None offers no checks. Give it a `timeout` below that of the service.
        alignment: gives the alignment model for other guards, loading it if need be; None offers none.
        settings: token and limits.
        local_only: without a token, answer only requests whose `Host` is this machine.
    """
    limits = settings or ServiceSettings()
    service = _Service(guard, alignment, limits)
    app = FastAPI(
        title="franq-guard",
        summary="How likely is each claim of a RAG answer to be true?",
        version=__version__,
        lifespan=service.lifespan,
        docs_url=None,  # their pages load scripts from elsewhere
        redoc_url=None,
        responses=_ERRORS,
    )
    app.add_middleware(
        Doors,
        token=limits.token,
        local_only=local_only,
        max_body=limits.max_body,
        metrics=service.metrics,
    )
    for kind in (FranqGuardError, Busy, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _error)
    app.get("/health", response_model=StateAnswer, summary="Whether the process runs")(service.health)
    app.get("/ready", response_model=StateAnswer, summary="Whether it can take requests")(service.ready)
    app.get("/metrics", summary="Counts and timings for Prometheus", response_class=Response)(service.scrape)
    if guard is not None:
        app.post("/v1/check", summary="Check an answer")(service.check)
        app.post("/v1/check_many", summary="Check answers together", response_model=CheckManyAnswer)(
            service.check_many
        )
    if alignment is not None:
        app.get("/v1/align", summary="The alignment model", response_model=AlignmentModelAnswer)(
            service.describe
        )
        app.post("/v1/align", summary="Score pairs of texts", response_model=AlignAnswer)(service.align)
    return app


class _Service:
    """The endpoints, and what they share."""

    def __init__(
        self,
        guard: Guard | None,
        alignment: Callable[[], OfferedAlignment] | None,
        limits: ServiceSettings,
    ) -> None:
        self._guard = guard
        self._alignment = alignment
        self._limits = limits
        self.metrics = ServiceMetrics()
        self._state = "starting"
        self._turns: Turns | None = None

    @asynccontextmanager
    async def lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        """Loads the models beside the first requests, and ends what runs."""
        self._turns = Turns(
            concurrency=self._limits.concurrency,
            max_waiting=self._limits.max_waiting,
            seconds=self._limits.timeout,
            metrics=self.metrics,
        )
        starting = asyncio.create_task(self._start())
        try:
            yield
        finally:
            self._state = "stopping"
            starting.cancel()
            self._turns.close()
            if self._guard is not None:
                self._guard.close()

    async def _start(self) -> None:
        """Loads the models; where they cannot be had yet, say from a server that is down, it tries again."""
        while True:
            try:
                await asyncio.to_thread(self._load)
            except FranqGuardError as error:
                logger.error("the models are not there yet: %s", error)
                await asyncio.sleep(_SECONDS_BETWEEN_STARTS)
            else:
                self._state = "ready"
                return

    def _load(self) -> None:
        if self._guard is not None:
            self._guard.warm_up()
        if self._alignment is not None:
            self._alignment()

    async def health(self) -> Mapping[str, str]:
        """The process runs."""
        return {"status": "ok"}

    async def ready(self) -> JSONResponse:
        """The models are loaded; 503 before and while it stops."""
        return JSONResponse({"status": self._state}, 200 if self._state == "ready" else 503)

    async def scrape(self) -> Response:
        """Counts and timings."""
        return Response(self.metrics.text(self._guard), media_type=MEDIA_TYPE)

    async def check(self, body: CheckBody) -> Response:
        """The report, as of `franq-guard check --format json`; its `text` is the guarded answer.

        A check that failed is a report with an `error` too, unless the guard's `on_error` is "raise".
        """
        [report] = await self._checked([body])
        return Response(report.to_json(), media_type="application/json")

    async def check_many(self, body: CheckManyBody) -> Response:
        """One report for each item, in order; faster than one by one."""
        if len(body.items) > self._limits.max_items:
            raise InputError(
                f"{len(body.items):,} answers at once; this service takes {self._limits.max_items:,}"
            )
        reports = await self._checked(body.items)
        return Response(
            '{"reports": [' + ", ".join(report.to_json() for report in reports) + "]}",
            media_type="application/json",
        )

    async def _checked(self, items: Sequence[CheckBody]) -> list[GuardReport]:
        guard = self._guard
        assert guard is not None  # noqa: S101 (there is no such route without one)
        reports: list[GuardReport] = await self._take_turn(
            lambda: guard.check_many([item.as_item() for item in items])
        )
        self.metrics.checked(reports)
        return reports

    async def describe(self) -> AlignmentModelAnswer:
        """The alignment model and how passages are cut for it."""
        offered = await self._take_turn(self._offered)
        languages = offered.model.languages
        return AlignmentModelAnswer(
            model=offered.model.id,
            languages=None if languages is None else sorted(languages),
            reading=offered.reading,
        )

    async def align(self, body: Annotated[AlignBody, Body()]) -> JSONResponse:
        """Three probabilities for each pair of a context and a claim."""
        if len(body.pairs) > self._limits.max_pairs:
            raise InputError(
                f"{len(body.pairs):,} pairs at once; this service takes {self._limits.max_pairs:,}"
            )
        pairs = [(context, claim) for context, claim in body.pairs]

        def score() -> dict[str, Any]:
            model = self._offered().model
            with limited(Deadline(self._limits.timeout)):
                return {"model": model.id, "scores": model.score(pairs).tolist()}

        answer = await self._take_turn(score)
        self.metrics.aligned(len(pairs))
        return JSONResponse(answer)

    def _offered(self) -> OfferedAlignment:
        assert self._alignment is not None  # noqa: S101 (there is no such route without one)
        return self._alignment()

    async def _take_turn(self, work: Callable[[], Any]) -> Any:
        assert self._turns is not None  # noqa: S101 (made before the first request)
        return await self._turns.run(work)


def _error(request: fastapi.Request, error: Exception) -> JSONResponse:
    headers: dict[str, str] = {}
    kind, message = type(error).__name__, str(error)
    if isinstance(error, HTTPException):
        status, message = error.status_code, str(error.detail)
    elif isinstance(error, RequestValidationError):
        # Only where and what; pydantic would add what was sent.
        found = [f"{'.'.join(str(part) for part in one['loc'])}: {one['msg']}" for one in error.errors()[:5]]
        status, kind, message = 422, "InputError", "; ".join(found)
    elif isinstance(error, Busy):
        status, message = 503, "too many requests wait already; come back in a second"
        headers["Retry-After"] = "1"
    elif isinstance(error, InputError):
        status = 422
    elif isinstance(error, CheckTimeoutError):
        status = 504
    else:
        status = 502 if isinstance(error, ModelError) else 500
    if status >= 500:
        logger.warning("%s failed with %d (%s)", request.url.path, status, kind)
    return JSONResponse({"error": {"type": kind, "message": message}}, status, headers)
