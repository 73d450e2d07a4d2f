"""The chooser: from what one accepts, or asks for, to the policy that gives most.

Three questions. :func:`maximum_loss`: the highest equality at a limited loss of NDCG, with and
without confidence that the limit is kept. :func:`learner_minimum`: what it costs that no learner is
below τ. And, in :mod:`equity_core.analysis.choosing.minimums`, the cheapest policy with a minimum
per principle.

A policy is chosen on one part of the data (validation, where there is one) and reported on another:
equality and principles are the same on both, because they come from the lists alone; NDCG is not.
Every answer is measured on all learners, even where a sample was searched. Only the first question
has a limit that might be broken on other learners; what the other two ask for depends on lists
alone, and those are known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import cast

import numpy as np
import pandas as pd

from equity_core.metrics.evaluate import Evaluation
from equity_core.metrics.intervals import intervals
from equity_core.metrics.safety import (
    CONFIDENCE,
    ChangeMoments,
    OwnMoments,
    change_moments,
    in_sequence,
    missing,
    own_moments,
)
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
    change: ChangeMoments
    """What happens to learners' NDCG on the part used for choosing."""
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
        return 0.0 - float(self.compared["relative"].loc["ndcg"])  # 0, not −0

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
        change=change_moments(searched.own_on_chosen.per_learner_ndcg, chosen.per_learner_ndcg),
        unreached=int((~run.reached).sum()),
        lowest=float(known.min()) if known.size else math.nan,
    )


def _checked(
    searched: SearchResult,
    measured: Callable[[Policy], Answer],
    rows: pd.DataFrame,
    excess: Callable[[Answer], float],
    sample: pd.Series,
) -> Answer | None:
    """The first of some policies, best first, that holds for all learners; None if none is found.

    ``measured``: :func:`measure_answer`, each policy once. ``excess``: by how much an answer misses
    what is asked (0 or less: it holds). ``sample``: the same for the learners searched, by row.
    Where all were searched, the first policy holds. Otherwise, the margin that a policy needs in
    the sample to hold for all is found by halving, beginning with the policy that has the widest
    margin.
    """

    def best(most: float) -> Answer | None:
        left = rows[sample.loc[rows.index] <= most + SLACK]
        if left.empty:
            return None
        answer = measured(searched.policy(str(left["kind"].iloc[0]), float(left["value"].iloc[0])))
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
    """The most equal λ and the most equal floor at a limited loss of NDCG: those that keep the
    limit with confidence, and bolder ones that keep it on the part used for choosing, without that
    confidence. None where NDCG is unknown or the own lists find nothing."""

    limit: float
    confidence: float
    learners: int
    """How many have a course to find on the part used for choosing."""
    safe_floor: Answer | None
    safe_lam: Answer | None
    bold_floor: Answer | None
    bold_lam: Answer | None

    @property
    def safe(self) -> Answer | None:
        """The most equal policy that keeps the limit with confidence; the own lists, if nothing
        else does."""
        return _most_equal(self.safe_floor, self.safe_lam)

    @property
    def safe_other(self) -> Answer | None:
        """The same of the other kind of policy."""
        return self.safe_lam if self.safe is self.safe_floor else self.safe_floor

    @property
    def bold(self) -> Answer | None:
        """The most equal policy that keeps the limit on the part used for choosing."""
        return _most_equal(self.bold_floor, self.bold_lam)

    @property
    def answers(self) -> list[Answer]:
        """The safe one, and the bold one where it is another."""
        if self.safe is None or self.bold is None:
            return []
        return [self.safe, *([self.bold] if self.bold.policy != self.safe.policy else [])]


def _most_equal(floor: Answer | None, lam: Answer | None) -> Answer | None:
    """The more equal of the two; the floor if both are equally so, but the own lists by their plain
    name, λ = 0."""
    if floor is None or lam is None:
        return floor or lam
    if lam.value == 0 and lam.equality >= floor.equality:
        return lam
    return lam if lam.equality > floor.equality else floor


def _most_equal_first(rows: pd.DataFrame) -> pd.DataFrame:
    """Ties go to the higher NDCG, then to the smaller value."""
    return rows.sort_values(
        ["equality", "chosen_ndcg", "value"], ascending=[False, False, True], kind="stable"
    )


