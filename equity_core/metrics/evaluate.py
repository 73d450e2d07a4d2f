"""Measures of lists: NDCG, the principles, consistency and equality."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.metrics.inequality import equality, known_mean
from equity_core.metrics.kernel_data import frozen, kernel_data, kernel_order
from equity_core.metrics.targets import Rows, given_weights_of, judged, targets_of
from equity_core.policy import Policy
from equity_core.threads import MEASURED, over_ranges

if TYPE_CHECKING:
    from equity_core.bundle import Bundle

Floats = npt.NDArray[np.float64]


@runtime_checkable
class Reranked(Protocol):
    """Lists with the weights that steered them.

    It is what :func:`evaluate` needs of a run of the re-ranker, which is a layer above.
    """

    @property
    def courses(self) -> npt.NDArray[np.int32]:
        """(learners, k) course positions; −1 = no course."""
        ...

    @property
    def weights(self) -> Rows:
        """The weights that steered the re-ranking."""
        ...


def achieved(bundle: Bundle, courses: npt.NDArray[np.int32], *, position: bool = False) -> Floats:
    """Return q: the value of each learner's list by each principle, in the bundle's order.

    NaN for an empty list. With ``position``, places count by their rank, v_r = d_r / Σ d with
    d_r = 1 / log2(r + 1), instead of all equally.
    """
    from equity_core.metrics.kernels import values_range
    from equity_core.metrics.kernels_position import discounted_range

    measured = discounted_range if position else values_range
    world, lists = kernel_data(bundle), frozen(courses, np.int32)
    values = np.empty((len(lists), len(bundle.principles)))
    over_ranges(lambda lo, hi: measured(world, lists, lo, hi, values), len(lists), MEASURED)
    out = np.empty_like(values)
    out[:, kernel_order(bundle)] = values
    return out


def consistency(targets: Rows, values: Floats, weights: Rows | None = None) -> Floats:
    """Return 1 − (1/|C|) Σ_m w_m |p_m − q_m| per learner; w = 1 unless given."""
    gaps = np.abs(targets - values)
    if weights is not None:
        gaps = weights * gaps
    out: Floats = 1.0 - gaps.mean(axis=1)
    return out


def ndcg(bundle: Bundle, courses: npt.NDArray[np.int32], k: int, split: str) -> Floats:
    """Return NDCG@k per learner.

    Gains are binary, on the split's courses; the discount is log2(rank + 1); the ideal list is cut
    at k. NaN for a learner with nothing to find.
    """
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


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The measures of one set of lists.

    Made by :func:`equity_core.evaluate`. Per-learner arrays go by the learner's position.
    """

    split: str
    """The split that NDCG was measured on."""
    names: tuple[str, ...]
    """The names of the principles."""
    learner_ids: npt.NDArray[np.generic]
    """The learners' ids, in the order of the per-learner arrays."""
    targets: Rows
    """p: the targets that the lists were measured against, one row per learner or one for all."""
    values: Floats
    """q: (learners, principles); NaN for a learner without a list."""
    per_learner_ndcg: Floats
    """NDCG of each learner; NaN with nothing to find in the split."""
    per_learner_consistency: Floats
    """Consistency (w = 1) of each learner; NaN without a list."""
    per_learner_weighted: Floats
    """Consistency with the weights of the re-ranking; NaN without a list, or without known
    weights."""
    position: bool = False
    """Whether q, and with it consistency and equality, were measured with a rank discount."""

    @cached_property
    def ndcg(self) -> float:
        """Mean NDCG over the learners that have something to find in the split."""
        return known_mean(self.per_learner_ndcg)

    @cached_property
    def consistency(self) -> float:
        """Mean consistency (w = 1) over the learners that have a list."""
        return known_mean(self.per_learner_consistency)

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
        """One row per learner: ndcg, consistency, weighted_consistency, then the principles."""
        columns = {
            "ndcg": self.per_learner_ndcg,
            "consistency": self.per_learner_consistency,
            "weighted_consistency": self.per_learner_weighted,
            **{name: self.values[:, m] for m, name in enumerate(self.names)},
        }
        return pd.DataFrame(columns, index=pd.Index(self.learner_ids, name="learner_id"))

    @cached_property
    def principles(self) -> pd.DataFrame:
        """One row per principle: mean, sd (population), min, max over the learners with a list."""
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
    """Check lists of course positions and cut them at k.

    There is one row per learner; −1 stands at the end only; no position is unknown or repeated.

    Raises
    ------
    ValueError
        If one of these does not hold.
    """
    lists = np.asarray(courses)
    if lists.ndim != 2 or lists.shape[0] != len(bundle.learner_ids):
        raise ValueError(
            f"the lists need one row per learner, {len(bundle.learner_ids)} rows, not an array of"
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
    courses: npt.ArrayLike | Reranked,
    policy: Policy,
    split: str = "test",
    weights: Rows | None = None,
    *,
    position: bool = False,
) -> Evaluation:
    """Measure lists against a policy's targets, cut at its k.

    Reported consistency and equality use w = 1. The weighted consistency uses the weights of the
    run, or those given; for an array alone it uses the policy's weights where they are known
    without a recommender (strategies "glob" and "custom"), and is NaN for "user" and "pers".

    Parameters
    ----------
    bundle : Bundle
        The data set.
    courses : array_like or Run
        A run, or an array of course positions with one row per learner; −1 at the end of a row
        means no course.
    policy : Policy
        Its principles, its targets and its k.
    split : {"test", "valid", "train"}, default "test"
        The split that NDCG is measured on.
    weights : array or None, default None
        The weights of the weighted consistency: (learners, principles), or one row for all.
    position : bool, default False
        Measure the principles, and with them consistency and equality, with a rank discount (see
        :func:`achieved`). NDCG has one in any case. Without it a list is taken as a set, as in the
        paper.

    Returns
    -------
    Evaluation
        The measures, in total, per learner and per principle.

    Raises
    ------
    ValueError
        If the lists, the principles, the targets or the split do not fit the bundle.

    Examples
    --------
    >>> import equity_core as eq
    >>> bundle = eq.load_bundle("data/demo")
    >>> run = eq.rerank(bundle, "userknn", eq.Policy(lam=0.9))
    >>> found = eq.evaluate(bundle, run, run.policy)
    >>> round(found.equality, 2)
    0.97
    >>> found.learners.shape
    (2000, 10)
    """
    bundle = judged(bundle, policy)
    if isinstance(courses, Reranked):
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
    """Measure lists that are known to be sound, with targets and weights already resolved.

    The rest is as in :func:`evaluate`.
    """
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
