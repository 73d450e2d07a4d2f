"""What the intervals and the test promise, measured: samples are drawn from a population whose
figures are known, again and again.

The population are the demo's learners with their lists before and after re-ranking, so that values
are as skewed, and before and after as alike, as real ones are. docs/methods.md has the figures for
more sizes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import equity_core as eq
from equity_core.metrics import Evaluation
from equity_core.metrics.intervals import MEASURES, intervals, permutation_test
from tests.helpers.samples import drawn, mixed

DEMO = Path(__file__).parents[2] / "data" / "demo"
LEARNERS = 300
ENDS = (("low", "high"), ("change_low", "change_high"), ("relative_low", "relative_high"))


@pytest.fixture(scope="module")
def population() -> tuple[Evaluation, Evaluation]:
    """Before and after."""
    policy = eq.Policy(lam=0.9, method="greedy", order="greedy")  # a change that is easy to see
    bundle = eq.load_bundle(DEMO)
    before, after = (
        eq.evaluate(bundle, eq.rerank(bundle, "userknn", policy.but(lam=lam)), policy)
        for lam in (0.0, 0.9)
    )
    return before, after


@pytest.mark.slow
def test_intervals_hold_the_truth_in_93_to_97_of_100_samples(
    population: tuple[Evaluation, Evaluation],
) -> None:
    before, after = population
    truth = {}
    for name in MEASURES:
        old, new = getattr(before, name), getattr(after, name)
        truth[name] = (new, new - old, new / old - 1.0)
    rng, rounds = np.random.default_rng(7), 2000
    hits = {(name, ends[0]): 0 for name in MEASURES for ends in ENDS}
    for _ in range(rounds):
        rows = rng.integers(0, len(before.learner_ids), LEARNERS)
        found = intervals(drawn(after, rows), drawn(before, rows)).to_dict("index")
        for name in MEASURES:
            for (low, high), value in zip(ENDS, truth[name], strict=True):
                hits[name, low] += bool(found[name][low] <= value <= found[name][high])
    shares = {key: count / rounds for key, count in hits.items()}
    assert {key: share for key, share in shares.items() if not 0.93 <= share <= 0.97} == {}


@pytest.mark.slow
def test_false_alarms_are_4_to_6_in_100(population: tuple[Evaluation, Evaluation]) -> None:
    """Each learner's two values change places by chance: nothing differs, and the test should say
    so in 95 of 100 samples."""
    before, after = population
    rng, rounds = np.random.default_rng(3), 3000
    alarms = dict.fromkeys(MEASURES, 0)
    for number in range(rounds):
        rows = rng.integers(0, len(before.learner_ids), 100)
        one, other, swap = drawn(after, rows), drawn(before, rows), rng.random(100) < 0.5
        for name in MEASURES:
            # 199 swappings: p is a multiple of 1/200, so that p ≤ 0.05 has a chance of exactly
            # 0.05.
            alarms[name] += (
                permutation_test(
                    mixed(one, other, swap),
                    mixed(other, one, swap),
                    name,
                    resamples=199,
                    seed=number,
                )
                <= 0.05
            )
    shares = {name: count / rounds for name, count in alarms.items()}
    assert {name: share for name, share in shares.items() if not 0.04 <= share <= 0.06} == {}


def test_a_real_difference_is_found(population: tuple[Evaluation, Evaluation]) -> None:
    """The simulation above would pass with a test that never looks: here it has to."""
    before, after = population
    for name in ("consistency", "equality"):
        assert permutation_test(after, before, name, resamples=199) == 1 / 200
    assert intervals(after, before).loc["consistency", "change_low"] > 0.0
