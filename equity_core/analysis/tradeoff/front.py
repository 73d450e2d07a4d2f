"""What the main picture of Trade-off marks and says: the current point, its gap to the other path,
the policies that beat it, and how both kinds of policy compare.

The picture itself is :mod:`equity_core.charts.tradeoff.front`; its paths are those of
:mod:`equity_core.analysis.tradeoff.paths`.
"""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from equity_core.analysis.tradeoff.headline import policy_kind, policy_name, policy_name_inside
from equity_core.analysis.tradeoff.paths import at_consistency, crossing
from equity_core.analysis.words import count, join, signed
from equity_core.metrics.evaluate import Evaluation
from equity_core.policy import Policy

SEEN = 1e-3
"""A gap in equality below this is not drawn."""


def current_point(policy: Policy, evaluation: Evaluation) -> dict[str, Any]:
    """The current policy as a point of the picture: ndcg, equality, text."""
    kind = policy_kind(policy)
    name = "Own lists" if kind == ("lam", 0.0) else policy_name(*kind)
    return {"ndcg": evaluation.ndcg, "equality": evaluation.equality, "text": f"{name}: chosen"}


def gap_to_other_path(evaluation: Evaluation, other: pd.DataFrame) -> dict[str, Any] | None:
    """How far the path of the other kind of policy is at the same NDCG: ndcg, low, high, text; None
    where that path does not pass there, or by less than shows."""
    there = crossing(other, evaluation.ndcg, "ndcg", "equality")
    if math.isnan(there) or abs(there - evaluation.equality) < SEEN:
        return None
    text = f"{signed(evaluation.equality - there, 3)} equality\nat the same NDCG"
    return {
        "ndcg": evaluation.ndcg,
        "low": min(there, evaluation.equality),
        "high": max(there, evaluation.equality),
        "text": text,
    }


def better_policies_sentence(better: pd.DataFrame) -> str:
    """Whether any policy beats the current one. ``better``:
    :func:`equity_core.analysis.tradeoff.paths.dominating`."""
    if better.empty:
        return "No policy on either path beats the current one on both measures."
    top = better.iloc[0]
    name = policy_name_inside(policy_name(str(top["kind"]), float(top["value"])))
    return (
        f"Ringed in green: {count(len(better), 'policy', 'policies')} that"
        f" beat{'s' if len(better) == 1 else ''} the current one on both measures, {name} first."
    )


def sample_sentence(paths: pd.DataFrame, learners: int) -> str:
    """That the paths come from a sample, where they do; else "". It starts with a space, to follow
    another sentence."""
    used = int(paths.attrs.get("learners", learners))
    return (
        ""
        if used >= learners
        else f" Both paths show a sample of {used:,} learners, the current point all {learners:,}."
    )


def with_published(paths: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Both paths and, below them, those of published methods: the table of the picture."""
    out = pd.concat([paths, published.drop(columns="name")], ignore_index=True)
    out.attrs = dict(paths.attrs)
    return out


def alternative_text(both: dict[str, pd.DataFrame], published: pd.DataFrame | None = None) -> str:
    """The picture for those who do not see it: where both paths (by kind) begin and end, and which
    published methods are beside them.

    Of the paths only: an alternative text that followed the slider would make the browser build the
    whole picture again at every move; the current policy is in the sentence above it.
    """
    parts = []
    for kind, name in (("floor", "the floor"), ("lam", "one λ for all")):
        path = both[kind].dropna(subset=["ndcg", "equality"])
        if len(path):
            parts.append(
                f"{name} runs from NDCG {path['ndcg'].iloc[0]:.4f} and equality"
                f" {path['equality'].iloc[0]:.3f} to {path['ndcg'].iloc[-1]:.4f} and"
                f" {path['equality'].iloc[-1]:.3f}"
            )
    beside = [] if published is None else list(dict.fromkeys(published["name"]))
    if parts and beside:
        parts.append(f"in grey, from the own lists on, {join(beside)}")
    return f"NDCG against equality: {'; '.join(parts) or 'nothing to draw'}."


def floor_against_lam_sentence(lam_path: pd.DataFrame, floor: Evaluation) -> str:
    """Both sides of the truth: what one λ gives at a floor's mean consistency."""
    there = at_consistency(lam_path, floor.consistency)
    if math.isnan(there["ndcg"]) or math.isnan(floor.ndcg):
        return (
            "A floor helps those below it; one λ changes every list, even those that already meet"
            " the targets."
        )
    gap = there["ndcg"] - floor.ndcg
    about = (
        "about the same NDCG"
        if abs(gap) <= 0.03 * max(floor.ndcg, 1e-9)
        else f"{'more' if gap > 0 else 'less'} NDCG"
    )
    return (
        f"At a similar mean consistency ({floor.consistency:.3f}), one λ has {about}"
        f" ({there['ndcg']:.4f} compared with {floor.ndcg:.4f}) and equality"
        f" {there['equality']:.3f} compared with {floor.equality:.3f}. A floor helps those below"
        " it; one λ changes every list."
    )
