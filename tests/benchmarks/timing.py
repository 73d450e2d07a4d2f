"""What the benchmarks share: the best of several alternating runs, tables, and a description of the
machine."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path


def best_of(jobs: Mapping[str, Callable[[], object]], rounds: int = 7) -> dict[str, float]:
    """Seconds of the best run of each job; the jobs alternate, so that a noisy moment hits all of
    them alike.

    Each timed run follows a run of the same job: caches are then as warm for one as for the other,
    and the threads of a linear algebra library that the job before has used have stopped spinning.
    """
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            time.sleep(0.02)
            job()
            start = time.perf_counter()
            job()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def peak_memory() -> float:
    """Highest resident memory of this process so far, in GB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def machine() -> str:
    """Processor, cores and Python, in a line."""
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{model}, {cores} cores, Python {platform.python_version()}"


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table."""
    heads = list(heads)
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)
