"""One pool of worker threads for every kernel: work is cut into ranges of learners, results land in
place.

The kernels release the GIL and share nothing, so any number of callers may compute at once, and the
result does not depend on the number of threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

_lock = threading.Lock()
_pool: tuple[int, ThreadPoolExecutor] | None = None

SMALLEST = 256
"""Learners up to which handing work to another thread costs more than it saves, where lists are
re-ranked."""
MEASURED = 4096
"""The same where lists are only measured: that takes a thirtieth of the time."""


def count() -> int:
    """Worker threads: ``EQUITY_THREADS``, else the processors this process may use."""
    given = os.environ.get("EQUITY_THREADS", "")
    if given.isdigit() and int(given) > 0:
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _workers(size: int) -> ThreadPoolExecutor:
    global _pool
    with _lock:
        if _pool is None or _pool[0] != size:
            _pool = (size, ThreadPoolExecutor(size, thread_name_prefix="equity"))
        return _pool[1]


def over_ranges(kernel: Callable[[int, int], object], total: int, smallest: int = SMALLEST) -> None:
    """Call ``kernel(lo, hi)`` on ranges that cover 0 … total, on all cores. The first error is
    raised.

    ``smallest``: up to this many, one thread does it all.
    """
    workers = count()
    if workers == 1 or total <= smallest:
        kernel(0, total)
        return
    # Four ranges per worker: learners differ in cost, and nobody should wait for one last range
    # alone.
    step = max(SMALLEST // 2, -(-total // (4 * workers)))
    pool = _workers(workers)
    for future in [pool.submit(kernel, lo, min(lo + step, total)) for lo in range(0, total, step)]:
        future.result()
