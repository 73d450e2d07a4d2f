"""How fast the non-neural recommenders fit and write at the paper's size: 43,021 learners, 24,321
courses, 530,000 interactions.

    python -m tests.benchmarks.bench_recommenders            both tables
    python -m tests.benchmarks.bench_recommenders fit    ItemKNN and UserKNN beside implicit
    python -m tests.benchmarks.bench_recommenders write  all seven, 200 candidates per learner

Fitting: medians of five runs that alternate between the two sides; at most 1.0 (ItemKNN) and 1.2
(UserKNN) of implicit's time is the aim. Writing: in a fresh process; at most 3 minutes and 4 GB on
two cores is the aim. The data is synthetic: long-tailed and seeded.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from equity_core.recommenders.precompute import precompute_to, prepare
from equity_core.recommenders.registry import create

LEARNERS, COURSES, INTERACTIONS = 43_021, 24_321, 530_000
SEVEN = ("random", "toppopular", "userknn", "itemknn", "p3alpha", "rp3beta", "itemknncb")
RUNS = 5


def synthetic(seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A catalogue with titles and descriptions of Zipf-distributed words, and a training log with
    long tails on both sides."""
    rng = np.random.default_rng(seed)
    activity = 5 + rng.pareto(1.6, LEARNERS).clip(max=300) * 4
    activity = np.maximum(5, activity * 1.07 * INTERACTIONS / activity.sum()).astype(int)
    learner = np.repeat(np.arange(LEARNERS), activity)
    appeal = (np.arange(COURSES) + 10.0) ** -0.85
    course = rng.permutation(COURSES)[rng.choice(COURSES, len(learner), p=appeal / appeal.sum())]
    pairs = rng.permutation(np.unique(learner * COURSES + course))[:INTERACTIONS]
    log = pd.DataFrame(
        {"learner_id": pairs // COURSES, "course_id": pairs % COURSES, "split": "train"}
    )

    words = (np.arange(20_000) + 5.0) ** -1.0
    words /= words.sum()
    courses = pd.DataFrame({"course_id": np.arange(COURSES)})
    for column, length in (("title", 7), ("description", 60)):
        drawn = rng.choice(len(words), (COURSES, length), p=words)
        courses[column] = [" ".join(f"word{word}" for word in row) for row in drawn]
    return courses, log


def fitting() -> None:
    """Print the time of each fit and its ratio to implicit's."""
    from implicit.nearest_neighbours import CosineRecommender

    training, _, _ = prepare(*synthetic())
    by_course = training.matrix.T.tocsr()
    pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "itemknn": (
            lambda: create("itemknn").fit(training),
            lambda: CosineRecommender(K=100).fit(training.matrix, show_progress=False),
        ),
        "userknn": (
            lambda: create("userknn").fit(training),
            lambda: CosineRecommender(K=100).fit(by_course, show_progress=False),
        ),
    }
    print(
        f"{training.learners:,} learners, {training.catalogue:,} courses, {training.matrix.nnz:,}"
        f" interactions; {RUNS} alternating runs"
    )
    print(f"{'':10}{'ours s':>10}{'implicit s':>12}{'ratio':>8}{'ratio of CPU time':>20}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # implicit warns about its own conversion
        for name, sides in pairs.items():
            runs = [[_timed(side) for side in sides] for _ in range(RUNS + 1)][
                1:
            ]  # the first run loads and warms
            (ours, our_cpu), (theirs, their_cpu) = np.median(runs, axis=0)
            print(
                f"{name:10}{ours:10.2f}{theirs:12.2f}{ours / theirs:8.2f}"
                f"{our_cpu / their_cpu:20.2f}"
            )


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock, and of all threads together: the second says more on a machine that is
    busy with other things."""
    start, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - busy


def _write() -> None:
    courses, log = synthetic()
    print(f"{'':12}{'seconds':>9}{'CPU s':>8}{'MB':>8}")
    whole, cpu = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        for name in SEVEN:
            seconds, used = _timed(
                lambda name=name: precompute_to(Path(folder), courses, log, [name])
            )
            size = (Path(folder) / f"{name}.parquet").stat().st_size / 1e6
            print(f"{name:12}{seconds:9.1f}{used:8.1f}{size:8.1f}", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{'all':12}{time.perf_counter() - whole:9.1f}{time.process_time() - cpu:8.1f}   peak"
        f" memory {peak:.2f} GB"
    )


def writing() -> None:
    """Print time and size of each algorithm's relevance, and the peak memory of a process that
    makes them all."""
    process = multiprocessing.get_context("spawn").Process(target=_write)
    process.start()
    process.join()


if __name__ == "__main__":
    asked = sys.argv[1:] or ["fit", "write"]
    for part in asked:
        {"fit": fitting, "write": writing}[part]()
