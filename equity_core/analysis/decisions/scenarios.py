"""Scenarios side by side: the measures of each, the changes from the recommender's own lists, and
whether two scenarios clearly differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from equity_core.algorithms import label
from equity_core.analysis.words import STRATEGIES, count, decimal, join, percent
from equity_core.metrics.intervals import MEASURES, intervals, permutation_test
from equity_core.policy import LearnerValues
from equity_core.progress import report

if TYPE_CHECKING:
    from equity_core.metrics.evaluate import Evaluation
    from equity_core.policy import Policy
    from equity_core.progress import Progress
    from equity_core.reranker.api import Run

CLEAR_P = 0.05
"""The largest p-value of a clear difference."""
_SCALES = {"rank": "relevance by rank", "none": "relevance as stored"}
_MEASURES = {"ndcg": "NDCG", "consistency": "mean consistency", "equality": "equality"}


@dataclass(frozen=True, eq=False)
class MeasuredScenario:
    """A policy's lists and measures, beside those of the same recommender's own lists with the same
    k and targets."""

    name: str
    run: Run
    evaluation: Evaluation
    own_run: Run
    own: Evaluation


def policy_kind(policy: Policy) -> str:
    """What sort of policy it is: "floor", "lam", or "own" (λ = 0, the recommender's own lists)."""
    return "floor" if policy.floor is not None else "own" if policy.lam == 0 else "lam"


def procedure_words(policy: Policy) -> list[str]:
    """What of the procedure is the paper's instead of the default, in words; nothing of it matters
    for the own lists."""
    kind = policy_kind(policy)
    words = []
    if kind == "floor" and policy.floor_method == "first-lambda":
        words.append("first λ that reaches it")
    if kind == "lam" and policy.method == "greedy":
        words.append("greedy without swaps")
    if kind != "own" and policy.order == "greedy":
        words.append("lists as picked")
    return words


def policy_description(policy: Policy) -> str:
    """A policy in words, naming everything that is not the default."""
    kind = policy_kind(policy)
    words = [
        (
            f"floor τ = {policy.floor:g}"
            if kind == "floor"
            else "own lists (λ = 0)"
            if kind == "own"
            else f"λ = {policy.lam:g}"
        )
    ]
    words.append(f"k = {policy.k}")
    strategy = STRATEGIES[policy.strategy]
    words += [] if kind == "own" else [strategy[0].lower() + strategy[1:]]
    for what, given in (("targets", policy.targets), ("weights", policy.weights)):
        if isinstance(given, LearnerValues):
            words.append(f"{what} for {count(len(given.ids), 'learner')}")
        elif given is not None:
            words.append(
                f"{what}: " + ", ".join(f"{name} {value:g}" for name, value in dict(given).items())
            )
    if policy.principles is not None:
        words.append(f"judged by {join([principle.name for principle in policy.principles])}")
    words += [_SCALES[policy.relevance_scale]] if policy.relevance_scale in _SCALES else []
    words += [] if policy.pool == "stored" else ["whole catalogue"]
    words += procedure_words(policy)
    return ", ".join(words)


def scenario_intervals(
    scenarios: Sequence[MeasuredScenario], progress: Progress | None = None
) -> list[pd.DataFrame]:
    """For each scenario, the intervals of its measures and of their changes from the own lists
    (:func:`equity_core.metrics.intervals`)."""
    out = []
    for done, one in enumerate(scenarios):
        report(progress, done, len(scenarios))
        out.append(intervals(one.evaluation, one.own))
    return out


def comparison_table(
    scenarios: Sequence[MeasuredScenario], known: Sequence[pd.DataFrame] | None = None
) -> pd.DataFrame:
    """One row per scenario, with its measures and how they change from the own lists.

    Columns: recommender, policy, kind; for each measure its value, that of the own lists (_own) and
    the change (_change), both with the ends of their 95 % bootstrap intervals (ndcg_low, …,
    ndcg_change_low, …; ``known``: the result of :func:`scenario_intervals`, if there is one);
    ndcg_share (the change as a share); unreached (learners short of the floor); changed (share of
    lists that differ); lam (mean); k; and the mean of every principle.
    """
    rows = []
    for one, found in zip(scenarios, known or scenario_intervals(scenarios), strict=True):
        now, own, ends = one.evaluation, one.own, found.to_dict("index")
        listed = ~np.isnan(now.per_learner_consistency)
        row: dict[str, object] = {
            "scenario": one.name,
            "recommender": label(one.run.algorithm),
            "policy": policy_description(one.run.policy),
            "kind": policy_kind(one.run.policy),
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


def not_clearly_different(
    scenarios: Sequence[MeasuredScenario], name: str, measure: str
) -> list[str]:
    """The scenarios that do not clearly differ from the named one in a measure: the paired interval
    of the difference contains 0."""
    here = next((one for one in scenarios if one.name == name), None)
    out = []
    for one in scenarios:
        if here is not None and one.name != name:
            row = intervals(here.evaluation, one.evaluation).loc[measure]
            if not row["change_low"] > 0 and not row["change_high"] < 0:
                out.append(one.name)
    return out


def comparison_sentence(frame: pd.DataFrame, scenarios: Sequence[MeasuredScenario] = ()) -> str:
    """Which scenario is the most equal, which keeps the most NDCG, and whether one is best in both;
    given the scenarios, also which differences are not clear."""
    if len(frame) < 2:
        return "There is only one scenario: choose a second one to compare it with."
    if frame["equality"].isna().all():
        return "No learner has a list in any scenario."
    equality, ndcg = frame["equality"].to_dict(), frame["ndcg"].dropna().to_dict()
    equal = max(
        (name for name in equality if not math.isnan(equality[name])), key=equality.__getitem__
    )
    alike = not_clearly_different(scenarios, str(equal), "equality")
    head = f"{equal} is the most equal ({decimal(equality[equal], 3)}"
    head += f", no clear difference from {join(alike)})" if alike else ")"
    if not ndcg:
        return f"{head}; NDCG is not known, because there is no test part."
    near = max(ndcg, key=ndcg.__getitem__)
    kept = decimal(ndcg[near], 4)
    if near == equal:
        return (
            f"{head} and keeps the most relevance (NDCG {kept}): no other scenario here is better"
            " in either."
        )
    lost = 1.0 - ndcg.get(equal, math.nan) / ndcg[near] if ndcg[near] > 0 else math.nan
    if equal in not_clearly_different(scenarios, str(near), "ndcg"):
        price = ", with no clear difference in NDCG from"
    else:
        price = f", with {percent(lost)} less NDCG than" if lost > 0 else ", against"
    return f"{head}{price} {near}, which keeps the most relevance (NDCG {kept})."


def caveats(frame: pd.DataFrame, scenarios: Sequence[MeasuredScenario]) -> list[str]:
    """Warnings where the scenarios are not measured in the same way."""
    out = []
    if len(set(frame["k"])) > 1:
        out.append("List lengths differ, and NDCG, consistency and equality all depend on k.")
    if len({one.run.policy.principles for one in scenarios}) > 1:
        out.append(
            "Principles differ: consistency and equality are measured by each scenario's own"
            " principles."
        )
    elif any(
        not np.array_equal(one.evaluation.targets, scenarios[0].evaluation.targets)
        for one in scenarios[1:]
    ):
        out.append(
            "Targets differ: consistency and equality are measured against each scenario's own"
            " targets."
        )
    return out


def paired_comparison(
    before: MeasuredScenario, after: MeasuredScenario, progress: Progress | None = None
) -> pd.DataFrame:
    """One row per measure: before, after, change, change_low and change_high (its paired 95 %
    bootstrap interval), n, and p (of a paired permutation test)."""
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


def is_clear(row: pd.Series) -> bool:
    """Whether a difference is clear: its interval excludes 0, and chance alone would rarely produce
    it."""
    return (
        not math.isnan(row["p"])
        and row["p"] <= CLEAR_P
        and (row["change_low"] > 0 or row["change_high"] < 0)
    )


def paired_sentence(frame: pd.DataFrame, before: str, after: str) -> str:
    """Which measures clearly differ between two scenarios, and which do not."""
    differ, alike = [], []
    for name, row in frame.iterrows():
        if math.isnan(row["change"]):
            continue
        if is_clear(row):
            more = "higher" if row["change"] > 0 else "lower"
            differ.append(
                f"{_MEASURES[str(name)]} is {more} by {abs(row['change']):.3f}"
                f" ({row['change_low']:+.3f} to {row['change_high']:+.3f})"
            )
        else:
            alike.append(_MEASURES[str(name)])
    head = f"With {after}, compared with {before}: "
    parts = [join(differ)] if differ else []
    parts += [f"no clear difference in {join(alike)}"] if alike else []
    return (
        (head + "; ".join(parts) + ".").replace("-", "−")
        if parts
        else f"{head}nothing can be compared."
    )
