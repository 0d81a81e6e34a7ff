"""What a model said last, so that the same is not asked twice."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

from franq_guard.runtime.locks import ForkLock

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Remembered(Generic[Key, Value]):
    """A bounded memory of results that was used last; safe to share between threads.

    Args:
        most: results that are kept; 0 keeps none.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._known: OrderedDict[Key, Value] = OrderedDict()
        self._lock = ForkLock()

    def __len__(self) -> int:
        return len(self._known)

    def look_up(self, keys: Sequence[Key], compute: Callable[[list[int]], Iterable[Value]]) -> list[Value]:
        """One value for each key; nothing is remembered of what fails.

        Args:
            keys: what is asked for; the same key may come several times.
            compute: gives the values at these positions of `keys`, in order. Called without the lock, so that
                two callers who ask for the same at once may both compute it; not called if all is known.
        """
        first = {key: place for place, key in reversed(list(enumerate(keys)))}
        with self._lock:
            found = {key: self._known[key] for key in first if key in self._known}
        missing = sorted(place for key, place in first.items() if key not in found)
        if missing:
            found.update(zip((keys[place] for place in missing), compute(missing), strict=True))
        with self._lock:
            for key in first:
                self._known[key] = found[key]
                self._known.move_to_end(key)
            while len(self._known) > self.most:
                self._known.popitem(last=False)
        return [found[key] for key in keys]

    def forget(self) -> None:
        """Drops everything."""
        with self._lock:
            self._known.clear()
