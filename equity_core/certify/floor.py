"""The second question, for a floor: which list of k courses with consistency of at least τ has the
most relevance?"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equity_core.certify.bound import SLACK, judged_by
from equity_core.certify.model import list_model, match_counts
from equity_core.certify.pool import contenders, pool_of
from equity_core.metrics.evaluate import consistency
from equity_core.reranker import kernels_prepare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equity_core.reranker.objective import Objective

MEETS = kernels_prepare.SLACK
"""How far below τ a consistency still meets it: as in the re-ranker."""
TOLERANCE = 1e-7
"""The program asks for this much less than τ, so that the solver's own tolerance leaves no list
out; a list found that is really below τ is then ruled out by name."""


@dataclass(frozen=True)
class MostRelevant:
    """The most relevance that a list with consistency ≥ τ can have, and such a list."""

    bound: float
    """No list that meets τ has more relevance; −∞ where none meets it."""
    solved: bool
    """Whether it was settled in time: the bound is the optimum, or τ is proven out of reach."""
    courses: tuple[int, ...]
    """The best list found that meets τ; empty without one."""


def reported_consistency(objective: Objective, courses: Sequence[int]) -> float:
    """Consistency of a list with a weight of 1 for every principle."""
    return float(consistency(objective.targets[None], objective.values(courses)[None])[0])


def total_relevance(objective: Objective, courses: Sequence[int]) -> float:
    """Σ R of a list."""
    return float(objective.relevances(np.asarray(courses, dtype=np.int64)).sum())


def most_relevant(
    objective: Objective,
    k: int,
    floor: float,
    *,
    catalogue: bool = False,
    time_limit: float = 10.0,
    known: Sequence[Sequence[int]] = (),
) -> MostRelevant:
    """The list of k courses with the most relevance of those with Consistency(p, q | 1) ≥ τ.

    Exact where ``solved``: a list that the program takes for consistent enough and that is not is
    ruled out, the program is made exact there and solved again, until the list found meets τ by the
    formula itself, or none is left. ``known``: lists of k courses that
    the search may start from.
    """
    ends_at = time.perf_counter() + time_limit
    judged = judged_by(objective, 0.0)
    pool = pool_of(judged, catalogue)
    length = min(k, len(pool))
    if length == 0:
        return MostRelevant(float("nan"), True, ())
    pool = contenders(judged, pool, length, apart=True)
    relevance = judged.relevances(pool)
    place = {course: at for at, course in enumerate(pool.tolist())}
    lists = [list(courses) for courses in known if len(courses) == length]
    exact = [match_counts(judged, courses) for courses in lists]
    meeting = [one for one in lists if reported_consistency(judged, one) >= floor - MEETS]
    best = max(meeting, key=lambda one: total_relevance(judged, one), default=[])
    value = total_relevance(judged, best) if best else float("-inf")
    ruled_out: list[list[int]] = []
    bound = float("inf")
    while True:
        model = list_model(judged, pool, length, whole=True, exact=exact)
        program, gains = model.program, dict(zip(model.x, relevance.tolist(), strict=True))
        program.gain(gains)
        least = floor - MEETS - TOLERANCE - model.constant
        program.row(model.consistency, at_least=least)
        if best:
            program.row(gains, at_least=value - 10.0 * TOLERANCE)
        for courses in ruled_out:
            program.row({model.x[place[one]]: 1.0 for one in courses}, at_most=length - 1.0)
        found = program.solve(max(ends_at - time.perf_counter(), 1e-3))
        bound = min(bound, found.bound + SLACK)
        if found.solved and found.values is None:
            # No list is left: none is better than the best known one, or none meets τ at all.
            return MostRelevant(max(bound, value), True, tuple(best))
        if found.values is not None:
            courses = model.courses(found.values, relevance)
            if reported_consistency(judged, courses) >= floor - MEETS:
                if total_relevance(judged, courses) > value:
                    best, value = courses, total_relevance(judged, courses)
                if found.solved:
                    return MostRelevant(max(bound, value), True, tuple(best))
            else:
                ruled_out.append(courses)
            exact.append(match_counts(judged, courses))
        if not found.solved:
            return MostRelevant(max(bound, value), False, tuple(best))
