"""Lists and measures by the slow reference, and the checks that compare a kernel's lists with it
step by step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.reference import ROUNDING, TIE, Candidates, World, consistency, equality, ndcg

GRID = [step / 20 for step in range(21)]
HALVINGS = 3


@dataclass
class Greedy:
    """A list, and whether another course was so near at some step that rounding may decide."""

    courses: tuple[int, ...]
    near_tie: bool = False


def greedy(
    world: World, learner: Any, pool: Candidates, lam: float, k: int, p: np.ndarray, w: np.ndarray
) -> Greedy:
    """Position after position the course with the highest objective; ties go to the higher
    relevance, then to the position."""
    if lam == 0:
        return Greedy(tuple(int(at) for at in pool.positions[:k]))
    twins, picked, free, near_tie = (
        world.twins(pool),
        [],
        np.ones(len(pool.positions), dtype=bool),
        False,
    )
    while len(picked) < k and free.any():
        prefix = [int(pool.positions[at]) for at in picked]
        objective = np.where(free, world.objectives(learner, prefix, pool, lam, p, w), -np.inf)
        best = max(
            np.flatnonzero(free),
            key=lambda at: (objective[at], pool.relevance[at], -pool.positions[at]),
        )
        # Courses with the same columns are computed by the same steps, so only others can come out
        # the other way round.
        near_tie |= bool(((objective > objective[best] - ROUNDING) & (twins != twins[best])).any())
        picked.append(int(best))
        free[best] = False
    return Greedy(tuple(int(pool.positions[at]) for at in picked), near_tie)


@dataclass
class Floor:
    """A learner's list under the floor, and whether rounding may lead elsewhere."""

    lam: float
    courses: tuple[int, ...]
    reached: bool
    doubtful: bool


def floor(
    world: World, learner: Any, pool: Candidates, tau: float, k: int, p: np.ndarray, w: np.ndarray
) -> Floor:
    """First λ of the grid that reaches τ, three halvings below it, upper end; else the best of the
    21 lists, smallest λ among equals."""
    doubtful = False

    def attempt(lam: float) -> tuple[tuple[int, ...], float]:
        nonlocal doubtful
        made = greedy(world, learner, pool, lam, k, p, w)
        value = float(consistency(p, world.list_values(learner, made.courses)))
        doubtful |= made.near_tie or abs(value - (tau - 1e-9)) < ROUNDING
        return made.courses, value

    if len(pool.positions) == 0:
        return Floor(math.nan, (), False, False)
    tried: list[tuple[tuple[int, ...], float]] = []
    for at, lam in enumerate(GRID):
        courses, value = attempt(lam)
        tried.append((courses, value))
        if value >= tau - 1e-9:
            if at > 0:
                low, high = GRID[at - 1], lam
                for _ in range(HALVINGS):
                    middle = (low + high) / 2
                    nearer, value = attempt(middle)
                    if value >= tau - 1e-9:
                        high, courses = middle, nearer
                    else:
                        low = middle
                lam = high
            return Floor(lam, courses, True, doubtful)
    best = max(value for _, value in tried)
    at = next(at for at, (_, value) in enumerate(tried) if value >= best - 1e-12)
    doubtful |= any(1e-12 < best - value < ROUNDING for _, value in tried)
    return Floor(GRID[at], tried[at][0], False, doubtful)


@dataclass
class Evaluation:
    ndcg: float
    consistency: float
    equality: float
    learners: pd.DataFrame
    principles: pd.DataFrame


def real(row: Sequence[int] | np.ndarray, k: int) -> tuple[int, ...]:
    """A row of positions without its padding, cut at k."""
    return tuple(int(at) for at in row[:k] if at >= 0)


