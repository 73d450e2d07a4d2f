"""Scenarios side by side: what each gives, what it changes against the recommender's own lists, and
whether two clearly differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from equity_core.analysis.words import count, decimal, join, percent
from equity_core.metrics.intervals import MEASURES, intervals, permutation_test
from equity_core.policy import LearnerValues
from equity_core.progress import report
from equity_core.recommenders.registry import label

if TYPE_CHECKING:
    from equity_core.metrics.evaluate import Evaluation
    from equity_core.policy import Policy
    from equity_core.progress import Progress
    from equity_core.reranker.api import Run

CLEAR = 0.05
"""A p-value above this is no clear difference."""
_WORDS = {"ndcg": "NDCG", "consistency": "mean consistency", "equality": "equality"}


@dataclass(frozen=True, eq=False)
class Measured:
    """A named policy with its lists and measures, and those of the same recommender's own lists
    (same k and targets)."""

    name: str
    run: Run
    evaluation: Evaluation
    own_run: Run
    own: Evaluation


def kind_of(policy: Policy) -> str:
    """ "floor", "lam", or "own" for λ = 0: the recommender's own lists."""
    return "floor" if policy.floor is not None else "own" if policy.lam == 0 else "lam"


def policy_words(policy: Policy) -> str:
    """A policy in full: everything that is not the default is named."""
    kind = kind_of(policy)
    words = [
        (
            f"floor τ = {policy.floor:g}"
            if kind == "floor"
            else "own lists (λ = 0)"
            if kind == "own"
            else f"λ = {policy.lam:g}"
        )
    ]
    words += [] if kind == "own" else [policy.strategy]
    words.append(f"k = {policy.k}")
    for what, given in (("targets", policy.targets), ("weights", policy.weights)):
        if isinstance(given, LearnerValues):
            words.append(f"{what} of {count(len(given.ids), 'learner')}")
        elif given is not None:
            words.append(
                f"{what}: " + ", ".join(f"{name} {value:g}" for name, value in dict(given).items())
            )
    words += (
        [] if policy.relevance_scale == "minmax" else [f"relevance by {policy.relevance_scale}"]
    )
    words += [] if policy.pool == "stored" else ["whole catalogue"]
    return ", ".join(words)


def sure(scenarios: Sequence[Measured], progress: Progress | None = None) -> list[pd.DataFrame]:
    """The intervals of each scenario's measures and of their changes against the own lists
    (:func:`equity_core.metrics.intervals`)."""
    out = []
    for done, one in enumerate(scenarios):
        report(progress, done, len(scenarios))
        out.append(intervals(one.evaluation, one.own))
    return out


def table(
    scenarios: Sequence[Measured], known: Sequence[pd.DataFrame] | None = None
) -> pd.DataFrame:
    """A row a scenario: recommender, policy, kind, the three measures and their changes against the
    own lists (NDCG as a share, too),

    each with the ends of its 95 % bootstrap interval (ndcg_low, ndcg_change_low, …; ``known``:
    :func:`sure`, where it is known already), unreached (learners short of the floor), changed
    (share of lists that differ), mean λ, k, and every principle's mean.
    """
    rows = []
    for one, found in zip(scenarios, known or sure(scenarios), strict=True):
        now, own, ends = one.evaluation, one.own, found.to_dict("index")
        listed = ~np.isnan(now.per_learner_consistency)
        row: dict[str, object] = {
            "scenario": one.name,
            "recommender": label(one.run.algorithm),
            "policy": policy_words(one.run.policy),
            "kind": kind_of(one.run.policy),
        }
        for name in MEASURES:
            row[name] = getattr(now, name)
            row[f"{name}_own"] = getattr(own, name)
            row[f"{name}_change"] = getattr(now, name) - getattr(own, name)
            for part in ("low", "high", "change_low", "change_high"):
                row[f"{name}_{part}"] = ends[name][part]
        row["ndcg_share"] = now.ndcg / own.ndcg - 1.0 if own.ndcg > 0 else math.nan
        row["unreached"] = int((~one.run.reached & listed).sum())
        row["changed"] = (
            float((one.run.courses != one.own_run.courses).any(axis=1)[listed].mean())
            if listed.any()
            else math.nan
        )
        row["lam"] = float(one.run.lam[listed].mean()) if listed.any() else math.nan
        row["k"] = one.run.policy.k
        row |= {str(name): float(value) for name, value in now.principles["mean"].items()}
        rows.append(row)
    return pd.DataFrame(rows).set_index("scenario")


