"""Sessions for data sets with many learners: curves and searches are taken on a fixed sample of
them, so that nobody is kept waiting."""

from __future__ import annotations

import numpy as np

from equity_core.bundle import Bundle
from equity_core.metrics.kernel_data import frozen, kernel_data
from equity_core.policy import Policy
from equity_core.reranker.api import Run, Session

LARGE = 6000
"""Up to this many learners, all of them are taken."""
SAMPLE = 3000
"""How many learners a sample has."""
_BLOCK = 10


class SampledSession(Session):
    """A session that re-ranks a sample only: blocks of neighbouring learners, evenly spread. The
    others' lists stay empty."""

    def __init__(self, bundle: Bundle, algorithm: str, policy: Policy, size: int = SAMPLE) -> None:
        super().__init__(bundle, algorithm, policy)
        count = len(bundle.learner_ids)
        starts = np.linspace(0, count - _BLOCK, max(1, size // _BLOCK)).astype(np.int64)
        self.blocks = [(int(lo), int(lo) + _BLOCK) for lo in np.unique(starts // _BLOCK * _BLOCK)]
        self.chosen = np.zeros(count, dtype=np.bool_)
        for lo, hi in self.blocks:
            self.chosen[lo:hi] = True

    def at_lam(self, lam: float) -> Run:
        from equity_core.reranker.kernels import lam_range

        world, count = kernel_data(self.bundle), len(self.bundle.learner_ids)
        lists, unused = np.full((count, self.policy.k), -1, dtype=np.int32), np.empty(count)
        lams = frozen(np.full(count, lam), np.float64)
        for lo, hi in self.blocks:
            lam_range(world, self.candidates, self.ask, lams, lo, min(hi, count), lists, unused)
        return self._run(
            lists, np.where(lists[:, 0] < 0, np.nan, lam), np.ones(count, dtype=np.bool_)
        )

    def at_floor(self, floor: float) -> Run:
        from equity_core.reranker.kernels import GRID, floor_range

        world, count = kernel_data(self.bundle), len(self.bundle.learner_ids)
        if self._known is None:
            self._known = np.full((count, GRID + 1), np.nan)
        lists, lam = np.full((count, self.policy.k), -1, dtype=np.int32), np.full(count, np.nan)
        reached = np.ones(count, dtype=np.bool_)
        for lo, hi in self.blocks:
            floor_range(
                world,
                self.candidates,
                self.ask,
                floor,
                self._known,
                lo,
                min(hi, count),
                lists,
                lam,
                reached,
            )
        return self._run(lists, lam, reached)


def session_for(bundle: Bundle, algorithm: str, policy: Policy) -> Session:
    """A session for paths: of all learners, or of a sample where they are many."""
    policy = policy.but(lam=0.0, floor=None)
    return (
        SampledSession(bundle, algorithm, policy)
        if len(bundle.learner_ids) > LARGE
        else Session(bundle, algorithm, policy)
    )
