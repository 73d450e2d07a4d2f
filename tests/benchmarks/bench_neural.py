"""How long the neural recommenders take at the paper's size: 43,021 learners, 24,321 courses,
530,000 interactions, 200 candidates each.

    python -m tests.benchmarks.bench_neural    all three: training and everybody's candidates
    python -m tests.benchmarks.bench_neural gmf             one of them
    python -m tests.benchmarks.bench_neural --epochs 3      few epochs only, to see what one takes

Each in a fresh process; at most 20 minutes altogether on two cores is the aim, and CPU seconds tell
what it costs where cores are shared. The data is synthetic and seeded: long tails on both sides,
and learners with two favourite categories of fifteen, so that there is something to learn and the
search does not end at once.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time

import numpy as np
import pandas as pd

from equity_core.recommenders.precompute import BLOCK, prepare
from equity_core.recommenders.registry import create

LEARNERS, COURSES, INTERACTIONS, CATEGORIES = 43_021, 24_321, 530_000, 15
THREE = ("gmf", "neumf", "coupledcf")
CANDIDATES = 200
LOYAL = 0.6
"""Share of a learner's courses from the two favourite categories."""


def synthetic(seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A catalogue with categories and a training log with times."""
    rng = np.random.default_rng(seed)
    activity = 5 + rng.pareto(1.6, LEARNERS).clip(max=300) * 4
    activity = np.maximum(5, activity * 1.25 * INTERACTIONS / activity.sum()).astype(int)
    learner = np.repeat(np.arange(LEARNERS), activity)

    category = np.sort(rng.integers(CATEGORIES, size=COURSES))
    appeal = rng.permutation((np.arange(COURSES) + 10.0) ** -0.85)
    ends = np.concatenate([[0.0], np.cumsum(appeal)])
    first, last = (
        np.searchsorted(category, np.arange(CATEGORIES), side=side) for side in ("left", "right")
    )
    favourites = rng.integers(CATEGORIES, size=(LEARNERS, 2))
    favourite = favourites[learner, rng.integers(2, size=len(learner))]
    loyal = rng.random(len(learner)) < LOYAL
    low, high = (
        np.where(loyal, ends[first[favourite]], 0.0),
        np.where(loyal, ends[last[favourite]], ends[-1]),
    )
    course = np.minimum(
        np.searchsorted(ends, low + rng.random(len(learner)) * (high - low), side="right") - 1,
        COURSES - 1,
    )

    pairs = rng.permutation(np.unique(learner * COURSES + course))[:INTERACTIONS]
    log = pd.DataFrame(
        {"learner_id": pairs // COURSES, "course_id": pairs % COURSES, "split": "train"}
    )
    log["timestamp"] = rng.integers(1_380_000_000, 1_510_000_000, len(log))
    return pd.DataFrame({"course_id": np.arange(COURSES), "category": category.astype(str)}), log


def measure(name: str, epochs: int | None) -> None:
    """Fit one and give everybody candidates, in blocks as precompute does; print where the time
    went."""
    training, _, _ = prepare(*synthetic())
    ticks, worked = [time.perf_counter()], time.process_time()
    algorithm = create(name, **({} if epochs is None else {"most_epochs": epochs}))
    fitted = algorithm.fit(training, lambda done, total: ticks.append(time.perf_counter()))
    trained = time.perf_counter()
    for start in range(0, training.learners, BLOCK):
        fitted.top(slice(start, min(start + BLOCK, training.learners)), CANDIDATES)
    done = time.perf_counter()
    peak, spans = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, np.diff(ticks[1:])
    print(
        f"{name:11}{trained - ticks[0]:9.0f}{done - trained:9.0f}{done - ticks[0]:9.0f}"
        f"{time.process_time() - worked:9.0f}",
        end="",
    )
    print(f"{len(spans):9d}{np.median(spans):9.1f}{peak:9.2f}", flush=True)


def main() -> None:
    """Print a line for each algorithm asked for, and the sum."""
    parser = argparse.ArgumentParser(
        description="Time and memory of the neural recommenders at the paper's size."
    )
    parser.add_argument("names", nargs="*", help=f"of {', '.join(THREE)}; all if none is given")
    parser.add_argument(
        "--epochs", type=int, help="at most so many epochs of search and of training"
    )
    asked = parser.parse_args()
    print(
        f"{LEARNERS:,} learners, {COURSES:,} courses, {INTERACTIONS:,} interactions (synthetic),"
        f" {CANDIDATES} candidates"
    )
    print(
        f"{'':11}{'train s':>9}{'top s':>9}{'all s':>9}{'CPU s':>9}{'epochs':>9}{'s each':>9}"
        f"{'GB':>9}",
        flush=True,
    )
    start = time.perf_counter()
    for name in asked.names or THREE:
        process = multiprocessing.get_context("spawn").Process(
            target=measure, args=(name, asked.epochs)
        )
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(process.exitcode)
    print(
        f"altogether {(time.perf_counter() - start) / 60:.1f} minutes, start of the processes and"
        " of the data included"
    )


if __name__ == "__main__":
    main()
