"""Sessions for data sets with many learners: curves and searches are taken on a fixed sample of
them, so that nobody is kept waiting."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from equity_core.bundle import Bundle
from equity_core.policy import Policy
from equity_core.reranker.api import Session

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

    def _over_learners(self, kernel: Callable[[int, int], object]) -> None:
        count = len(self.bundle.learner_ids)
        for lo, hi in self.blocks:
            kernel(lo, min(hi, count))


def session_for(bundle: Bundle, algorithm: str, policy: Policy) -> Session:
    """A session for paths: of all learners, or of a sample where they are many."""
    policy = policy.but(lam=0.0, floor=None)
    return (
        SampledSession(bundle, algorithm, policy)
        if len(bundle.learner_ids) > LARGE
        else Session(bundle, algorithm, policy)
    )
