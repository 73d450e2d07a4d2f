"""Search over policies: every λ and every floor on a fine grid, and what each gives.

The frames have one row per value: strategy, kind ("lam" or "floor"), value, unreached, mean_lam,
ndcg, chosen_ndcg (on the part that policies are chosen on), change_variance and change_covariance
(of NDCG there, for the test of :mod:`equity_core.metrics.safety`), consistency, equality, lowest
(the consistency of the worst-off learner), and the mean of each principle. They are exact, not
interpolated: each row has the figures that the re-ranker and the measures give for its policy, to
the last digit. That is cheap because a learner's list is the same over whole stretches of λ and of
floors (:mod:`equity_core.reranker.lam_grid`), and because a floor's search begins at one of 161 λs,
so that the beginnings of all floors are looked up on one grid of λ.

Where the work would keep people waiting (many learners, or long lists) the search is on a fixed
sample of learners; whoever uses what it finds checks it on all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle import Bundle
from equity_core.metrics.evaluate import Evaluation, measure
from equity_core.metrics.inequality import equality, known_mean
from equity_core.metrics.safety import OwnMoments, change_moments, own_moments
from equity_core.policy import Policy
from equity_core.progress import Progress, report
from equity_core.reranker.api import Run, Session
from equity_core.reranker.lam_grid import (
    FloorLookup,
    ListGrid,
    ListLookup,
    Measured,
    floor_grid,
    floor_lams,
    greedy_grid,
    lam_grid,
    measured,
)
from equity_core.reranker.sampling import LARGE, SAMPLE, SampledSession

STEPS = 1000
"""λ is searched in steps of 1/STEPS."""
FLOOR_STEPS = 200
"""τ is searched in steps of 1/FLOOR_STEPS: each of them takes swaps for every learner below it."""
COARSE = 200
"""λ where many strategies are searched at once."""
WORK = 1_000_000
"""Learners × k² up to which all learners are searched: the time of a search grows with it."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SearchResult:
    """All λ and all floors of one recommender and policy. ``session`` has all learners, even if
    only a sample was searched."""

    session: Session
    split: str
    """The part that is reported."""
    choosing: str
    """The part that is chosen on."""
    lam: pd.DataFrame
    floor: pd.DataFrame
    learners: int
    """How many were searched."""
    everybody: float
    """The highest consistency that every learner searched can reach; NaN if nobody has a list."""
    own_searched: OwnMoments
    """NDCG of the own lists of the learners searched, on the part that is chosen on."""

    @cached_property
    def _own_run(self) -> Run:
        return self.session.at_lam(0.0)

    @cached_property
    def own(self) -> Evaluation:
        """The recommender's own lists of all learners, on the part that is reported."""
        return self.measured(self._own_run, self.split)

    @cached_property
    def own_on_chosen(self) -> Evaluation:
        """The recommender's own lists of all learners, on the part that is chosen on."""
        return (
            self.own if self.choosing == self.split else self.measured(self._own_run, self.choosing)
        )

    @property
    def own_chosen(self) -> float:
        """NDCG of the own lists of all learners, on the part that is chosen on."""
        return self.own_on_chosen.ndcg

    @cached_property
    def reachable(self) -> float:
        """The highest consistency that every learner can reach, all of them looked at; NaN if
        nobody has a list."""
        if not self.sampled:
            return self.everybody
        # Who does not reach 1 gets the most consistent list found, who does has 1.
        best = self.measured(self.session.at_floor(1.0), self.split).per_learner_consistency
        known = best[~np.isnan(best)]
        return float(known.min()) if known.size else math.nan

    @property
    def sampled(self) -> bool:
        """Whether a sample was searched."""
        return self.learners < len(self.session.bundle.learner_ids)

    def path(self, kind: str) -> pd.DataFrame:
        """The frame of "lam" or "floor"."""
        return self.floor if kind == "floor" else self.lam

    def policy(self, kind: str, value: float) -> Policy:
        """A row as a policy."""
        return (
            self.session.policy.but(lam=0.0, floor=value)
            if kind == "floor"
            else self.session.policy.but(lam=value, floor=None)
        )

    def run(self, policy: Policy) -> Run:
        """The lists of everybody under a λ or floor of this search."""
        return (
            self.session.at_lam(policy.lam)
            if policy.floor is None
            else self.session.at_floor(policy.floor)
        )

    def measured(self, run: Run, part: str) -> Evaluation:
        """The measures of everybody's lists."""
        return measure(
            self.session.bundle,
            run.courses,
            self.session.targets,
            self.session.weights,
            self.session.policy.k,
            part,
        )


