"""Evidence for the eight observations without anything to observe."""

from __future__ import annotations

import numpy as np

from equity_core.analysis.observations.evidence import LAMS, STRATEGIES, Evidence
from tests.helpers.evidence import EIGHT, NAMES, dense, evaluation, evidence


def no_effect(seed: int) -> Evidence:
    """Evidence whose recommenders, strategies, principles, pasts and scores are shuffled: whatever
    goes together does so by chance.

    Every learner has a level of their own, so that the lists of different recommenders
    for the same learner are similar, as in real data.
    """
    rng, learners = np.random.default_rng(seed), 80
    level = rng.normal(0.6, 0.05, (learners, 1))

    def lists():
        some = np.clip(level + rng.normal(0, 0.06, (learners, len(NAMES))), 0, 1)
        return evaluation(rng.permuted(some, axis=1), rng.exponential(0.1, learners))

    own = {name: lists() for name in EIGHT}
    again = {
        (name, strategy, lam): lists() for name in EIGHT for strategy in STRATEGIES for lam in LAMS
    }
    scores = {name: dense(learners, rng.uniform(0.2, 0.9)) for name in EIGHT}
    return evidence(own, again, rng.uniform(0.3, 0.9, learners), scores, resamples=200)
