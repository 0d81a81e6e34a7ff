"""What one request has gathered so far, kept apart from all others by the root of its run tree.

Frameworks report every step of a request as a run with an id and the id of its parent. Retrieval and
generation are rarely siblings, but they always share a root; so that is where state is kept.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import takewhile
from typing import Any, Generic, TypeVar

from franq_guard.errors import ConfigError
from franq_guard.schema import Passage

K = TypeVar("K", bound=Hashable)


@dataclass(slots=True)
class _Tree(Generic[K]):
    """One request: its runs that have not ended, and what they found."""

    started: float
    runs: set[K] = field(default_factory=set)
    passages: dict[str, Passage] = field(default_factory=dict)
    retrieved: bool = False
    question: str | None = None
    slots: dict[Hashable, Any] = field(default_factory=dict)


class RunStore(Generic[K]):
    """State by root run. Safe to share between threads and event loops.

    A request leaves nothing behind once its root has ended. Roots that never end (a cancelled stream, a
    client that went away) are dropped when they are too old or too many.

    Args:
        max_age: seconds after which a root that has not ended is dropped; above 0.
        max_roots: the oldest roots beyond this number are dropped; at least 1.
        clock: seconds that never go back.

    Raises:
        ConfigError: if a limit is out of range.

    Example:
        >>> runs = RunStore[str]()
        >>> runs.start("chain")
        >>> runs.start("retriever", "chain")
        >>> runs.add_passages("retriever", [Passage("It is 330 m tall.")], query="How tall is it?")
        >>> runs.question("chain"), runs.passages("chain")
        >>> runs.finish("chain")
    """

    def __init__(
        self,
        *,
        max_age: float = 3600.0,
        max_roots: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not max_age > 0:
            raise ConfigError(f"max_age must be a number of seconds above 0, got {max_age}")
        if max_roots < 1:
            raise ConfigError(f"max_roots must be at least 1, got {max_roots}")
        self._max_age = max_age
        self._max_roots = max_roots
        self._clock = clock
        self._lock = threading.Lock()
        self._roots: dict[K, K] = {}
        self._trees: dict[K, _Tree[K]] = {}  # in order of their start, so the oldest come first

    def start(self, run: K, parent: K | None = None) -> K:
        """Notes that a run has begun.

        Args:
            run: its id; starting it a second time changes nothing.
            parent: the run it belongs to; None, or one never seen, makes `run` a root.

        Returns:
            The root of its tree.
        """
        with self._lock:
            self._sweep()
            if run in self._roots:
                return self._roots[run]
            known = None if parent is None else self._roots.get(parent)
            root = run if known is None else known
            self._roots[run] = root
            if root not in self._trees:
                self._trees[root] = _Tree(self._clock())
            self._trees[root].runs.add(run)
            if len(self._trees) > self._max_roots:
                self._drop(next(iter(self._trees)))
            return root

    def root(self, run: K | None) -> K | None:
        """The root of a run's tree; None if the run is not known (any more)."""
        with self._lock:
            return None if run is None else self._roots.get(run)

    def is_root(self, run: K) -> bool:
        """True if the run is known and has no known parent."""
        return self.root(run) == run

    def add_passages(self, run: K, passages: Iterable[Passage], query: str | None = None) -> None:
        """Adds what a retrieval under this run found; nothing happens if the run is not known.

        Passages with an id or a text that is there already are left out; the order of arrival is kept.

        Args:
            run: any run of the tree.
            passages: best first; none is a finding too, see `retrieved`.
            query: what was asked; the first one given becomes the tree's question, unless it has one.
        """
        found = [(_identity(passage), passage) for passage in passages]
        with self._lock:
            tree = self._tree(run)
            if tree is None:
                return
            tree.retrieved = True
            for identity, passage in found:
                tree.passages.setdefault(identity, passage)
            if tree.question is None and query is not None and query.strip():
                tree.question = query

    def passages(self, run: K | None) -> tuple[Passage, ...]:
        """Everything retrieved under the run's root so far, in order of arrival."""
        with self._lock:
            tree = self._tree(run)
            return () if tree is None else tuple(tree.passages.values())

    def retrieved(self, run: K | None) -> bool:
        """True if a retrieval has ended under the run's root, even one that found nothing."""
        with self._lock:
            tree = self._tree(run)
            return tree is not None and tree.retrieved

    def set_question(self, run: K, question: str) -> None:
        """Sets the question of the run's tree; wins over what retrievers were asked."""
        with self._lock:
            tree = self._tree(run)
            if tree is not None:
                tree.question = question

    def question(self, run: K | None) -> str | None:
        """The question of the run's tree, or what its first retrieval was asked; None if not known."""
        with self._lock:
            tree = self._tree(run)
            return None if tree is None else tree.question

    def put(self, run: K, slot: Hashable, value: Any) -> None:
        """Keeps any value with the run's root; nothing happens if the run is not known."""
        with self._lock:
            tree = self._tree(run)
            if tree is not None:
                tree.slots[slot] = value

    def get(self, run: K | None, slot: Hashable, default: Any = None) -> Any:
        """What `put` kept under this name with the run's root."""
        with self._lock:
            tree = self._tree(run)
            return default if tree is None else tree.slots.get(slot, default)

    def finish(self, run: K) -> bool:
        """Notes that a run has ended.

        Returns:
            True if it was a root: its whole tree is gone now.
        """
        with self._lock:
            # Runs below the root stay known until it ends: events may still name them as a parent.
            if self._roots.get(run) != run:
                return False
            self._drop(run)
            return True

    def __len__(self) -> int:
        """Number of roots that have not ended."""
        with self._lock:
            return len(self._trees)

    def _tree(self, run: K | None) -> _Tree[K] | None:
        root = None if run is None else self._roots.get(run)
        return None if root is None else self._trees[root]

    def _sweep(self) -> None:
        oldest = self._clock() - self._max_age
        expired = takewhile(lambda root: self._trees[root].started < oldest, self._trees)
        for root in list(expired):
            self._drop(root)

    def _drop(self, root: K) -> None:
        for run in self._trees.pop(root).runs:
            del self._roots[run]


def _identity(passage: Passage) -> str:
    if passage.id is not None:
        return f"id:{passage.id}"
    return "text:" + blake2b(passage.text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
