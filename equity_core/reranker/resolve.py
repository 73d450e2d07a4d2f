"""From a bundle, an algorithm and a policy to what the kernels take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equity_core.metrics.evaluate import achieved
from equity_core.metrics.kernel_data import frozen, kernel_data, kernel_order
from equity_core.metrics.targets import Rows, given_weights_of, targets_of
from equity_core.policy import Policy
from equity_core.threads import over_ranges

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.reranker.kernels_prepare import Ask, Candidates


def candidates_of(bundle: Bundle, algorithm: str) -> Candidates:
    """An algorithm's stored scores; an unknown one is a KeyError that lists the known ones."""
    from equity_core.reranker.kernels_prepare import Candidates

    relevance = bundle.relevance(algorithm)
    return Candidates(
        frozen(relevance.indptr, np.int64),
        frozen(relevance.courses, np.int32),
        frozen(relevance.scores, np.float64),
    )


def own_values(
    bundle: Bundle, algorithm: str, k: int, pool: str
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The principles' values of the recommender's own lists (λ = 0) of length k."""
    from equity_core.reranker.kernels import lam_range

    world, candidates = kernel_data(bundle), candidates_of(bundle, algorithm)
    ones = np.ones((1, len(bundle.principles)))
    ask = ask_of(bundle, Policy(lam=0.0, k=k, pool=pool), ones, ones)  # type: ignore[arg-type]
    count = len(bundle.learner_ids)
    lists, lams, unused = (
        np.empty((count, k), dtype=np.int32),
        frozen(np.zeros(count), np.float64),
        np.empty(count),
    )
    over_ranges(
        lambda lo, hi: lam_range(world, candidates, ask, lams, lo, hi, lists, unused), count
    )
    return achieved(bundle, lists)


def rescaled(weights: Rows) -> Rows:
    """Each row scaled to sum to the number of principles; a sum of 0 (every target met) falls back
    to all 1."""
    total = weights.sum(axis=1, keepdims=True)
    return np.where(total > 0, weights * weights.shape[1] / np.where(total > 0, total, 1.0), 1.0)


def weights_of(bundle: Bundle, algorithm: str, policy: Policy) -> Rows:
    """The weights that steer the re-ranking, in the bundle's order of principles.

    glob: 1. custom: as given. user: the learners' mean gap |p − q| per principle on the own lists;
    pers: each learner's own gap (1 for a learner without a list); both rescaled to sum to the
    number of principles.
    """
    if policy.strategy in ("glob", "custom"):
        return given_weights_of(bundle, policy)
    gaps = np.abs(targets_of(bundle, policy) - own_values(bundle, algorithm, policy.k, policy.pool))
    without = np.isnan(gaps).any(axis=1)
    if policy.strategy == "user":
        return (
            rescaled(gaps[~without].mean(axis=0, keepdims=True))
            if not without.all()
            else np.ones((1, gaps.shape[1]))
        )
    gaps[without] = 0.0
    return rescaled(gaps)


def ask_of(bundle: Bundle, policy: Policy, targets: Rows, weights: Rows) -> Ask:
    """A policy with resolved targets and weights, in the kernels' order."""
    from equity_core.reranker.kernels_prepare import MINMAX, NONE, RANK, Ask

    order = kernel_order(bundle)
    targets, weights = targets[:, order], weights[:, order]
    if len(targets) != len(weights):
        rows = max(len(targets), len(weights))
        targets, weights = (
            np.broadcast_to(targets, (rows, len(order))),
            np.broadcast_to(weights, (rows, len(order))),
        )
    pull, by_pull = _pulls(bundle, targets, weights, policy.pool)
    unit = (pull, by_pull)
    if not (weights == 1.0).all():
        unit = _pulls(bundle, targets, np.ones_like(weights), policy.pool)
    return Ask(
        k=policy.k,
        scale={"minmax": MINMAX, "rank": RANK, "none": NONE}[policy.relevance_scale],
        catalogue=policy.pool == "catalogue",
        targets=frozen(targets, np.float64),
        weights=frozen(weights, np.float64),
        pull=frozen(pull, np.float64),
        order=frozen(by_pull, np.int32),
        unit_pull=frozen(unit[0], np.float64),
        unit_order=frozen(unit[1], np.int32),
    )


def _pulls(
    bundle: Bundle, targets: Rows, weights: Rows, pool: str
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Where all learners share targets and weights: the pull of every course and, for the catalogue
    as pool, the courses by group and pull. Else empty."""
    world = kernel_data(bundle)
    nothing = np.zeros(0, dtype=np.int32)
    if len(targets) > 1:
        return np.zeros(0), nothing
    n_mean = world.means.shape[1]
    # A mean's part is linear while its target is out of reach: +1 above every course, −1 below;
    # 0 otherwise (see the kernels).
    sign = np.where(
        targets[0, :n_mean] >= world.high,
        1.0,
        np.where(targets[0, :n_mean] <= world.low, -1.0, 0.0),
    )
    pull = world.means @ (sign * weights[0, :n_mean])
    if pool != "catalogue":
        return pull, nothing
    return pull, np.lexsort((np.arange(len(pull)), -pull, world.group)).astype(np.int32)
