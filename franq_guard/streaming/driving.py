"""Passes the pieces of an answer through its stream, in threads and on event loops."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from contextlib import suppress

from franq_guard.errors import InputError
from franq_guard.runtime.threads import ClosedError, Threads
from franq_guard.streaming.answer_stream import AnswerStream, StreamedPiece


def drive(stream: AnswerStream, pieces: Iterable[str]) -> Iterator[StreamedPiece]:
    """Yields what may be shown, as it becomes known; the source is closed when the answer ends early.

    Raises:
        InputError: if `pieces` cannot be iterated over, or gives something else than str.
        FranqGuardError: if the check fails and `on_error` is "raise".
    """
    if not isinstance(pieces, Iterable):
        raise InputError(f"pieces: expected an iterable of str, not {type(pieces).__name__}")
    return _drive(stream, pieces)


def adrive(
    stream: AnswerStream, pieces: AsyncIterable[str], threads: Threads
) -> AsyncIterator[StreamedPiece]:
    """`drive` on an event loop; the checks run on threads.

    Raises:
        InputError: as `drive`.
        FranqGuardError: as `drive`.
    """
    if not isinstance(pieces, AsyncIterable):
        raise InputError(
            f"pieces: expected an async iterable of str, not {type(pieces).__name__}; "
            "for a plain iterable use `stream`"
        )
    return _adrive(stream, pieces, threads)


def _drive(stream: AnswerStream, pieces: Iterable[str]) -> Iterator[StreamedPiece]:
    source = iter(pieces)
    try:
        for piece in source:
            found = stream.push(piece)
            if found is not None:
                yield found
            if stream.ended:
                return
        yield stream.finish()
    finally:
        close = getattr(source, "close", None)
        if close is not None:
            close()


async def _adrive(
    stream: AnswerStream, pieces: AsyncIterable[str], threads: Threads
) -> AsyncIterator[StreamedPiece]:
    source = aiter(pieces)
    # The model reads the passages while the answer's first words are still being written.
    ahead = threads.submit(stream.read_ahead)
    try:
        async for piece in source:
            if not stream.take(piece):
                continue
            yield await _advance(stream, threads, last=False)
            if stream.ended:
                return
        yield await _advance(stream, threads, last=True)
    finally:
        ahead.cancel()
        close = getattr(source, "aclose", None)
        if close is not None:
            with suppress(RuntimeError):  # another task may be waiting for its next piece
                await close()


async def _advance(stream: AnswerStream, threads: Threads, *, last: bool) -> StreamedPiece:
    try:
        return await threads.run(stream.finish if last else stream.check)
    except ClosedError as error:
        return stream.fail(error, last=last)
