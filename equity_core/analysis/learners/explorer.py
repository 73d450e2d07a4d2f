"""Every learner as one point, and what those that somebody picks out have in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from equity_core.analysis.learners.population import SAME
from equity_core.analysis.words import count, signed

GROUPS = ("keeps the list", "NDCG as before", "NDCG rises", "NDCG falls", "NDCG unknown")
"""What the policy does to a learner's list and its relevance."""
SHOWN = (
    "learner_id",
    "consistency_before",
    "consistency",
    "gain",
    "price",
    "lam",
    "new",
    "hits_lost",
    "hits_found",
    "group",
)


def points(people: pd.DataFrame) -> pd.DataFrame:
    """A row a learner that has a list, indexed by position: the columns SHOWN of
    audit.gains.learners, and the group."""
    price = people["price"]
    picked = [~people["changed"], price.isna(), price > SAME, price < -SAME]
    group = np.select(
        [one.to_numpy() for one in picked], [GROUPS[0], GROUPS[4], GROUPS[2], GROUPS[3]], GROUPS[1]
    )
    shown: pd.DataFrame = people.assign(group=group).dropna(
        subset=["consistency_before", "consistency"]
    )[list(SHOWN)]
    return shown


def sentence(shown: pd.DataFrame) -> str:
    """The whole cloud in words."""
    if shown.empty:
        return "No learner has a list."
    above = int((shown["gain"] > SAME).sum())
    below = int((shown["gain"] < -SAME).sum())
    return (
        f"{count(above, 'learner')} of {len(shown):,} gain consistency (above the line), {below:,}"
        " lose some (below it). Draw around points to see who they are."
    )


def picked_sentence(shown: pd.DataFrame, picked: Sequence[int]) -> str:
    """Those picked out (positions of learners) in words."""
    rows = shown.loc[[at for at in picked if at in shown.index]]
    if rows.empty:
        return "Nobody is picked out."
    falls = int((rows["group"] == GROUPS[3]).sum())
    return (
        f"{count(len(rows), 'learner')} picked out: consistency"
        f" {rows['consistency_before'].mean():.3f} → {rows['consistency'].mean():.3f}"
        f" ({signed(float(rows['gain'].mean()), 3)} on average); NDCG falls for {falls:,},"
        f" {int(rows['hits_lost'].sum()):,} courses taken later leave the lists and"
        f" {int(rows['hits_found'].sum()):,} come in."
    )