def unclear(scenarios: Sequence[Measured], name: str, measure: str) -> list[str]:
    """The other scenarios that do not clearly differ from one in a measure: the paired interval of
    the difference holds 0."""
    here = next((one for one in scenarios if one.name == name), None)
    out = []
    for one in scenarios:
        if here is not None and one.name != name:
            row = intervals(here.evaluation, one.evaluation).loc[measure]
            if not row["change_low"] > 0 and not row["change_high"] < 0:
                out.append(one.name)
    return out


def sentence(frame: pd.DataFrame, scenarios: Sequence[Measured] = ()) -> str:
    """Which scenario is most equal, which keeps most NDCG, whether one is best in both; given the
    scenarios, what of it is not clear."""
    if len(frame) < 2:
        return "One scenario alone: choose a second one to compare."
    if frame["equality"].isna().all():
        return "No learner has a list in any scenario."
    equality, ndcg = frame["equality"].to_dict(), frame["ndcg"].dropna().to_dict()
    equal = max(
        (name for name in equality if not math.isnan(equality[name])), key=equality.__getitem__
    )
    alike = unclear(scenarios, str(equal), "equality")
    head = f"{equal} is the most equal ({decimal(equality[equal], 3)}"
    head += f", no clear difference from {join(alike)})" if alike else ")"
    if not ndcg:
        return f"{head}; NDCG is not known, because there is no test part."
    near = max(ndcg, key=ndcg.__getitem__)
    kept = decimal(ndcg[near], 4)
    if near == equal:
        return (
            f"{head} and keeps the most relevance (NDCG {kept}): no other compared here is better"
            " in either."
        )
    lost = 1.0 - ndcg.get(equal, math.nan) / ndcg[near] if ndcg[near] > 0 else math.nan
    if equal in unclear(scenarios, str(near), "ndcg"):
        price = ", with no clear difference in NDCG from"
    else:
        price = f", with {percent(lost)} less NDCG than" if lost > 0 else ", against"
    return f"{head}{price} {near}, which keeps the most relevance (NDCG {kept})."


def caveats(frame: pd.DataFrame, scenarios: Sequence[Measured]) -> list[str]:
    """Where the scenarios are not measured alike."""
    out = []
    if len(set(frame["k"])) > 1:
        out.append("List lengths differ, and NDCG, consistency and equality all depend on k.")
    if any(
        not np.array_equal(one.evaluation.targets, scenarios[0].evaluation.targets)
        for one in scenarios[1:]
    ):
        out.append(
            "Targets differ: consistency and equality are measured against each scenario's own."
        )
    return out


def paired(before: Measured, after: Measured, progress: Progress | None = None) -> pd.DataFrame:
    """A row a measure: both values, the change with its paired 95 % bootstrap interval, and the
    p-value of a paired permutation test."""
    report(progress, 0, 1 + len(MEASURES))
    found = intervals(after.evaluation, before.evaluation)
    frame = found[["before", "value", "change", "change_low", "change_high", "n"]].rename(
        columns={"value": "after"}
    )
    tested = []
    for done, name in enumerate(MEASURES, start=1):
        report(progress, done, 1 + len(MEASURES))
        tested.append(permutation_test(after.evaluation, before.evaluation, name))
    return frame.assign(p=tested)


def clear(row: pd.Series) -> bool:
    """Whether a difference is clear: its interval leaves out 0, and chance alone would seldom make
    it."""
    return (
        not math.isnan(row["p"])
        and row["p"] <= CLEAR
        and (row["change_low"] > 0 or row["change_high"] < 0)
    )


def paired_sentence(frame: pd.DataFrame, before: str, after: str) -> str:
    """What clearly differs between two scenarios, and what does not."""
    differ, alike = [], []
    for name, row in frame.iterrows():
        if math.isnan(row["change"]):
            continue
        if clear(row):
            more = "higher" if row["change"] > 0 else "lower"
            differ.append(
                f"{_WORDS[str(name)]} is {more} by {abs(row['change']):.3f}"
                f" ({row['change_low']:+.3f} to {row['change_high']:+.3f})"
            )
        else:
            alike.append(_WORDS[str(name)])
    head = f"With {after}, compared with {before}: "
    parts = [join(differ)] if differ else []
    parts += [f"no clear difference in {join(alike)}"] if alike else []
    return (
        (head + "; ".join(parts) + ".").replace("-", "−")
        if parts
        else f"{head}nothing can be compared."
    )
