"""Facts made by hand for the eight observations: every figure is set, so that the verdict is
known."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

import equity_core as eq
from equity_core.analysis.observations.draws import Draws
from equity_core.analysis.observations.facts import LAMS, STRATEGIES, Facts
from equity_core.analysis.tradeoff.density import BINS
from equity_core.metrics.evaluate import Evaluation, consistency

Floats = npt.NDArray[np.float64]
NAMES = tuple(principle.name for principle in eq.SEVEN)
EIGHT = ("toppopular", "userknn", "itemknn", "p3alpha", "rp3beta", "gmf", "itemknncb", "coupledcf")
"""Six on interactions alone, two with content metadata."""


def evaluation(values: Floats, ndcg: Floats | float = 0.1) -> Evaluation:
    """Measures of lists with these values by the seven principles; every target is 1."""
    targets = np.ones((1, len(NAMES)))
    found = consistency(targets, values)
    gains = np.full(len(values), ndcg) if isinstance(ndcg, float) else ndcg
    ids = np.array([f"u{at:05d}" for at in range(len(values))])
    return Evaluation("test", NAMES, ids, targets, values, gains, found, found)


def values(
    rng: np.random.Generator,
    learners: int,
    level: float = 0.6,
    sd: float = 0.05,
    **principles: float | tuple[float, float],
) -> Floats:
    """(learners, 7): a learner's own level, the same by every principle, plus what single ones
    have: a shift, or a shift and an sd."""
    out = np.repeat(rng.normal(level, sd, (learners, 1)), len(NAMES), axis=1)
    for name, given in principles.items():
        shift, own = given if isinstance(given, tuple) else (given, 0.0)
        out[:, NAMES.index(name)] += shift + rng.normal(0.0, 1.0, learners) * own
    return np.clip(out, 0.0, 1.0)


def facts(
    own: Mapping[str, Evaluation],
    again: Mapping[tuple[str, str, float], Evaluation] | None = None,
    past: Floats | None = None,
    scores: Mapping[str, Floats] | None = None,
    resamples: int = 200,
) -> Facts:
    """Facts with what is given; lists re-ranked are the own ones, pasts and scores say nothing,
    unless given."""
    learners = len(next(iter(own.values())).learner_ids)
    same = {
        (name, strategy, lam): found
        for name, found in own.items()
        for strategy in STRATEGIES
        for lam in LAMS
    }
    flat = np.ones((learners, BINS))
    return Facts(
        learners=learners,
        k=10,
        own=own,
        past=np.full(learners, 0.5) if past is None else past,
        again={**same, **(again or {})},
        scores=dict.fromkeys(own, flat) if scores is None else scores,
        draws=Draws(learners, resamples),
    )


def dense(learners: int, share: float) -> Floats:
    """Scores of which this share lies in the first two bins, the rest evenly above."""
    row = np.full(BINS, (1.0 - share) / (BINS - 2))
    row[:2] = share / 2
    return np.tile(row * 1000.0, (learners, 1))