def evaluate(
    world: World,
    lists: np.ndarray,
    policy: Any,
    split: str = "test",
    weights: np.ndarray | None = None,
    position: bool = False,
) -> Evaluation:
    """Every measure of the lists; w = 1 for consistency and equality, the given weights for
    weighted_consistency."""
    names = [principle.name for principle in world.principles]
    p, wanted = world.targets_of(policy), world.wanted(split)
    weights = np.ones_like(p) if weights is None else weights
    rows = []
    for row, learner in enumerate(world.learners):
        courses = real(lists[row], policy.k)
        values = (
            world.discounted_values(learner, courses)
            if position
            else world.list_values(learner, courses)
        )
        rows.append(
            {
                "ndcg": ndcg(courses, wanted[row], policy.k),
                "consistency": float(consistency(p[row], values)),
                "weighted_consistency": float(consistency(p[row], values, weights[row])),
                **dict(zip(names, values, strict=True)),
            }
        )
    learners = pd.DataFrame(rows, index=pd.Index(world.learners, name="learner_id"))
    of = learners[names]
    principles = pd.DataFrame(
        {"mean": of.mean(), "sd": of.std(ddof=0), "min": of.min(), "max": of.max()}
    )
    return Evaluation(
        learners["ndcg"].mean(),
        learners["consistency"].mean(),
        equality(learners["consistency"]),
        learners,
        principles.rename_axis("principle"),
    )


# ------------------------------------------------------------------------------------------
# the checks


def check_shape(row: np.ndarray, pool: Candidates, k: int) -> tuple[int, ...]:
    """As many courses of the pool as there are, up to k, none twice, padding after them; returns
    them."""
    courses = real(row, len(row))
    assert len(row) == k
    assert len(courses) == min(k, len(pool.positions))
    assert all(at == -1 for at in row[len(courses) :])
    assert len(set(courses)) == len(courses)
    assert set(courses) <= set(pool.positions.tolist())
    return courses


def check_steps(
    world: World,
    learner: Any,
    row: np.ndarray,
    pool: Candidates,
    lam: float,
    k: int,
    p: np.ndarray,
    w: np.ndarray,
) -> None:
    """At each position the course has the highest objective there is, given the row's own courses
    before it, to 1e-6.

    Among courses with the same columns the order is certain: higher relevance first, then the
    position in the catalogue.
    """
    courses = check_shape(row, pool, k)
    if lam == 0:
        assert courses == tuple(pool.positions[:k])
        return
    at_of, twins = {int(course): at for at, course in enumerate(pool.positions)}, world.twins(pool)
    free = np.ones(len(pool.positions), dtype=bool)
    for step, course in enumerate(courses):
        at = at_of[course]
        objective = world.objectives(learner, courses[:step], pool, lam, p, w)
        best = objective[free].max()
        assert objective[at] >= best - TIE, (
            f"learner {learner}, λ {lam}, position {step}: {course} has {objective[at]:.9f}, best"
            f" {best:.9f}"
        )
        for other in np.flatnonzero(free & (twins == twins[at])):
            assert pool.relevance[other] <= pool.relevance[at], (
                f"learner {learner}, position {step}: an equal course of higher relevance waits"
            )
            if pool.relevance[other] == pool.relevance[at]:
                assert pool.positions[other] >= course, (
                    f"learner {learner}, position {step}: an equal course comes earlier in the"
                    " catalogue"
                )
        free[at] = False


def check_floor(
    world: World,
    learner: Any,
    row: np.ndarray,
    lam: float,
    reached: bool,
    pool: Candidates,
    tau: float,
    k: int,
    p: np.ndarray,
    w: np.ndarray,
) -> bool:
    """The row is a greedy list for the λ it claims, and λ is what the procedure finds. Returns
    False where rounding may decide λ."""
    courses = check_shape(row, pool, k)
    if len(courses) == 0:
        assert math.isnan(lam)
        assert not reached
        return True
    check_steps(world, learner, row, pool, lam, k, p, w)
    value = float(consistency(p, world.list_values(learner, courses)))
    assert value >= tau - TIE if reached else value < tau + TIE
    expected = floor(world, learner, pool, tau, k, p, w)
    if expected.doubtful:
        return False
    assert (lam, reached) == (pytest.approx(expected.lam, abs=1e-12), expected.reached)
    assert courses == expected.courses
    return True
