"""The first question: which list of k courses has the highest objective, relevance and consistency
weighed by λ?"""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equity_core.certify.model import list_model, match_counts
from equity_core.certify.pool import contenders, pool_of, pulls_of, signs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equity_core.reranker.objective import Objective

SLACK = 1e-9
"""Added to a bound: rounding."""
EXACT = 2e-6
"""A list whose value comes this close to the bound is the best one: the solver's tolerance."""


@dataclass(frozen=True)
class Best:
    """What no list can beat, and the best list found."""

    bound: float
    solved: bool
    """False where the time limit ended the search: the bound holds, but is looser."""
    courses: tuple[int, ...]
    """The best list found; empty without one."""


def judged_by(objective: Objective, lam: float) -> Objective:
    """The same learner's objective under another λ, with a weight of 1 for every principle: as
    consistency is reported."""
    other = copy.copy(objective)
    other.lam, other.weights = lam, np.ones_like(objective.weights)
    return other


def best_list(
    objective: Objective,
    k: int,
    *,
    catalogue: bool = False,
    time_limit: float = 10.0,
    gap: float = 0.0,
    known: Sequence[Sequence[int]] = (),
) -> Best:
    """The best list of k courses under the objective, as far as it can be proven in time.

    Where the best solution of the program looks better than its list is, the program is made exact
    there and solved again. ``gap``: the search may end once the bound is proven to this share of
    it; the bound holds all the same. ``known``: lists of k courses that the search may start from.
    """
    ends_at = time.perf_counter() + time_limit
    pool = pool_of(objective, catalogue)
    length = min(k, len(pool))
    if length == 0:
        return Best(float("nan"), True, ())
    pool = contenders(objective, pool, length)
    gains = (1.0 - objective.lam) * objective.relevances(pool) + objective.lam * pulls_of(
        objective, pool, signs_of(objective, pool), length
    )
    lists = [list(courses) for courses in known if len(courses) == length]
    exact = [match_counts(objective, courses) for courses in lists]
    best = max(lists, key=objective, default=[])
    value = objective(best) if best else float("-inf")
    bound, solved = float("inf"), False
    while not solved:
        model = list_model(objective, pool, length, whole=False, exact=exact)
        program = model.program
        program.constant = objective.lam * model.constant
        program.gain(model.consistency, objective.lam)
        relevance = dict(zip(model.x, objective.relevances(pool).tolist(), strict=True))
        program.gain(relevance, 1.0 - objective.lam)
        found = program.solve(max(ends_at - time.perf_counter(), 1e-3), gap)
        bound = min(bound, found.bound + SLACK)
        if found.values is not None:
            courses = model.courses(found.values, gains)
            if objective(courses) > value:
                best, value = courses, objective(courses)
            exact.append(match_counts(objective, courses))
        if not found.solved:
            break
        scale = max(abs(bound), 1.0)
        # Exact there already: what is left is rounding.
        solved = bound - value <= max(gap, EXACT) * scale or exact[-1] in exact[:-1]
    return Best(max(bound, value), solved, tuple(best))


def upper_bound(
    objective: Objective,
    k: int,
    *,
    catalogue: bool = False,
    time_limit: float = 10.0,
    gap: float = 0.0,
) -> tuple[float, bool]:
    """A number that no list of k courses can beat under the objective, and whether it was proven in
    time to be the best value there is (up to ``gap``)."""
    found = best_list(objective, k, catalogue=catalogue, time_limit=time_limit, gap=gap)
    return found.bound, found.solved
