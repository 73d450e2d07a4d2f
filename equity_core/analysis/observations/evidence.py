"""The evidence for all eight checks, computed once: own lists, pasts, re-ranked lists, and how the
relevance scores are distributed.

With more learners than ``sampling.LARGE``, the evidence comes from the same fixed sample as the
paths of the Trade-off screen (:class:`equity_core.reranker.sampling.SampledSession`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from equity_core.analysis.audit.past import past_consistency
from equity_core.analysis.data.provenance import incomparable_principles
from equity_core.analysis.observations.bootstrap import Bootstrap
from equity_core.analysis.tradeoff.density import BINS, scaled
from equity_core.analysis.words import join
from equity_core.bundle import Bundle
from equity_core.bundle.relevance import Relevance
from equity_core.metrics.evaluate import Evaluation, measure
from equity_core.policy import FIRST_EDITION, Policy
from equity_core.progress import Progress, report
from equity_core.reranker.api import Run, Session
from equity_core.reranker.sampling import SampledSession, session_for

Floats = npt.NDArray[np.float64]
LAMS = (0.25, 0.5, 0.75, 0.99)
"""The paper's λ."""
STRATEGIES = ("glob", "user", "pers")
CHECKS = 8
FEWEST = 20
"""With fewer learners that have a list, an interval over learners says nothing."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Measures of the learners used, all in the same order. ``learners``: how many the data set
    has."""

    learners: int
    k: int
    own: Mapping[str, Evaluation]
    """By algorithm: the measures of its own lists."""
    past: Floats
    """Consistency of each learner's past."""
    reranked: Mapping[tuple[str, str, float], Evaluation] = field(default_factory=dict)
    """By algorithm, strategy and λ: the measures of the re-ranked lists."""
    score_histograms: Mapping[str, Floats] = field(default_factory=dict)
    """By algorithm: :func:`score_histograms`."""
    bootstrap: Bootstrap = field(default_factory=lambda: Bootstrap(0))
    incomparable: Mapping[str, str] = field(default_factory=dict)
    """By principle: why its figures cannot be compared with the paper's."""

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms that have a list for enough learners."""
        return tuple(
            name
            for name, found in self.own.items()
            if int((~np.isnan(found.per_learner_consistency)).sum()) >= FEWEST
        )

    @property
    def sampled(self) -> bool:
        """Whether the evidence comes from a sample of the learners."""
        return len(self.past) < self.learners


def why_unchecked(evidence: Evidence, needed: tuple[str, ...] = ()) -> str:
    """Why a check that needs these principles cannot be made; empty if it can."""
    if not evidence.algorithms:
        return (
            f"no recommender has a list for {FEWEST} learners, and an interval over fewer says"
            " nothing"
        )
    missing = sorted(set(needed) - set(next(iter(evidence.own.values())).names))
    return f"this data set does not have {join(missing)} among its principles" if missing else ""


def _restrict(evaluation: Evaluation, chosen: npt.NDArray[np.bool_]) -> Evaluation:
    """The measures of the chosen learners only."""
    if chosen.all():
        return evaluation
    return replace(
        evaluation,
        learner_ids=evaluation.learner_ids[chosen],
        targets=evaluation.targets[chosen] if len(evaluation.targets) > 1 else evaluation.targets,
        values=evaluation.values[chosen],
        per_learner_ndcg=evaluation.per_learner_ndcg[chosen],
        per_learner_consistency=evaluation.per_learner_consistency[chosen],
        per_learner_weighted=evaluation.per_learner_weighted[chosen],
    )


def score_histograms(relevance: Relevance) -> Floats:
    """(learners, BINS): how many candidates of each learner are in each bin of scaled relevance, as
    in :mod:`equity_core.analysis.tradeoff.density`."""
    edges = np.linspace(0.0, 1.0, BINS + 1)
    at = np.minimum(np.searchsorted(edges, scaled(relevance), side="right") - 1, BINS - 1)
    learner = np.repeat(np.arange(len(relevance.indptr) - 1), np.diff(relevance.indptr))
    counted: Floats = np.bincount(
        learner * BINS + at, minlength=(len(relevance.indptr) - 1) * BINS
    ).astype(np.float64)
    return counted.reshape(-1, BINS)


def gather_evidence(
    bundle: Bundle, policy: Policy, split: str = "test", progress: Progress | None = None
) -> Evidence:
    """Everything the eight checks need. λ, floor, strategy and weights of the policy do not matter:
    the checks have their own. Nor does how its lists are made and ordered: the claims are about the
    paper's procedure.

    ``progress`` counts one step per policy evaluated, and leaves CHECKS steps for the checks.
    """
    policy = policy.but(lam=0.0, floor=None, strategy="glob", weights=None, **FIRST_EDITION)
    steps = [(algorithm, strategy) for algorithm in bundle.algorithms for strategy in STRATEGIES]
    total, done = len(bundle.algorithms) + len(steps) * len(LAMS) + CHECKS, 0
    own: dict[str, Evaluation] = {}
    reranked: dict[tuple[str, str, float], Evaluation] = {}
    chosen = np.ones(len(bundle.learner_ids), dtype=np.bool_)

    def measured(session: Session, run: Run) -> Evaluation:
        nonlocal done
        report(progress, done, total)
        done += 1
        return _restrict(
            measure(bundle, run.courses, session.targets, session.weights, policy.k, split), chosen
        )

    for algorithm, strategy in steps:
        session = session_for(bundle, algorithm, policy.but(strategy=strategy))
        if isinstance(session, SampledSession):
            chosen = session.chosen
        if strategy == "glob":
            own[algorithm] = measured(session, session.at_lam(0.0))
        for lam in LAMS:
            reranked[algorithm, strategy, lam] = measured(session, session.at_lam(lam))
    report(progress, done, total)
    histograms = {
        algorithm: score_histograms(bundle.relevance(algorithm))[chosen]
        for algorithm in bundle.algorithms
    }
    return Evidence(
        learners=len(bundle.learner_ids),
        k=policy.k,
        own=own,
        past=past_consistency(bundle, policy)[chosen],
        reranked=reranked,
        score_histograms=histograms,
        bootstrap=Bootstrap(int(chosen.sum())),
        incomparable=incomparable_principles(bundle),
    )
