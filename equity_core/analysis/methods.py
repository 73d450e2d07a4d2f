"""Which targets can be met at all (the best value that any list of k courses can have, by
principle), and how unequal lists can be at most, if everybody gets nearly the same one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.algorithms import label
from equity_core.analysis.words import decimal
from equity_core.metrics.evaluate import Evaluation
from equity_core.metrics.inequality import gini
from equity_core.metrics.reach import balance_reach, reachable
from equity_core.metrics.targets import judged, targets_of

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.policy import Policy

SEEN = 5e-4
"""A target missed by less than three decimals show counts as met."""


def reach_frame(bundle: Bundle, policy: Policy) -> pd.DataFrame:
    """One row per principle: kind, target (the highest of all learners), best, met (whether a list
    could meet the target), and why.

    match: no bound is given, because it differs from learner to learner (NaN).
    """
    bundle = judged(bundle, policy)
    k, best = policy.k, reachable(bundle, policy.k)
    targets = targets_of(bundle, policy).max(axis=0)
    rows = []
    for at, principle in enumerate(bundle.principles):
        highest = best[principle.name]
        if principle.kind == "mean":
            listed = min(k, len(bundle.course_ids))
            why = f"the {listed:,} best courses of the catalogue"
        elif principle.kind == "balance":
            size = int(bundle.encoded.sizes[bundle.encoded.cat_of.tolist().index(at)])
            _, known_only = balance_reach(bundle, principle.name, k)
            why = f"{k} courses over {size} values as evenly as possible: {known_only:.3f}"
            why += (
                f"; with courses of unknown {principle.column}, which do not count: {highest:.3f}"
                if highest > known_only + 1e-9
                else ""
            )
        else:
            highest = float("nan")
            why = "differs by learner: 1 only if k courses can have the shares of the past"
        met = bool(np.isnan(highest) or highest >= targets[at] - SEEN)
        rows.append((principle.name, principle.kind, float(targets[at]), highest, met, why))
    return pd.DataFrame(
        rows, columns=["principle", "kind", "target", "best", "met", "why"]
    ).set_index("principle")


def reach_sentence(frame: pd.DataFrame, k: int) -> str:
    """Which targets no list can meet."""
    out = [
        f"{name} (at best {row['best']:.3f}, target {row['target']:g})"
        for name, row in frame.iterrows()
        if not row["met"]
    ]
    head = f"With lists of {k} courses from this catalogue, no "
    if not out:
        return (
            f"{head}target is out of reach by itself; meeting all of them at once is another"
            " matter."
        )
    return (
        f"{head}list can meet the target of {'; '.join(out)}. Consistency 1 is then out of reach"
        " for everybody."
    )


def replaced_courses(lists: npt.NDArray[np.int32], courses: int) -> npt.NDArray[np.float64]:
    """How many courses of each list are not in one list for all: that of the courses that most
    lists have, as long as the longest list. A list that is shorter than that counts as replaced
    altogether; NaN for a learner without a list."""
    length = (lists >= 0).sum(axis=1)
    longest = int(length.max(initial=0))
    often = np.bincount(lists[lists >= 0], minlength=courses)
    common = np.argsort(-often, kind="stable")[:longest]
    other = longest - np.isin(lists, common).sum(axis=1)
    return np.where(length == 0, np.nan, np.where(length < longest, longest, other))


def one_list_bound(bundle: Bundle, lists: npt.NDArray[np.int32], evaluation: Evaluation) -> float:
    """The least equality that lists can have which differ from one list for all by so few courses;
    NaN without a list, or if learners have targets of their own.

    With n principles, m of them matches, consistency is the common list's, plus at most m/n for the
    matches, plus what the replaced courses change: of k courses, one changes a mean by 1/k at most
    and a balance by 2/k (anything up to 1 where labels may be unknown). Values within a range of r
    have a mean absolute difference of r/2 at most, and d is twice the mean change, so that

        Gini ≤ (m/(2 n) + d) / (2 · mean consistency).
    """
    replaced = replaced_courses(lists, len(bundle.course_ids))
    known = ~np.isnan(replaced)
    shared = len(evaluation.targets) == 1 or bool(np.ptp(evaluation.targets, axis=0).max() == 0)
    if not known.any() or not shared or not evaluation.consistency > 0:
        return math.nan
    share = replaced[known] / max(int((lists >= 0).sum(axis=1).max()), 1)
    changed = np.zeros(len(share))
    for principle in bundle.principles:
        if principle.kind == "mean":
            changed += share
        elif principle.kind == "balance":
            whole = bundle.coverage["filled"].loc[principle.name] > 0
            changed += np.where(share > 0, 1.0, 0.0) if whole else np.minimum(2.0 * share, 1.0)
    size = len(bundle.principles)
    matches = sum(principle.kind == "match" for principle in bundle.principles)
    apart = matches / (2.0 * size) + 2.0 * float(changed.mean()) / size
    return max(0.0, 1.0 - apart / (2.0 * evaluation.consistency))


def any_order_bound(evaluation: Evaluation) -> float:
    """The least equality that lists can have with these values of each principle, however they are
    dealt out over the learners: the mean absolute difference of a sum is at most the sum of the
    mean absolute differences, and reaches it where the same learners are last by every principle.
    NaN without a list."""
    met = 1.0 - np.abs(evaluation.targets - evaluation.values)
    met = met[~np.isnan(evaluation.per_learner_consistency)]
    if not len(met) or not evaluation.consistency > 0:
        return math.nan
    total = math.fsum(gini(np.maximum(column, 0.0)) * float(column.mean()) for column in met.T)
    return max(0.0, 1.0 - total / (len(evaluation.names) * evaluation.consistency))


def bounds_frame(
    bundle: Bundle,
    lists: Mapping[str, npt.NDArray[np.int32]],
    evaluations: Mapping[str, Evaluation],
) -> pd.DataFrame:
    """One row per recommender: mean consistency, equality, how many courses of a list differ from
    one list for all (mean), the least equality that this allows, and the least equality that the
    values of the principles allow."""
    rows = []
    for algorithm, evaluation in evaluations.items():
        replaced = replaced_courses(lists[algorithm], len(bundle.course_ids))
        known = replaced[~np.isnan(replaced)]
        rows.append(
            {
                "algorithm": algorithm,
                "label": label(algorithm),
                "consistency": evaluation.consistency,
                "equality": evaluation.equality,
                "replaced": float(known.mean()) if known.size else math.nan,
                "least_by_one_list": one_list_bound(bundle, lists[algorithm], evaluation),
                "least_by_values": any_order_bound(evaluation),
            }
        )
    return pd.DataFrame(rows).set_index("algorithm")


def bounds_sentence(frame: pd.DataFrame, k: int) -> str:
    """The recommender whose lists are most alike: what that says about its equality, and what its
    principles' values say."""
    known = frame.dropna(subset=["replaced"])
    if known.empty:
        return "No recommender has a list for any learner."
    row = known.iloc[int(known["replaced"].to_numpy(dtype=np.float64).argmin())].to_dict()
    head = (
        f"{row['label']}'s lists are the most alike: on average {decimal(row['replaced'])} courses"
        f" of a list (k = {k}) differ from one list for all."
    )
    least, reached = float(row["least_by_one_list"]), decimal(row["equality"], 3)
    if math.isnan(least):
        said = f"Its equality is {reached}; the bound for one list does not apply here."
    elif least <= 0:
        said = f"That is too many for the bound to say anything; its equality is {reached}."
    else:
        said = (
            f"So its equality is {decimal(least, 3)} or more, whatever the courses: it is"
            f" {reached}."
        )
    other = float(row["least_by_values"])
    if math.isnan(other):
        return f"{head} {said}"
    return (
        f"{head} {said} With the values that its lists have by each principle, it could not be"
        f" below {decimal(other, 3)} for any way of dealing them out over the learners."
    )
