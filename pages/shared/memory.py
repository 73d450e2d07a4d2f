"""Keeps the end of every run short.

Streamlit collects garbage, all generations of it, after every run of the script, and nothing is
sent to the browser meanwhile. With a compiler, a few charting libraries and a data set in memory
that takes longer than the run itself. What is there after a screen was first drawn stays for good,
so it is put aside (``gc.freeze``): the collector then only looks at what came since.
"""

from __future__ import annotations

import gc
import sys
import threading

_lock = threading.Lock()
_modules = 0


def settle() -> None:
    """At the end of a run: put aside what is in memory, if this run has loaded modules."""
    global _modules
    if len(sys.modules) == _modules or not _lock.acquire(blocking=False):
        return
    try:
        _modules = len(sys.modules)
        gc.collect()
        gc.freeze()
    finally:
        _lock.release()
