"""Limits kept with confidence: is the loss of NDCG within a limit for learners like these?

For a limit x and a learner u with a course to find, D_u = NDCG_after(u) − (1 − x) · NDCG_own(u).
A policy keeps the limit among all learners that might come if the mean of D is not below 0. It is
called safe if a one-sided t-test says so. Where a policy changes little, losses are rare, and a
t-test that has seen none of them is too sure of itself. So the test is taken as if there were one
more learner, who had what learners with a hit have on average, h, and lost all of it:

    D_(n+1) = −(1 − x) · h,   t = mean(D) / √(var(D) / (n + 1)),   n degrees of freedom.

With many learners whose NDCG changes, that one more does not matter.

Policies of a path are tested from the mildest upward, and testing stops at the first that is not
safe: in such a fixed order no correction for their number is needed. Two paths (λ and floors) are
tested, so each has half of the error that is allowed.

D for every x follows from the means, the variances and the covariance of NDCG_own and of the change
NDCG_after − NDCG_own, so a search keeps those and any limit is answered at once. All functions take
numbers or arrays. Learners without a course to find (NaN) are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

Floats = npt.NDArray[np.float64]

CONFIDENCE = 0.95
PATHS = 2
"""λ and floors: both are searched, and one answer is taken."""


@dataclass(frozen=True)
class OwnMoments:
    """NDCG of the own lists."""

    learners: Any
    """How many have a course to find."""
    mean: Any
    variance: Any
    """Divided by the number of learners, not by one less."""
    hit: Any
    """The mean over the learners whose own list has a hit; 0 if none has."""


@dataclass(frozen=True)
class ChangeMoments:
    """NDCG after, less NDCG of the own lists."""

    mean: Any
    variance: Any
    covariance: Any
    """With NDCG of the own lists."""


def own_moments(own: Floats) -> OwnMoments:
    """What a test needs to know of the own lists; NaN throughout if nobody has a course to find."""
    known = own[~np.isnan(own)]
    if not known.size:
        return OwnMoments(0, math.nan, math.nan, math.nan)
    hits = known[known > 0]
    return OwnMoments(
        known.size,
        float(known.mean()),
        float(known.var()),
        float(hits.mean()) if hits.size else 0.0,
    )


def change_moments(own: Floats, after: Floats) -> ChangeMoments:
    """What a test needs to know of a policy, beside the own lists; NaN if nobody has a course to
    find."""
    known = ~(np.isnan(own) | np.isnan(after))
    if not known.any():
        return ChangeMoments(math.nan, math.nan, math.nan)
    change, before = after[known] - own[known], own[known]
    mean = float(change.mean())
    return ChangeMoments(
        mean,
        float(((change - mean) ** 2).mean()),
        float(((change - mean) * (before - before.mean())).mean()),
    )


def statistic(own: OwnMoments, change: ChangeMoments, limit: float) -> Floats:
    """t of the test that the loss is within ``limit``. NaN where NDCG is unknown; infinite where no
    learner differs from another, or where the limit is everything, which nobody can exceed."""
    mean = np.asarray(change.mean + limit * own.mean, dtype=np.float64)
    if limit >= 1:
        return np.where(np.isnan(mean), np.nan, np.inf)
    variance = np.maximum(
        change.variance + limit**2 * own.variance + 2 * limit * change.covariance, 0.0
    )
    added = -(1.0 - limit) * own.hit
    count = own.learners + 1
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = mean + (added - mean) / count
        spread = (variance + (mean - added) ** 2 / count) / count
        return np.asarray(middle / np.sqrt(spread))


def p_value(own: OwnMoments, change: ChangeMoments, limit: float) -> Floats:
    """How often learners of whom the limit is just missed would look at least as safe."""
    return np.asarray(1.0 - stdtr(own.learners, statistic(own, change, limit)))


def missing(
    own: OwnMoments, change: ChangeMoments, limit: float, confidence: float = CONFIDENCE
) -> Floats:
    """By how much t falls short of being safe: 0 or less is safe. ``confidence`` is that of the
    answer; each of the two paths has half of the error. NaN is never safe."""
    if not 0.5 <= confidence < 1:
        raise ValueError(f"the confidence must be at least 0.5 and below 1, not {confidence:g}")
    # With nobody to find a course for there is no such t; NDCG is unknown then, and so is the rest.
    enough = stdtrit(np.maximum(own.learners, 1), 1.0 - (1.0 - confidence) / PATHS)
    return np.asarray(enough - statistic(own, change, limit))


def in_sequence(passed: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which policies of a path are safe: those before the first that did not pass. Along the last
    axis, which runs from the mildest policy upward; the first are the own lists, which lose
    nothing."""
    passed = np.array(passed, dtype=np.bool_)
    passed[..., :1] = True
    return np.logical_and.accumulate(passed, axis=-1)
