"""Re-rank everybody's list: one λ for all, or the floor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equity_core.metrics.targets import Rows, targets_of
from equity_core.metrics.world import frozen, world_of
from equity_core.policy import Policy
from equity_core.reranker.resolve import ask_of, candidates_of, weights_of
from equity_core.threads import over_ranges

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.reranker.kernels_prepare import Ask, Candidates
    from equity_core.reranker.walked import Walked


@dataclass(frozen=True, eq=False)
class Run:
    """The lists of one policy."""

    algorithm: str
    policy: Policy
    courses: npt.NDArray[np.int32]
    """(learners, k) course positions; −1 = no course."""
    lam: npt.NDArray[np.float64]
    """The λ used per learner; NaN for a learner without a candidate."""
    reached: npt.NDArray[np.bool_]
    """Whether the floor was met; all True without a floor."""
    targets: Rows
    weights: Rows
    """The weights that steered the re-ranking."""


class Session:
    """One bundle, algorithm and policy, resolved once and run for many λ or floors: what does not
    change between them is computed once."""

    def __init__(self, bundle: Bundle, algorithm: str, policy: Policy) -> None:
        self.bundle, self.algorithm, self.policy = bundle, algorithm, policy
        self.candidates: Candidates = candidates_of(bundle, algorithm)
        self.targets = targets_of(bundle, policy)
        self.weights = weights_of(bundle, algorithm, policy)
        self.ask: Ask = ask_of(bundle, policy, self.targets, self.weights)
        self.walked: Walked | None = None
        """All lists, where a search has walked through them: they are then looked up."""
        self._known: npt.NDArray[np.float64] | None = None

    def _run(
        self,
        courses: npt.NDArray[np.int32],
        lam: npt.NDArray[np.float64],
        reached: npt.NDArray[np.bool_],
    ) -> Run:
        return Run(self.algorithm, self.policy, courses, lam, reached, self.targets, self.weights)

    def at_lam(self, lam: float) -> Run:
        """Everybody's list at one λ."""
        from equity_core.reranker.kernels import lam_range

        world, count = world_of(self.bundle), len(self.bundle.learner_ids)
        lists = None if self.walked is None else self.walked.at_lam(lam)
        if lists is None:
            made, consistency = np.empty((count, self.policy.k), dtype=np.int32), np.empty(count)
            lams = frozen(np.full(count, lam), np.float64)
            over_ranges(
                lambda lo, hi: lam_range(
                    world, self.candidates, self.ask, lams, lo, hi, made, consistency
                ),
                count,
            )
            lists = made
        return self._run(
            lists, np.where(lists[:, 0] < 0, np.nan, lam), np.ones(count, dtype=np.bool_)
        )

    def at_floor(self, floor: float) -> Run:
        """Everybody's list at the smallest λ found that meets the floor. Consistencies on the grid
        are kept for the next floor."""
        from equity_core.reranker.kernels import GRID, floor_range

        if self.walked is not None:
            courses, used, met = self.walked.at_floor(floor)
            return self._run(courses, np.where(courses[:, 0] < 0, np.nan, used), met)
        world, count = world_of(self.bundle), len(self.bundle.learner_ids)
        if self._known is None:
            self._known = np.full((count, GRID + 1), np.nan)
        known, lists = self._known, np.empty((count, self.policy.k), dtype=np.int32)
        lam, reached = np.empty(count), np.empty(count, dtype=np.bool_)
        over_ranges(
            lambda lo, hi: floor_range(
                world, self.candidates, self.ask, floor, known, lo, hi, lists, lam, reached
            ),
            count,
        )
        return self._run(lists, lam, reached)

    def run(self) -> Run:
        """The policy as it is."""
        return (
            self.at_lam(self.policy.lam)
            if self.policy.floor is None
            else self.at_floor(self.policy.floor)
        )


def rerank(bundle: Bundle, algorithm: str, policy: Policy) -> Run:
    """Everybody's list under a policy. An unknown algorithm is a KeyError; a name or learner
    unknown to the bundle a ValueError."""
    return Session(bundle, algorithm, policy).run()