def ranked_within(path: pd.DataFrame, limit: float, own: float) -> pd.DataFrame:
    """The policies of a path that lose at most ``limit`` of NDCG on the part used for choosing, the
    most equal first.

    Ties go to the higher NDCG, then to the smaller value. Empty where NDCG is unknown or the own
    lists find nothing.
    """
    if not own > 0:
        return path.iloc[:0]
    return _most_equal_first(path[1.0 - path["chosen_ndcg"] / own <= limit + SLACK])


def safe_within(
    path: pd.DataFrame, limit: float, own: OwnMoments, confidence: float = CONFIDENCE
) -> pd.DataFrame:
    """The policies of a path that keep the limit with confidence, the most equal first, with a
    column ``missing`` (:func:`equity_core.metrics.safety.missing`; 0 or less is safe).

    Tested from the mildest upward and only up to the first that is not safe. The path's first
    policy leaves the own lists as they are. Empty where NDCG is unknown or the own lists find
    nothing.
    """
    if not own.mean > 0:
        return path.iloc[:0].assign(missing=math.nan)
    change = ChangeMoments(
        path["chosen_ndcg"].to_numpy() - own.mean,
        path["change_variance"].to_numpy(),
        path["change_covariance"].to_numpy(),
    )
    short = missing(own, change, limit, confidence)
    safe = in_sequence(short <= SLACK)
    return _most_equal_first(path.assign(missing=np.minimum(short, 0.0))[safe])


def maximum_loss(
    searched: SearchResult,
    limit: float,
    confidence: float = CONFIDENCE,
    progress: Progress | None = None,
) -> MaximumLoss:
    """The λ and the floor of highest equality that lose at most ``limit`` (0.1 = 10 %) of the own
    lists' NDCG: with confidence for learners like these, and on the part used for choosing.

    Where a sample was searched, an answer is one of those that are safe by the sample's own test,
    and it has to pass the test on all learners as well. The first condition alone keeps the error
    where it should be, whichever of these policies is taken; the second only removes some.
    """
    if not 0.0 <= limit <= 1.0:
        raise ValueError(f"the loss limit must be between 0 and 1, not {limit:g}")
    everybody = own_moments(searched.own_on_chosen.per_learner_ndcg)
    own = float(searched.lam["chosen_ndcg"].iloc[0])
    measured = cache(partial(measure_answer, searched))
    out: dict[str, Answer | None] = {}

    def lost_too_much(answer: Answer) -> float:
        return answer.chosen_loss - limit

    def unsafe(answer: Answer) -> float:
        if not searched.sampled or answer.value == 0:  # tested already, or the own lists
            return 0.0
        return float(missing(everybody, answer.change, limit, confidence))

    for kind in ("floor", "lam"):
        path = searched.path(kind)
        over = (
            1.0 - path["chosen_ndcg"] / own - limit if own > 0 else path["chosen_ndcg"] * math.nan
        )
        rows = ranked_within(path, limit, own)
        safe = safe_within(path, limit, searched.own_searched, confidence)
        for name, found in (
            (f"bold_{kind}", _checked(searched, measured, rows, lost_too_much, over)),
            (f"safe_{kind}", _checked(searched, measured, safe, unsafe, safe["missing"])),
        ):
            # A sample may be entirely misleading; the own lists lose nothing.
            out[name] = (
                measured(searched.policy(kind, 0.0)) if found is None and len(rows) else found
            )
    return MaximumLoss(limit, confidence, int(everybody.learners), **out)


# --------------------------------------------------------------------------------------------------
# minimum for every learner


@dataclass(frozen=True, eq=False)
class LearnerMinimum:
    """What it takes that no learner is below a floor."""

    tau: float
    floor: Answer
    """The floor itself; those who cannot reach it get the best list found."""
    below: int
    """Learners that stay below: no list was found that lifts them there."""
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
    lam = _checked(
        searched,
        cache(partial(measure_answer, searched)),
        rows,
        lambda answer: tau - answer.lowest,
        tau - searched.lam["lowest"],
    )
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
