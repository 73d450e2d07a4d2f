"""Results that were computed, by question: bounded in bytes, the least recently asked for go first.

What is kept is shared and not copied: never change it.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
from collections.abc import Hashable, Iterable
from typing import Any, Final

MEGABYTE: Final = 1 << 20
MISSING: Final = object()
"""What :meth:`Memory.get` returns for a question without an answer: None may be an answer."""
LEAST: Final = 256
"""Bytes that any entry counts for: its question, and its place in the memory."""


def budget(variable: str, megabytes: int) -> int:
    """A bound in bytes: megabytes from an environment variable, else the default."""
    try:
        return max(int(float(os.environ[variable]) * MEGABYTE), 0)
    except (KeyError, ValueError):
        return megabytes * MEGABYTE


def size_of(value: Any, shared: Iterable[Any] = ()) -> int:
    """About how many bytes a result holds, without what it only borrows from ``shared`` objects.

    Arrays count by their buffers (a view counts what it looks at), frames by their columns, all
    else by its parts. Each object counts once. What a result makes for itself later (a cached
    property) is not seen.
    """
    seen: set[int] = set()
    for one in shared:
        _bytes(one, seen)
    return _bytes(value, seen)


def _bytes(value: Any, seen: set[int]) -> int:
    total, todo = 0, [value]
    while todo:
        one = todo.pop()
        if id(one) in seen or one is None or isinstance(one, type | bool | int | float):
            continue
        seen.add(id(one))
        if isinstance(one, str | bytes):
            total += sys.getsizeof(one)
        elif hasattr(one, "nbytes") and hasattr(one, "base"):  # an array
            base = one.base
            if base is None or not hasattr(base, "nbytes"):
                total += int(one.nbytes)
            else:
                todo.append(base)
        elif hasattr(one, "memory_usage"):  # a frame, a series or an index
            usage = one.memory_usage(deep=False)
            total += int(usage.sum() if hasattr(usage, "sum") else usage)
        elif isinstance(one, dict):
            total += sys.getsizeof(one)
            todo += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset):
            total += sys.getsizeof(one)
            todo += list(one)
        elif (inside := getattr(one, "__dict__", None)) is not None:
            todo.append(inside)
    return total


class _Entry:
    """An answer, its size, and when it was last asked for."""

    __slots__ = ("answer", "asked", "size")

    def __init__(self, answer: Any, size: int, asked: int) -> None:
        self.answer, self.size, self.asked = answer, size, asked


class Memory:
    """Answers by question, at most ``limit`` bytes of them. An answer that alone is larger is kept
    until the next one comes: whoever asks a question twice in a row must not compute it twice."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._kept: dict[Hashable, _Entry] = {}
        self._asked = itertools.count()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def bytes(self) -> int:
        """How many bytes the answers hold, as counted when they came."""
        return self._bytes

    def questions(self) -> list[Any]:
        """The questions that have an answer, least recently asked first."""
        with self._lock:
            return self._in_order()

    def get(self, question: Hashable) -> Any:
        """The answer, or MISSING. A screen looks some thirty times at every move of the slider, so
        a question is hashed once: its time is noted, the order is only made when some must go."""
        entry = self._kept.get(question)
        if entry is None:
            return MISSING
        entry.asked = next(self._asked)
        return entry.answer

    def put(self, question: Hashable, answer: Any, size: int) -> int:
        """Keep an answer, and return how many others had to go for it."""
        size = max(size, LEAST)
        with self._lock:
            self._drop(question)
            self._kept[question] = _Entry(answer, size, next(self._asked))
            self._bytes += size
            if self._bytes <= self.limit:
                return 0
            gone = 0
            for old in self._in_order()[:-1]:
                self._drop(old)
                gone += 1
                if self._bytes <= self.limit:
                    break
            return gone

    def clear(self) -> tuple[int, int]:
        """Forget all answers; how many they were, and their bytes."""
        with self._lock:
            gone = len(self._kept), self._bytes
            self._kept.clear()
            self._bytes = 0
            return gone

    def _in_order(self) -> list[Any]:
        return sorted(self._kept, key=lambda question: self._kept[question].asked)

    def _drop(self, question: Hashable) -> None:
        dropped = self._kept.pop(question, None)
        if dropped is not None:
            self._bytes -= dropped.size
