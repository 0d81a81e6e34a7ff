"""Streams of text that close their source."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable
from contextlib import aclosing, closing


def texts(pieces: Iterable[str | None]) -> Generator[str, None, None]:
    """What is text in a stream; whoever writes it is told when nobody reads on."""
    source = iter(pieces)
    try:
        yield from (piece for piece in source if piece)
    finally:
        if isinstance(source, Generator):
            source.close()


async def atexts(pieces: AsyncIterable[str | None]) -> AsyncGenerator[str, None]:
    """`texts` for event loops."""
    source = aiter(pieces)
    try:
        async for piece in source:
            if piece:
                yield piece
    finally:
        if isinstance(source, AsyncGenerator):
            await source.aclose()


def joined(head: Iterable[str], rest: Generator[str, None, None]) -> Generator[str, None, None]:
    """What was looked at already, and what comes after."""
    with closing(rest):
        yield from head
        yield from rest


async def ajoined(head: Iterable[str], rest: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    """`joined` for event loops."""
    async with aclosing(rest):
        for piece in head:
            yield piece
        async for piece in rest:
            yield piece
