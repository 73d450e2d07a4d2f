"""The certificate of one learner's list: under a λ, and under a floor."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.reranker.api import Run

NOTHING = 1e-5
"""A gain smaller than this (of an objective around 1) is none: the solver's bounds are exact to
about 2e-6."""

State = Literal["own list meets it", "met", "missed", "out of reach", "not settled"]
"""How a list stands to its floor. Missed: there are lists that meet it, but this one does not. Not
settled: this list does not meet it, and the time was too short to say whether any list does."""


def proven(value: float, bound: float) -> float:
    """value / bound, at most 1. A bound of 0 or less is no measure: 1 where the value reaches it,
    else NaN."""
    if bound > 0:
        return float(min(value / bound, 1.0)) if value == value else float("nan")
    return 1.0 if value >= bound - 1e-9 else float("nan")


def gain_share(value: float, own: float, bound: float) -> float:
    """(F(list) − F(own)) / (bound − F(own)): the share of the attainable gain, at most 1.

    Negative where the list is worse than the own one. Where nothing can be gained (the own list is
    the best one there is, within :data:`NOTHING`): 1 for a list that is as good, else NaN. As the
    bound is never too low, a share above 0 is never too high.
    """
    least = NOTHING * max(abs(bound), 1.0)
    if not bound - own > least:
        return 1.0 if value >= own - least else float("nan")
    return min((value - own) / (bound - own), 1.0)


@dataclass(frozen=True)
class Certificate:
    """What one list and the own list reach under the objective, what no list can beat, and what
    swaps would change."""

    learner: int
    lam: float
    courses: tuple[int, ...]
    objective: float
    own: float
    """The objective of the recommender's own list, under the same λ."""
    swapped_courses: tuple[int, ...]
    """The list after the swap step; the list itself without one."""
    swapped: float
    """The objective after the swap step; NaN without one."""
    bound: float
    solved: bool
    """False where the time limit ended the search: the bound holds, but is looser."""
    seconds: float

    @property
    def ratio(self) -> float:
        """The share of the best possible that the list is proven to reach."""
        return proven(self.objective, self.bound)

    @property
    def own_ratio(self) -> float:
        """The same for the own list: what doing nothing reaches."""
        return proven(self.own, self.bound)

    @property
    def swapped_ratio(self) -> float:
        """The same after the swap step."""
        return proven(self.swapped, self.bound)

    @property
    def gain_share(self) -> float:
        """The share of the attainable gain that the list is proven to reach."""
        return gain_share(self.objective, self.own, self.bound)

    @property
    def swapped_gain_share(self) -> float:
        """The same after the swap step."""
        return gain_share(self.swapped, self.own, self.bound)

    @property
    def nothing_to_gain(self) -> bool:
        """Whether the own list is proven to be the best one."""
        return self.bound - self.own <= NOTHING * max(abs(self.bound), 1.0)

    @property
    def best(self) -> bool:
        """Whether the list is proven to be the best one."""
        return self.bound - self.objective <= NOTHING * max(abs(self.bound), 1.0)

    @property
    def below_own(self) -> bool:
        """Whether the list is worse than the own one."""
        return self.objective < self.own - NOTHING * max(abs(self.bound), 1.0)


@dataclass(frozen=True)
class FloorCertificate:
    """Relevance and consistency of one list, of the own list, and of the most relevant list that
    meets the floor."""

    learner: int
    floor: float
    courses: tuple[int, ...]
    best_courses: tuple[int, ...]
    """The most relevant list found that meets the floor; empty without one."""
    relevance: float
    own_relevance: float
    optimum: float
    """No list that meets the floor has more relevance; NaN where none does."""
    consistency: float
    own_consistency: float
    highest: float
    """No list has a higher consistency; NaN where the list meets the floor."""
    state: State
    solved: bool
    """False where the time limit ended the search: what is proven holds, but is looser."""
    seconds: float

    @property
    def meets(self) -> bool:
        """Whether the list meets the floor."""
        return self.state in ("own list meets it", "met")

    @property
    def kept(self) -> float:
        """The list's relevance divided by the optimum's; NaN where the list is below the floor."""
        return proven(self.relevance, self.optimum) if self.meets else float("nan")

    @property
    def necessary(self) -> float:
        """Of the relevance that the list loses against the own one, the share that every list loses
        that meets the floor. 1 where nothing is lost; NaN where the list is below the floor."""
        if not self.meets:
            return float("nan")
        lost = self.own_relevance - self.relevance
        if lost <= NOTHING:
            return 1.0
        return min(max((self.own_relevance - self.optimum) / lost, 0.0), 1.0)

    @property
    def consistency_share(self) -> float:
        """Where the list is below the floor: its consistency divided by the highest; else NaN."""
        return float("nan") if math.isnan(self.highest) else proven(self.consistency, self.highest)


