"""The chooser: from what one accepts, or asks for, to the policy that gives most.

Three questions. :func:`maximum_loss`: the highest equality at a limited loss of NDCG.
:func:`learner_minimum`: what it costs that no learner is below τ. And, in
:mod:`equity_core.analysis.choosing.minimums`, the cheapest policy with a minimum per principle.

A policy is chosen on one part of the data (validation, where there is one) and reported on another:
equality and principles are the same on both, because they come from the lists alone; NDCG is not.
Every answer is measured on all learners, even where a sample was searched.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd

from equity_core.metrics.evaluate import Evaluation
from equity_core.metrics.intervals import intervals
from equity_core.policy import Policy
from equity_core.progress import Progress
from equity_core.reranker.search import SearchResult

SLACK = 1e-9
"""Rounding: a limit exceeded by less counts as kept."""
HALVINGS = 7
"""How often the margin is halved, where a sample was searched and the answer has to hold for all
learners."""


@dataclass(frozen=True, eq=False)
class Answer:
    """A policy, measured on all learners."""

    policy: Policy
    evaluation: Evaluation
    """On the part that is reported."""
    compared: pd.DataFrame
    """One row per measure, compared with the own lists on the part that is reported
    (:func:`equity_core.metrics.intervals.intervals`)."""
    chosen_loss: float
    """Share of NDCG lost on the part used for choosing; NaN where that is unknown."""
    unreached: int
    """Learners below the floor (0 without a floor), including those without a candidate."""
    lowest: float
    """Consistency of the worst-off learner."""

    @property
    def kind(self) -> str:
        return "lam" if self.policy.floor is None else "floor"

    @property
    def value(self) -> float:
        return self.policy.lam if self.policy.floor is None else self.policy.floor

    @property
    def loss(self) -> float:
        """Share of NDCG lost on the part that is reported; negative is a gain."""
        return -float(self.compared["relative"].loc["ndcg"])

    @property
    def equality(self) -> float:
        return self.evaluation.equality

    def row(self, measure: str) -> pd.Series:
        """One measure of ``compared``."""
        return cast(pd.Series, self.compared.loc[measure])


def _loss(ndcg: float, own: float) -> float:
    return 1.0 - ndcg / own if own > 0 else math.nan


def measure_answer(searched: SearchResult, policy: Policy) -> Answer:
    """A λ or floor of a search, measured on all learners."""
    run = searched.run(policy)
    evaluation = searched.measured(run, searched.split)
    chosen = (
        evaluation
        if searched.choosing == searched.split
        else searched.measured(run, searched.choosing)
    )
    known = evaluation.per_learner_consistency[~np.isnan(evaluation.per_learner_consistency)]
    return Answer(
        policy=policy,
        evaluation=evaluation,
        compared=intervals(evaluation, searched.own),
        chosen_loss=_loss(chosen.ndcg, searched.own_chosen),
        unreached=int((~run.reached).sum()),
        lowest=float(known.min()) if known.size else math.nan,
    )


def _checked(
    searched: SearchResult, rows: pd.DataFrame, excess: Callable[[Answer], float], sample: pd.Series
) -> Answer | None:
    """The first of some policies, best first, that holds for all learners; None if none is found.

    ``excess``: by how much an answer misses what is asked (0 or less: it holds). ``sample``: the
    same for the learners searched, by row. Where all were searched, the first policy holds.
    Otherwise, the margin that a policy needs in the sample to hold for all is found by halving,
    beginning with the policy that has the widest margin.
    """
    tried: dict[tuple[str, float], Answer] = {}

    def best(most: float) -> Answer | None:
        left = rows[sample.loc[rows.index] <= most + SLACK]
        if left.empty:
            return None
        key = (str(left["kind"].iloc[0]), float(left["value"].iloc[0]))
        answer = (
            tried.setdefault(key, measure_answer(searched, searched.policy(*key)))
            if key not in tried
            else tried[key]
        )
        return answer if excess(answer) <= SLACK else None

    found = best(0.0)
    if found is not None or rows.empty or not searched.sampled:
        return found
    low, high = float(sample.loc[rows.index].min()), 0.0
    found = best(low)
    for _ in range(HALVINGS if found is not None else 0):
        middle = (low + high) / 2
        better = best(middle)
        found, low, high = (better, middle, high) if better is not None else (found, low, middle)
    return found


# -------------------------------------------------------------------------------------------------
# maximum loss


@dataclass(frozen=True, eq=False)
class MaximumLoss:
    """The most equal λ and the most equal floor at a limited loss of NDCG; None where NDCG is
    unknown or nothing keeps the limit."""

    limit: float
    floor: Answer | None
    lam: Answer | None

    @property
    def best(self) -> Answer | None:
        """The more equal of the two; the floor if both are equally so."""
        both = [answer for answer in (self.floor, self.lam) if answer is not None]
        return max(both, key=lambda answer: answer.equality, default=None)

    @property
    def answers(self) -> list[Answer]:
        """Both, the more equal first."""
        best = self.best
        return [
            answer
            for answer in (best, self.lam if best is self.floor else self.floor)
            if answer is not None
        ]


def ranked_within(path: pd.DataFrame, limit: float, own: float) -> pd.DataFrame:
    """The policies of a path that lose at most ``limit`` of NDCG on the part used for choosing, the
    most equal first.

    Ties go to the higher NDCG, then to the smaller value. Empty where NDCG is unknown or the own
    lists find nothing.
    """
    if not own > 0:
        return path.iloc[:0]
    allowed = path[1.0 - path["chosen_ndcg"] / own <= limit + SLACK]
    return allowed.sort_values(
        ["equality", "chosen_ndcg", "value"], ascending=[False, False, True], kind="stable"
    )


def maximum_loss(
    searched: SearchResult, limit: float, progress: Progress | None = None
) -> MaximumLoss:
    """The λ and the floor of highest equality that lose at most ``limit`` (0.1 = 10 %) of the own
    lists' NDCG."""
    if not 0.0 <= limit <= 1.0:
        raise ValueError(f"the loss limit must be between 0 and 1, not {limit:g}")
    out = {}
    for kind in ("floor", "lam"):
        path = searched.path(kind)
        own = float(searched.lam["chosen_ndcg"].iloc[0])
        over = (
            1.0 - path["chosen_ndcg"] / own - limit if own > 0 else path["chosen_ndcg"] * math.nan
        )
        rows = ranked_within(path, limit, own)
        found = _checked(searched, rows, lambda answer: answer.chosen_loss - limit, over)
        # A sample may be entirely misleading; the own lists lose nothing.
        out[kind] = (
            measure_answer(searched, searched.policy(kind, 0.0))
            if found is None and len(rows)
            else found
        )
    return MaximumLoss(limit, out["floor"], out["lam"])


