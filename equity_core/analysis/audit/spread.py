"""How consistency is distributed over learners, for every recommender: figure 3a (sorted) and the
Lorenz curve."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.algorithms import label
from equity_core.metrics.evaluate import Evaluation
from equity_core.metrics.inequality import lorenz

POINTS = 161
"""Points of a curve: all learners if there are no more, otherwise this many at equal steps,
including the first and the last."""


def _points(count: int, points: int) -> npt.NDArray[np.int64]:
    return (
        np.arange(count)
        if count <= points
        else np.round(np.linspace(0, count - 1, points)).astype(np.int64)
    )


def sorted_consistency(evaluations: Mapping[str, Evaluation], points: int = POINTS) -> pd.DataFrame:
    """Figure 3a: consistency of each learner's list, worst-off first. One row per algorithm and
    point of its curve: algorithm, label, rank (from 1), share (rank / learners), consistency.

    Learners without a list are left out; an algorithm without any has no rows.
    """
    frames = []
    for algorithm, evaluation in evaluations.items():
        known = np.sort(
            evaluation.per_learner_consistency[~np.isnan(evaluation.per_learner_consistency)]
        )
        at = _points(len(known), points)
        columns = {"rank": at + 1, "share": (at + 1) / max(len(known), 1), "consistency": known[at]}
        frames.append(pd.DataFrame({"algorithm": algorithm, "label": label(algorithm), **columns}))
    return pd.concat(frames, ignore_index=True)


def lorenz_curves(evaluations: Mapping[str, Evaluation], points: int = POINTS) -> pd.DataFrame:
    """The Lorenz curve of consistency. One row per algorithm and point of its curve: algorithm,
    label, share (of learners, worst-off first), held (their share of total consistency), missing
    (share − held: how far the curve is below the line of equality)."""
    frames = []
    for algorithm, evaluation in evaluations.items():
        share, held = lorenz(np.maximum(evaluation.per_learner_consistency, 0.0))
        at = _points(len(share), points)
        columns = {"share": share[at], "held": held[at], "missing": share[at] - held[at]}
        frames.append(pd.DataFrame({"algorithm": algorithm, "label": label(algorithm), **columns}))
    return pd.concat(frames, ignore_index=True)


def sorted_consistency_sentence(table: pd.DataFrame, chosen: str) -> str:
    """The lowest and the highest consistency of a learner's list with the chosen recommender."""
    row = table.loc[chosen].to_dict()
    if row["learners"] == 0:
        return f"{row['label']} has no list for any learner."
    n = int(row["learners"])
    return (
        f"{row['label']}: consistency ranges from {row['min']:.2f} for the worst-off learner to"
        f" {row['max']:.2f} for the best-off (n = {n:,})."
    )


def lorenz_sentence(evaluations: Mapping[str, Evaluation], chosen: str) -> str:
    """The share of total consistency that the worst-off tenth and half of the learners receive."""
    values = np.maximum(evaluations[chosen].per_learner_consistency, 0.0)
    share, held = lorenz(values)
    if len(share) < 2:
        return f"{label(chosen)} has no list for any learner."
    tenth, half = np.interp([0.1, 0.5], share, held)
    parts = (
        f"the worst-off tenth of the learners receives {tenth:.1%} of total consistency, the"
        f" worst-off half {half:.1%}"
    )
    return f"{label(chosen)}: {parts}.".replace("%", " %")
