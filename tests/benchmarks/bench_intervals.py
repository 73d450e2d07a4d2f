"""`make bench-intervals`: bootstrap intervals and the permutation test at the paper's size,
certificates of the demo, and how far intervals, tests and verdicts keep what they promise.

43,021 learners, 1,000 resamples: the first time (draws included), then for other lists of the same
learners (draws kept).
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

import equity_core as eq
from equity_core.certify import certify
from equity_core.metrics import Evaluation
from equity_core.metrics.intervals import (
    MEASURES,
    RESAMPLES,
    drawn_counts,
    intervals,
    permutation_test,
)
from tests.benchmarks import coverage
from tests.benchmarks.timing import machine, table

LEARNERS = 43_021
ROUNDS = 5
DEMO = Path(__file__).parents[2] / "data" / "demo"


def evaluation(seed: int) -> Evaluation:
    """Measures of the paper's number of learners; a third have nothing to find."""
    rng = np.random.default_rng(seed)
    consistency = rng.beta(30, 20, LEARNERS)
    ndcg = np.where(
        rng.random(LEARNERS) < 0.33,
        np.nan,
        np.where(rng.random(LEARNERS) < 0.15, rng.random(LEARNERS), 0.0),
    )
    return Evaluation(
        "test",
        ("a",),
        np.arange(LEARNERS),
        np.ones((1, 1)),
        np.ones((LEARNERS, 1)),
        ndcg,
        consistency,
        consistency,
    )


def seconds(job: object) -> float:
    start = time.perf_counter()
    job()  # type: ignore[operator]
    return time.perf_counter() - start


def main() -> None:
    """Print the tables."""
    eq.warm()
    print(f"{machine()}\n")
    first, later, paired, tests = [], [], [], []
    for number in range(ROUNDS):
        before, after, other = (evaluation(3 * number + at) for at in range(3))
        drawn_counts.cache_clear()
        first.append(seconds(lambda one=before: intervals(one)))
        later.append(seconds(lambda one=after: intervals(one)))
        paired.append(seconds(lambda one=other, two=after: intervals(one, two)))
    for name in MEASURES:
        tests.append(
            (
                name,
                min(seconds(lambda m=name: permutation_test(after, before, m)) for _ in range(2)),
            )
        )
    rows = [
        ("intervals of three measures, the first time", f"{min(first):.2f} s"),
        ("the same for other lists, draws kept", f"{min(later):.2f} s"),
        ("a change against measured lists, paired", f"{min(paired):.2f} s"),
        *((f"paired permutation test of {name}", f"{took:.2f} s") for name, took in tests),
    ]
    print(table((f"{LEARNERS:,} learners, {RESAMPLES:,} resamples", "best"), rows), "\n")
    bundle = eq.load_bundle(DEMO)
    run = eq.rerank(bundle, "userknn", eq.Policy(lam=0.9))
    start = time.perf_counter()
    found = certify(bundle, run, sample=200, swap=True)
    took = time.perf_counter() - start
    rows = [
        ("200 certificates, with swaps", f"{took:.1f} s"),
        ("searches ended in time", f"{found['solved'].mean():.0%}"),
        *(
            (f"{what}: mean, worst", f"{found[column].mean():.4f}, {found[column].min():.4f}")
            for what, column in (
                ("ratio to the bound", "ratio"),
                ("the same for the own lists", "own_ratio"),
                ("share of the attainable gain", "gain_share"),
                ("the same after swaps", "swapped_gain_share"),
            )
        ),
    ]
    print(table(("the demo, UserKNN, λ = 0.9, k = 10", "measured"), rows), "\n")
    coverage.main()


if __name__ == "__main__":
    main()