# --------------------------------------------------------------------------------------------------
# minimum for every learner


@dataclass(frozen=True, eq=False)
class LearnerMinimum:
    """What it takes that no learner is below a floor."""

    tau: float
    floor: Answer
    """The floor itself; those who cannot reach it get the best list found."""
    below: int
    """Learners that stay below: no λ lifts them there."""
    without_list: int
    """Learners without any candidate: nothing can be listed for them, so they count nowhere."""
    highest_floor: float
    """The highest floor that everybody reaches, in steps of 0.005; NaN if nobody has a list."""
    lam: Answer | None
    """The smallest single λ with nobody below; None if there is none."""

    @property
    def answers(self) -> list[Answer]:
        """The floor, and the λ where there is one."""
        return [self.floor, *([self.lam] if self.lam is not None else [])]


def learner_minimum(
    searched: SearchResult, tau: float, progress: Progress | None = None
) -> LearnerMinimum:
    """The price of having no learner below ``tau``, and the single λ that does the same."""
    floor = measure_answer(searched, searched.policy("floor", tau))
    without = floor.evaluation.without_list
    rows = searched.lam[searched.lam["lowest"] >= tau - SLACK]
    lam = _checked(searched, rows, lambda answer: tau - answer.lowest, tau - searched.lam["lowest"])
    highest = searched.reachable
    return LearnerMinimum(
        tau=tau,
        floor=floor,
        below=floor.unreached - without,
        without_list=without,
        highest_floor=math.floor((highest + SLACK) * 200) / 200
        if not math.isnan(highest)
        else math.nan,
        lam=lam,
    )
