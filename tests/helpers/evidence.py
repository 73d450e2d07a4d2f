"""Evidence made by hand for the eight observations: every value is set, so the verdict is known."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

import equity_core as eq
from equity_core.analysis.observations.bootstrap import Bootstrap
from equity_core.analysis.observations.evidence import LAMS, STRATEGIES, Evidence
from equity_core.analysis.tradeoff.density import BINS
from equity_core.metrics.evaluate import Evaluation, consistency

Floats = npt.NDArray[np.float64]
NAMES = tuple(principle.name for principle in eq.SEVEN)
EIGHT = ("toppopular", "userknn", "itemknn", "p3alpha", "rp3beta", "gmf", "itemknncb", "coupledcf")
"""Six using interactions alone, two with content metadata."""


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


def evidence(
    own: Mapping[str, Evaluation],
    reranked: Mapping[tuple[str, str, float], Evaluation] | None = None,
    past: Floats | None = None,
    score_histograms: Mapping[str, Floats] | None = None,
    resamples: int = 200,
) -> Evidence:
    """Evidence with what is given; unless given, re-ranked lists are the own ones, and pasts and
    scores are all equal."""
    learners = len(next(iter(own.values())).learner_ids)
    same = {
        (name, strategy, lam): found
        for name, found in own.items()
        for strategy in STRATEGIES
        for lam in LAMS
    }
    flat = np.ones((learners, BINS))
    return Evidence(
        learners=learners,
        k=10,
        own=own,
        past=np.full(learners, 0.5) if past is None else past,
        reranked={**same, **(reranked or {})},
        score_histograms=(
            dict.fromkeys(own, flat) if score_histograms is None else score_histograms
        ),
        bootstrap=Bootstrap(learners, resamples),
    )


def dense(learners: int, share: float) -> Floats:
    """Histograms with this share of the scores in the first two bins, the rest spread evenly."""
    row = np.full(BINS, (1.0 - share) / (BINS - 2))
    row[:2] = share / 2
    return np.tile(row * 1000.0, (learners, 1))