def sample_size(learners: int, k: int) -> int:
    """How many learners are searched: all, or as many as do not take long."""
    if learners <= LARGE and learners * k * k <= WORK:
        return learners
    return min(learners, max(200, min(SAMPLE, WORK // (k * k))))


def _measures(
    found: Measured, first: Ints, rows: Ints, names: Sequence[str], split: str, choosing: str
) -> dict[str, Any]:
    """The columns of a row: ``rows`` has each learner's stretch, ``first`` that of the own list.
    The same sums, in the same order, as eq.evaluate's."""
    consistency = found.consistency[rows]
    have = ~np.isnan(consistency)
    known = consistency[have]
    change = change_moments(found.ndcg[choosing][first], found.ndcg[choosing][rows])
    values = found.values[rows[have]] if have.any() else np.full((1, len(names)), np.nan)
    return {
        "ndcg": known_mean(found.ndcg[split][rows]),
        "chosen_ndcg": known_mean(found.ndcg[choosing][rows]),
        "change_variance": change.variance,
        "change_covariance": change.covariance,
        "consistency": known_mean(known),
        "equality": equality(np.maximum(known, 0.0)),
        "lowest": float(known.min()) if known.size else math.nan,
        **dict(zip(names, values.mean(axis=0), strict=True)),
    }


def _frame(
    session: Session,
    kind: str,
    grid: ListGrid,
    parts: tuple[str, str],
    row: Callable[[int, float], dict[str, Any]],
) -> tuple[pd.DataFrame, Measured]:
    """One row per value of a grid, whose first one leaves everybody the own list: what
    ``row(place, value)`` says of it, then the measures."""
    names = [principle.name for principle in session.bundle.principles]
    found = measured(session, grid, tuple(dict.fromkeys(parts)))
    everyone = np.zeros(len(grid.learners), dtype=np.int64)
    first = grid.stretches(everyone)
    rows = [
        {
            "strategy": session.policy.strategy,
            "kind": kind,
            "value": value,
            **row(place, value),
            **_measures(found, first, grid.stretches(everyone + place), names, *parts),
        }
        for place, value in enumerate(grid.grid.tolist())
    ]
    frame = pd.DataFrame(rows)
    frame.attrs["learners"] = len(grid.learners)
    return frame, found


def _taus(floors: FloorLookup) -> npt.NDArray[np.float64]:
    """The floors worth a search: below the lowest own list a floor asks nothing of anybody, so one
    beyond that end. Above, until 1: what swaps can reach is not known beforehand."""
    own = floors.known[:, 0][~np.isnan(floors.known[:, 0])]
    low = math.floor(own.min() * FLOOR_STEPS) if own.size else FLOOR_STEPS
    return np.arange(max(low, 0), FLOOR_STEPS + 1) / FLOOR_STEPS


def search(
    bundle: Bundle,
    algorithm: str,
    policy: Policy,
    split: str = "test",
    choosing: str | None = None,
    steps: int = STEPS,
    progress: Progress | None = None,
) -> SearchResult:
    """Every λ in steps of 1/``steps`` and every floor in steps of 1/FLOOR_STEPS; the policy's own λ
    or floor does not matter."""
    policy, choosing = policy.but(lam=0.0, floor=None), choosing or split
    count = len(bundle.learner_ids)
    size = sample_size(count, policy.k)
    session = Session(bundle, algorithm, policy)
    chosen = (
        np.ones(count, dtype=np.bool_)
        if size >= count
        else SampledSession(bundle, algorithm, policy, size).chosen
    )
    learners, parts = np.flatnonzero(chosen), (split, choosing)

    def at(first: int, share: int) -> Progress:  # in per cent of the whole
        return lambda done, of: (
            None if progress is None else progress(first + share * done // max(of, 1), 100)
        )

    floors = FloorLookup(*greedy_grid(session, learners, floor_lams(), at(0, 15)))
    lams = lam_grid(session, learners, np.arange(steps + 1) / steps, at(15, 35))
    taus, reached = floor_grid(session, floors, _taus(floors), at(50, 45))
    have = ~np.isnan(floors.known[:, 0])
    lam, at_lams = _frame(
        session,
        "lam",
        lams,
        parts,
        lambda place, value: {"unreached": 0, "mean_lam": value if have.any() else math.nan},
    )
    floor, found = _frame(
        session,
        "floor",
        taus,
        parts,
        lambda place, value: {
            "unreached": int((~reached[:, place]).sum()),
            "mean_lam": known_mean(floors.lams(value)),
        },
    )
    report(progress, 100, 100)
    if size >= count:
        session.remember(ListLookup(lams, taus, reached, floors))
    # At a floor of 1 everybody has the most consistent list found.
    last = taus.stretches(np.full(len(learners), len(taus.grid) - 1))
    highest = found.consistency[last][have]
    own = at_lams.ndcg[choosing][lams.stretches(np.zeros(len(learners), dtype=np.int64))]
    return SearchResult(
        session,
        split,
        choosing,
        lam,
        floor,
        len(learners),
        float(highest.min()) if highest.size else math.nan,
        own_moments(own),
    )
