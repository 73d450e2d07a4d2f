"""Which courses a list may hold, and which of them can be in a best one."""

from __future__ import annotations

from heapq import heappush, heapreplace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from equity_core.reranker.objective import Objective

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def pool_of(objective: Objective, catalogue: bool) -> Ints:
    """The courses that a list may hold: the stored candidates, or the whole catalogue less the
    past and the courses from the future, where the bundle masks them."""
    if not catalogue:
        return objective.candidates.astype(np.int64)
    allowed = ~objective.bundle.future.hidden
    allowed[objective.bundle.past.row(objective.learner)] = False
    return np.flatnonzero(allowed)


def signs_of(objective: Objective, pool: Ints) -> Floats:
    """Per mean: +1 where its target is at or above every course (or its weight is 0), −1 at or
    below, 0 where it lies between."""
    encoded = objective.bundle.encoded
    values, targets = encoded.means[pool], objective.targets[encoded.mean_of]
    if values.shape[1] == 0:
        return np.zeros(0)
    linear = np.where(
        targets >= values.max(axis=0), 1.0, np.where(targets <= values.min(axis=0), -1.0, 0.0)
    )
    return np.where((linear == 0.0) & (objective.weights[encoded.mean_of] == 0.0), 1.0, linear)


def pulls_of(objective: Objective, pool: Ints, signs: Floats, length: int) -> Floats:
    """What each course adds to the consistency of a list of ``length`` by itself: its part of every
    mean that is linear."""
    encoded = objective.bundle.encoded
    if not len(signs):
        return np.zeros(len(pool))
    steering = signs * objective.weights[encoded.mean_of] / len(objective.targets)
    pulls: Floats = encoded.means[pool] @ steering / length
    return pulls


def groups_of(objective: Objective, pool: Ints) -> Ints:
    """One number per course: equal numbers, equal to every categorical principle.

    To a match, labels that the past does not have are one label: they add nothing to the overlap. A
    weight of 0 makes all alike.
    """
    encoded = objective.bundle.encoded
    labels = encoded.labels[pool].astype(np.int64)
    for m, principle in enumerate(encoded.cat_of):
        past = objective.past_counts[m]
        if objective.weights[principle] == 0.0:
            labels[:, m] = -1
        elif past is not None:
            labels[:, m] = np.where(past[labels[:, m]] > 0, labels[:, m], -1)
    return (
        np.unique(labels, axis=0, return_inverse=True)[1].reshape(-1)
        if labels.shape[1]
        else np.zeros(len(pool), dtype=np.int64)
    )


def contenders(objective: Objective, pool: Ints, k: int, *, apart: bool = False) -> Ints:
    """The courses that can be in a best list of k.

    Courses that are alike to every categorical principle differ, while every mean is linear, only
    by what they add by themselves: one that k others of its group equal or beat can be replaced by
    one of them without loss. What counts is the objective, or (``apart``) relevance and consistency
    both. With a mean whose target lies between, nothing is dropped.
    """
    signs = signs_of(objective, pool)
    if (signs == 0.0).any():
        return pool
    pulls, relevance = pulls_of(objective, pool, signs, k), objective.relevances(pool)
    gains = (1.0 - objective.lam) * relevance + objective.lam * pulls
    first, second = (relevance, pulls) if apart else (gains, gains)
    group, kept = groups_of(objective, pool), []
    best: dict[int, list[float]] = {}
    for at in np.lexsort((np.arange(len(pool)), -second, -first)).tolist():
        # The k best by the second criterion of those that are at least as good by the first.
        ahead = best.setdefault(int(group[at]), [])
        if len(ahead) < k:
            heappush(ahead, float(second[at]))
        elif second[at] > ahead[0]:
            heapreplace(ahead, float(second[at]))
        else:
            continue
        kept.append(at)
    return pool[np.sort(np.array(kept, dtype=np.int64))]
