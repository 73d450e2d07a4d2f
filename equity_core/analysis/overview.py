"""The worst-off tenth of the learners before and after a policy: frames and sentence of the
Overview.

Who belongs to the tenth is decided by the recommender's own lists
(:func:`equity_core.metrics.inequality.lowest_tenth`), so that the same learners are followed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from equity_core.analysis.words import decimal
from equity_core.metrics.evaluate import Evaluation
from equity_core.metrics.inequality import known_mean, lowest_tenth


def worst_off_groups(own: Evaluation, now: Evaluation) -> pd.DataFrame:
    """One row per group ("worst-off tenth", "others"): learners, consistency_before,
    consistency_after, ndcg_before, ndcg_after (means)."""
    tenth = lowest_tenth(own.per_learner_consistency)
    rows = []
    for name, chosen in (
        ("worst-off tenth", tenth),
        ("others", ~tenth & ~np.isnan(own.per_learner_consistency)),
    ):
        row: dict[str, Any] = {"group": name, "learners": int(chosen.sum())}
        for when, evaluation in (("before", own), ("after", now)):
            row[f"consistency_{when}"] = known_mean(evaluation.per_learner_consistency[chosen])
            row[f"ndcg_{when}"] = known_mean(evaluation.per_learner_ndcg[chosen])
        rows.append(row)
    return pd.DataFrame(rows).set_index("group")


def worst_off_principles(own: Evaluation, now: Evaluation) -> pd.DataFrame:
    """One row per principle: its mean over the worst-off tenth before and after, and over the
    others before."""
    tenth = lowest_tenth(own.per_learner_consistency)
    rest = ~tenth & ~np.isnan(own.per_learner_consistency)
    return pd.DataFrame(
        {
            "before": [known_mean(own.values[tenth, m]) for m in range(len(own.names))],
            "after": [known_mean(now.values[tenth, m]) for m in range(len(own.names))],
            "others": [known_mean(own.values[rest, m]) for m in range(len(own.names))],
        },
        index=pd.Index(own.names, name="principle"),
    )


def worst_off_sentence(groups: pd.DataFrame) -> str:
    """The consistency of the worst-off tenth before and after, and that of the others after.
    ``groups``: :func:`worst_off_groups`."""
    before, after = (
        float(groups[f"consistency_{when}"].loc["worst-off tenth"]) for when in ("before", "after")
    )
    if math.isnan(before) or math.isnan(after):
        return "No learner has a list."
    rest = f"the others have {decimal(float(groups['consistency_after'].loc['others']), 3)}."
    subject = "The mean consistency of the tenth of learners worst off today"
    if abs(after - before) < 5e-4:
        return f"{subject} stays at {after:.3f}; {rest}"
    verb = "rises" if after > before else "falls"
    return f"{subject} {verb} from {before:.3f} to {after:.3f}; {rest}"