def own_lists(bundle: Bundle, run: Run) -> Run:
    """The recommender's own lists (λ = 0) for the policy of a run."""
    from equity_core.reranker.api import rerank

    return rerank(bundle, run.algorithm, run.policy.but(lam=0.0, floor=None))


def _listed(run: Run, learner: int) -> tuple[int, ...]:
    return tuple(int(course) for course in run.courses[learner] if course >= 0)


def certificate(
    bundle: Bundle,
    run: Run,
    learner: int,
    *,
    own: Run | None = None,
    swap: bool = False,
    time_limit: float = 10.0,
) -> Certificate:
    """The certificate of one learner's list under its λ. Without a list: all NaN.

    ``own``: the own lists, where they are known already.
    """
    from equity_core.certify.bound import best_list
    from equity_core.certify.pool import contenders, pool_of
    from equity_core.certify.swap import improve
    from equity_core.reranker.objective import Objective

    start, nothing = time.perf_counter(), float("nan")
    courses = _listed(run, learner)
    if not courses:
        return Certificate(learner, nothing, (), nothing, nothing, (), nothing, nothing, True, 0.0)
    objective, catalogue = Objective(bundle, run, learner), run.policy.pool == "catalogue"
    before = _listed(own_lists(bundle, run) if own is None else own, learner)
    better, swapped = list(courses), nothing
    if swap:
        pool = contenders(objective, pool_of(objective, catalogue), len(courses))
        better, swapped = improve(objective, courses, pool)
    best = best_list(
        objective,
        run.policy.k,
        catalogue=catalogue,
        time_limit=time_limit,
        known=[courses, before, better],
    )
    return Certificate(
        learner=learner,
        lam=objective.lam,
        courses=courses,
        objective=objective(courses),
        own=objective(before),
        swapped_courses=tuple(better),
        swapped=swapped,
        bound=best.bound,
        solved=best.solved,
        seconds=time.perf_counter() - start,
    )


def floor_certificate(
    bundle: Bundle, run: Run, learner: int, *, own: Run | None = None, time_limit: float = 10.0
) -> FloorCertificate:
    """The certificate of one learner's list under the floor of the run's policy. Without a list:
    all NaN, and the floor is out of reach.

    Where the own list meets the floor it is the optimum: no list has more relevance.
    """
    from equity_core.certify.bound import best_list, judged_by
    from equity_core.certify.floor import (
        MEETS,
        most_relevant,
        reported_consistency,
        total_relevance,
    )
    from equity_core.reranker.objective import Objective

    floor = run.policy.floor
    if floor is None:
        raise ValueError("the policy has no floor; use certificate for a λ")
    start, nothing = time.perf_counter(), float("nan")
    courses = _listed(run, learner)
    if not courses:
        unknown = (nothing,) * 6
        return FloorCertificate(learner, floor, (), (), *unknown, "out of reach", True, 0.0)
    objective, catalogue = Objective(bundle, run, learner), run.policy.pool == "catalogue"
    before = _listed(own_lists(bundle, run) if own is None else own, learner)
    reached, of_own = (reported_consistency(objective, one) for one in (courses, before))
    meets, highest = reached >= floor - MEETS, nothing
    if of_own >= floor - MEETS:
        best, optimum, solved = before, total_relevance(objective, before), True
    else:
        found = most_relevant(
            objective,
            run.policy.k,
            floor,
            catalogue=catalogue,
            time_limit=time_limit,
            known=[courses, before],
        )
        best, solved = found.courses, found.solved
        optimum = found.bound if best or not solved else nothing
    state: State = "missed"
    if meets:
        state = "own list meets it" if of_own >= floor - MEETS else "met"
    else:
        if not best:
            state = "out of reach" if solved else "not settled"
        most = best_list(
            judged_by(objective, 1.0),
            run.policy.k,
            catalogue=catalogue,
            time_limit=time_limit,
            known=[courses, before],
        )
        highest, solved = most.bound, solved and most.solved
    return FloorCertificate(
        learner=learner,
        floor=floor,
        courses=courses,
        best_courses=best,
        relevance=total_relevance(objective, courses),
        own_relevance=total_relevance(objective, before),
        optimum=optimum,
        consistency=reached,
        own_consistency=of_own,
        highest=highest,
        state=state,
        solved=solved,
        seconds=time.perf_counter() - start,
    )
