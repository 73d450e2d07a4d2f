"""Measures of lists: NDCG, the principles, consistency and equality."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.metrics.inequality import equality
from equity_core.metrics.targets import Rows, given_weights_of, targets_of
from equity_core.metrics.world import frozen, kernel_order, world_of
from equity_core.policy import Policy
from equity_core.threads import MEASURED, over_ranges

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.reranker.api import Run

Floats = npt.NDArray[np.float64]


def achieved(bundle: Bundle, courses: npt.NDArray[np.int32], *, position: bool = False) -> Floats:
    """q: the value of each learner's list by each principle (in the bundle's order); NaN for an
    empty list.

    ``position``: places count by their rank, v_r = d_r / Σ d, d_r = 1 / log2(r + 1), instead of all
    alike.
    """
    from equity_core.metrics.kernels import values_range
    from equity_core.metrics.kernels_position import discounted_range

    measured = discounted_range if position else values_range
    world, lists = world_of(bundle), frozen(courses, np.int32)
    values = np.empty((len(lists), len(bundle.principles)))
    over_ranges(lambda lo, hi: measured(world, lists, lo, hi, values), len(lists), MEASURED)
    out = np.empty_like(values)
    out[:, kernel_order(bundle)] = values
    return out


def consistency(targets: Rows, values: Floats, weights: Rows | None = None) -> Floats:
    """1 − (1/|C|) Σ_m w_m |p_m − q_m| per learner; w = 1 unless given."""
    gaps = np.abs(targets - values)
    if weights is not None:
        gaps = weights * gaps
    out: Floats = 1.0 - gaps.mean(axis=1)
    return out


def ndcg(bundle: Bundle, courses: npt.NDArray[np.int32], k: int, split: str) -> Floats:
    """NDCG@k per learner: binary gains on the split's courses, discount log2(rank + 1), ideal cut
    at k; NaN with nothing to find."""
    from equity_core.metrics.kernels import ndcg_range

    positives = bundle.positives(split)
    indptr, found, lists = (
        frozen(positives.indptr, np.int64),
        frozen(positives.indices, np.int32),
        frozen(courses, np.int32),
    )
    out = np.empty(len(lists))
    over_ranges(
        lambda lo, hi: ndcg_range(lists, k, indptr, found, lo, hi, out), len(lists), MEASURED
    )
    return out


def mean(values: Floats) -> float:
    """The mean over learners that have a value; NaN if none has."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else math.nan


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The measures of one set of lists. ``targets`` are the p they were measured against."""

    split: str
    names: tuple[str, ...]
    learner_ids: npt.NDArray[np.generic]
    targets: Rows
    values: Floats
    """q: (learners, principles)."""
    per_learner_ndcg: Floats
    per_learner_consistency: Floats
    per_learner_weighted: Floats
    position: bool = False
    """Whether q, and with it consistency and equality, were measured with a rank discount."""

    @cached_property
    def ndcg(self) -> float:
        """Mean NDCG over the learners that have something to find in the split."""
        return mean(self.per_learner_ndcg)

    @cached_property
    def consistency(self) -> float:
        """Mean consistency (w = 1) over the learners that have a list."""
        return mean(self.per_learner_consistency)

    @cached_property
    def equality(self) -> float:
        """1 − Gini of consistency (w = 1) over the learners that have a list."""
        return equality(np.maximum(self.per_learner_consistency, 0.0))

    @property
    def without_ndcg(self) -> int:
        """Learners with nothing to find in the split, left out of NDCG."""
        return int(np.isnan(self.per_learner_ndcg).sum())

    @property
    def without_list(self) -> int:
        """Learners without any candidate, left out of consistency and equality."""
        return int(np.isnan(self.per_learner_consistency).sum())

    @cached_property
    def learners(self) -> pd.DataFrame:
        """A row a learner: ndcg, consistency, weighted_consistency, and a column per principle."""
        columns = {
            "ndcg": self.per_learner_ndcg,
            "consistency": self.per_learner_consistency,
            "weighted_consistency": self.per_learner_weighted,
            **{name: self.values[:, m] for m, name in enumerate(self.names)},
        }
        return pd.DataFrame(columns, index=pd.Index(self.learner_ids, name="learner_id"))

    @cached_property
    def principles(self) -> pd.DataFrame:
        """A row a principle: mean, sd (population), min, max over the learners that have a list."""
        known = self.values[~np.isnan(self.per_learner_consistency)]
        if not len(known):
            known = np.full((1, len(self.names)), np.nan)
        columns = {
            "mean": known.mean(axis=0),
            "sd": known.std(axis=0),
            "min": known.min(axis=0),
            "max": known.max(axis=0),
        }
        return pd.DataFrame(columns, index=pd.Index(self.names, name="principle"))


def check_lists(bundle: Bundle, courses: npt.ArrayLike, k: int) -> npt.NDArray[np.int32]:
    """Lists of course positions, cut at k: one row a learner, −1 only at the end, no position
    unknown or repeated. Else a ValueError."""
    lists = np.asarray(courses)
    if lists.ndim != 2 or lists.shape[0] != len(bundle.learner_ids):
        raise ValueError(
            f"the lists need one row a learner, {len(bundle.learner_ids)} rows, not an array of"
            f" shape {lists.shape}"
        )
    if lists.dtype.kind not in "iu":
        raise ValueError(f"the lists must hold course positions (whole numbers), not {lists.dtype}")
    lists = lists[:, :k]
    if ((lists < -1) | (lists >= len(bundle.course_ids))).any():
        row = int(((lists < -1) | (lists >= len(bundle.course_ids))).any(axis=1).argmax())
        raise ValueError(
            f"row {row} holds a course position that does not exist; positions go from 0 to"
            f" {len(bundle.course_ids) - 1}, −1 is no course"
        )
    empty = lists == -1
    if (empty[:, :-1] & ~empty[:, 1:]).any():
        row = int((empty[:, :-1] & ~empty[:, 1:]).any(axis=1).argmax())
        raise ValueError(f"row {row} has a gap: −1 may stand at the end of a list only")
    ordered = np.sort(lists, axis=1)
    repeated = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    if repeated.any():
        raise ValueError(f"row {int(repeated.any(axis=1).argmax())} holds the same course twice")
    return np.ascontiguousarray(lists, dtype=np.int32)


def evaluate(
    bundle: Bundle,
    courses: npt.ArrayLike | Run,
    policy: Policy,
    split: str = "test",
    weights: Rows | None = None,
    *,
    position: bool = False,
) -> Evaluation:
    """Measure lists (a run, or an array of course positions) against a policy's targets, cut at its
    k.

    Reported consistency and equality use w = 1. ``weighted_consistency`` uses the weights of the
    run, or those given; for an array alone it uses the policy's where they are known without a
    recommender (glob, custom), and is NaN for user and pers.

    ``position``: the principles, and with them consistency and equality, are measured with a rank
    discount (see :func:`achieved`); NDCG has one in any case. The plain figures take a list as a
    set, as the paper does.
    """
    from equity_core.reranker.api import Run

    if isinstance(courses, Run):
        weights = courses.weights if weights is None else weights
        courses = courses.courses
    lists = check_lists(bundle, courses, policy.k)
    targets = targets_of(bundle, policy)
    if weights is None:
        weights = (
            given_weights_of(bundle, policy)
            if policy.strategy in ("glob", "custom")
            else np.full((1, targets.shape[1]), np.nan)
        )
    return measure(bundle, lists, targets, weights, policy.k, split, position=position)


def measure(
    bundle: Bundle,
    lists: npt.NDArray[np.int32],
    targets: Rows,
    weights: Rows,
    k: int,
    split: str,
    *,
    position: bool = False,
) -> Evaluation:
    """As :func:`evaluate`, for lists that are known to be sound and targets and weights already
    resolved."""
    values = achieved(bundle, lists, position=position)
    return Evaluation(
        split=split,
        names=tuple(principle.name for principle in bundle.principles),
        learner_ids=bundle.learner_ids,
        targets=targets,
        values=values,
        per_learner_ndcg=ndcg(bundle, lists, k, split),
        per_learner_consistency=consistency(targets, values),
        per_learner_weighted=consistency(targets, values, weights),
        position=position,
    )
