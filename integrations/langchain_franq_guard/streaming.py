"""Guards an answer while it is being written: text waits until it was scored, everything else passes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.runnables import RunnableConfig

from franq_guard.inputs import CheckInput, as_input

from .checking import Checker, RunManager, mark_guarded
from .events import adispatch_claims, dispatch_claims
from .feed import Feed


def stream_guarded(
    checker: Checker, chunks: Iterator[Any], run_manager: RunManager, config: RunnableConfig
) -> Iterator[Any]:
    """Releases an answer sentence by sentence, each after it was scored."""
    mark_guarded(run_manager)
    feed = Feed(checker, run_manager)
    ready = False
    for chunk in chunks:
        feed.take(chunk)
        yield from feed.others()
        # Asking again needs the whole answer first.
        if checker.reask is None and (ready := feed.ready()):
            break
    if not ready and not feed.ready(ended=True):
        yield from feed.nothing()
    elif checker.reask is not None:
        yield from _whole(checker, feed, run_manager, config)
    else:
        yield from _by_sentence(checker, feed, chunks, run_manager, config)


async def astream_guarded(
    checker: Checker, chunks: AsyncIterator[Any], run_manager: RunManager, config: RunnableConfig
) -> AsyncIterator[Any]:
    """`stream_guarded` for event loops."""
    mark_guarded(run_manager)
    feed = Feed(checker, run_manager)
    ready = False
    async for chunk in chunks:
        feed.take(chunk)
        for other in feed.others():
            yield other
        if checker.reask is None and (ready := feed.ready()):
            break
    if not ready and not feed.ready(ended=True):
        for empty in feed.nothing():
            yield empty
        return
    if checker.reask is not None:
        rest = _awhole(checker, feed, run_manager, config)
    else:
        rest = _aby_sentence(checker, feed, chunks, run_manager, config)
    async for guarded in rest:
        yield guarded


def _by_sentence(
    checker: Checker, feed: Feed, chunks: Iterator[Any], run_manager: RunManager, config: RunnableConfig
) -> Iterator[Any]:
    def pieces() -> Iterator[str]:
        yield feed.texts()
        for chunk in chunks:
            feed.take(chunk)
            yield feed.texts()

    correlation = checker.correlation(run_manager, config)
    stream = checker.guard.stream(feed.question, feed.passages, pieces(), correlation=correlation)
    for piece in stream:
        yield from feed.others()
        dispatch_claims(piece.claims, config)
        checker.raise_if_blocked(piece.claims, piece.report)
        if piece.text:
            yield feed.checked(piece.text)
        if piece.report is not None:
            yield from feed.closing(piece.report)
    # Where the guard ended the answer early, what comes besides text still passes.
    for chunk in chunks:
        feed.take(chunk)
        yield from feed.others()


async def _aby_sentence(
    checker: Checker,
    feed: Feed,
    chunks: AsyncIterator[Any],
    run_manager: RunManager,
    config: RunnableConfig,
) -> AsyncIterator[Any]:
    async def pieces() -> AsyncIterator[str]:
        yield feed.texts()
        async for chunk in chunks:
            feed.take(chunk)
            yield feed.texts()

    correlation = checker.correlation(run_manager, config)
    stream = checker.guard.astream(feed.question, feed.passages, pieces(), correlation=correlation)
    async for piece in stream:
        for other in feed.others():
            yield other
        await adispatch_claims(piece.claims, config)
        checker.raise_if_blocked(piece.claims, piece.report)
        if piece.text:
            yield feed.checked(piece.text)
        if piece.report is not None:
            for last in feed.closing(piece.report):
                yield last
    async for chunk in chunks:
        feed.take(chunk)
        for other in feed.others():
            yield other


def _whole(checker: Checker, feed: Feed, run_manager: RunManager, config: RunnableConfig) -> Iterator[Any]:
    item = _item(checker, feed, run_manager, config)
    report = checker.reasked(item, checker.guard.check_many([item])[0], config)
    dispatch_claims(report.claims, config)
    checker.raise_if_blocked(report.claims, report)
    yield feed.checked(report.text)
    yield from feed.closing(report)


async def _awhole(
    checker: Checker, feed: Feed, run_manager: RunManager, config: RunnableConfig
) -> AsyncIterator[Any]:
    item = _item(checker, feed, run_manager, config)
    [report] = await checker.guard.acheck_many([item])
    report = await checker.areasked(item, report, config)
    await adispatch_claims(report.claims, config)
    checker.raise_if_blocked(report.claims, report)
    yield feed.checked(report.text)
    for last in feed.closing(report):
        yield last


def _item(checker: Checker, feed: Feed, run_manager: RunManager, config: RunnableConfig) -> CheckInput:
    correlation = checker.correlation(run_manager, config)
    return as_input(feed.question, feed.passages, feed.texts(), None, correlation)
