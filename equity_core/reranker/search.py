"""Search over policies: every λ and every floor on a fine grid, and what each gives.

The frames have one row per value: strategy, kind ("lam" or "floor"), value, unreached, mean_lam,
ndcg, chosen_ndcg (on the part that policies are chosen on), consistency, equality, lowest (the
consistency of the worst-off learner), and the mean of each principle. They are exact, not
interpolated: each row has the figures that the re-ranker and the measures give for its policy, to
the last digit. That is cheap because a learner's list is the same over whole stretches of λ
(:mod:`equity_core.reranker.lam_grid`), and because a floor only ever ends at one of 161 λs, so that
all floors are looked up on one grid of λ.

Where the work would keep people waiting (many learners, or long lists) the search is on a fixed
sample of learners; whoever uses what it finds checks it on all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle import Bundle
from equity_core.metrics.evaluate import Evaluation, measure
from equity_core.metrics.inequality import equality, known_mean
from equity_core.policy import Policy
from equity_core.progress import Progress, report
from equity_core.reranker.api import Run, Session
from equity_core.reranker.lam_grid import FloorLookup, LamGrid, floor_lams, rerank_grid
from equity_core.reranker.sampling import LARGE, SAMPLE, SampledSession

STEPS = 1000
"""λ and τ are searched in steps of 1/STEPS."""
COARSE = 200
"""The same where many strategies are searched at once."""
WORK = 1_000_000
"""Learners × k² up to which all learners are searched: the time of a search grows with it."""

Floats = npt.NDArray[np.float64]


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

    @cached_property
    def _own_run(self) -> Run:
        return self.session.at_lam(0.0)

    @cached_property
    def own(self) -> Evaluation:
        """The recommender's own lists of all learners, on the part that is reported."""
        return self.measured(self._own_run, self.split)

    @cached_property
    def own_chosen(self) -> float:
        """NDCG of the own lists of all learners, on the part that is chosen on."""
        return (
            self.own.ndcg
            if self.choosing == self.split
            else self.measured(self._own_run, self.choosing).ndcg
        )

    @cached_property
    def reachable(self) -> float:
        """The highest consistency that every learner can reach, all of them looked at; NaN if
        nobody has a list."""
        if not self.sampled:
            return self.everybody
        # The floor tries λ = 0, 0.05 … 1; who reaches 1 nowhere gets the best of these lists, who
        # does reach it has 1.
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
    grid: LamGrid, rows: npt.NDArray[np.int32], names: Sequence[str], split: str, choosing: str
) -> dict[str, Any]:
    """The columns of a row: ``rows`` has each learner's stretch. The same sums, in the same order,
    as eq.evaluate's."""
    consistency = grid.consistency[rows]
    have = ~np.isnan(consistency)
    known = consistency[have]
    values = grid.values[rows[have]] if have.any() else np.full((1, len(names)), np.nan)
    return {
        "ndcg": known_mean(grid.ndcg[split][rows]),
        "chosen_ndcg": known_mean(grid.ndcg[choosing][rows]),
        "consistency": known_mean(known),
        "equality": equality(np.maximum(known, 0.0)),
        "lowest": float(known.min()) if known.size else math.nan,
        **dict(zip(names, values.mean(axis=0), strict=True)),
    }


def _frames(
    grid: LamGrid,
    floors: FloorLookup,
    steps: int,
    names: Sequence[str],
    parts: tuple[str, str],
    progress: Progress | None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The paths of λ and of the floor on multiples of 1/steps."""
    lams = [number / steps for number in range(steps + 1)]
    known = floors.known[~np.isnan(floors.known)]
    # Below the lowest own list a floor asks nothing of anybody, above the best list it can do no
    # more: one floor beyond either end.
    low, high = (
        (math.floor(known.min() * steps), math.ceil(known.max() * steps))
        if known.size
        else (steps, steps)
    )
    taus = [number / steps for number in range(max(low, 0), min(high + 1, steps) + 1)]
    places = np.searchsorted(grid.lams, lams)
    everyone = np.arange(len(grid.learners))
    have = ~np.isnan(grid.known[:, 0])
    out: dict[str, list[dict[str, Any]]] = {"lam": [], "floor": []}
    for done, (lam, place) in enumerate(zip(lams, places, strict=True)):
        report(progress, done, len(lams) + len(taus))
        row = _measures(grid, grid.at[:, place], names, *parts)
        out["lam"].append(
            {
                "kind": "lam",
                "value": lam,
                "unreached": 0,
                "mean_lam": lam if have.any() else math.nan,
                **row,
            }
        )
    for done, tau in enumerate(taus):
        report(progress, len(lams) + done, len(lams) + len(taus))
        where, reached = floors.at(tau)
        row = _measures(grid, grid.at[everyone, where], names, *parts)
        out["floor"].append(
            {
                "kind": "floor",
                "value": tau,
                "unreached": int((~reached).sum()),
                "mean_lam": known_mean(grid.lams[where][have]),
                **row,
            }
        )
    return pd.DataFrame(out["lam"]), pd.DataFrame(out["floor"])


def search(
    bundle: Bundle,
    algorithm: str,
    policy: Policy,
    split: str = "test",
    choosing: str | None = None,
    steps: int = STEPS,
    progress: Progress | None = None,
) -> SearchResult:
    """Every λ and every floor in steps of 1/``steps``; the policy's own λ or floor does not
    matter."""
    policy, choosing = policy.but(lam=0.0, floor=None), choosing or split
    count = len(bundle.learner_ids)
    size = sample_size(count, policy.k)
    session = Session(bundle, algorithm, policy)
    chosen = (
        np.ones(count, dtype=np.bool_)
        if size >= count
        else SampledSession(bundle, algorithm, policy, size).chosen
    )
    learners = np.flatnonzero(chosen)
    lams = np.unique(np.concatenate([np.arange(steps + 1) / steps, floor_lams()]))

    def at(
        first: int, share: int
    ) -> Progress:  # in per cent: the walk is about three quarters of the work
        return lambda done, of: (
            None if progress is None else progress(first + share * done // max(of, 1), 100)
        )

    grid = rerank_grid(session, learners, lams, tuple(dict.fromkeys((split, choosing))), at(0, 75))
    floors = FloorLookup(grid)
    if size >= count:
        session.remember(grid, floors)
    names = [principle.name for principle in session.bundle.principles]
    lam, floor = _frames(grid, floors, steps, names, (split, choosing), at(75, 25))
    highest = floors.highest[~np.isnan(floors.highest)]
    for frame in (lam, floor):
        frame.insert(0, "strategy", policy.strategy)
        frame.attrs["learners"] = len(learners)
    return SearchResult(
        session,
        split,
        choosing,
        lam,
        floor,
        len(learners),
        float(highest.min()) if highest.size else math.nan,
    )
