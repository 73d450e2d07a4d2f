"""Figures 3a and the Lorenz curve: how consistency is spread over learners, algorithm by
algorithm."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.metrics.evaluate import Evaluation
from equity_core.metrics.inequality import lorenz
from equity_core.recommenders.registry import label

POINTS = 161
"""Points of a curve: all learners where there are no more, else this many at equal steps, the first
and the last among them."""


def _at(count: int, points: int) -> npt.NDArray[np.int64]:
    return (
        np.arange(count)
        if count <= points
        else np.round(np.linspace(0, count - 1, points)).astype(np.int64)
    )


def sorted_consistency(evaluations: Mapping[str, Evaluation], points: int = POINTS) -> pd.DataFrame:
    """Consistency of each learner's list, worst-off first: algorithm, label, rank (from 1), share
    (rank / learners), consistency.

    Learners without a list are left out; an algorithm without any has no rows.
    """
    frames = []
    for algorithm, evaluation in evaluations.items():
        known = np.sort(
            evaluation.per_learner_consistency[~np.isnan(evaluation.per_learner_consistency)]
        )
        at = _at(len(known), points)
        columns = {"rank": at + 1, "share": (at + 1) / max(len(known), 1), "consistency": known[at]}
        frames.append(pd.DataFrame({"algorithm": algorithm, "label": label(algorithm), **columns}))
    return pd.concat(frames, ignore_index=True)


def lorenz_curves(evaluations: Mapping[str, Evaluation], points: int = POINTS) -> pd.DataFrame:
    """The Lorenz curve of consistency: algorithm, label, share (of learners, worst-off first), held
    (their share of all consistency), missing (share − held: how far the curve is below the line of
    equality)."""
    frames = []
    for algorithm, evaluation in evaluations.items():
        share, held = lorenz(np.maximum(evaluation.per_learner_consistency, 0.0))
        at = _at(len(share), points)
        columns = {"share": share[at], "held": held[at], "missing": share[at] - held[at]}
        frames.append(pd.DataFrame({"algorithm": algorithm, "label": label(algorithm), **columns}))
    return pd.concat(frames, ignore_index=True)


def sorted_sentence(table: pd.DataFrame, chosen: str) -> str:
    """What the sorted curve of the chosen algorithm says."""
    row = table.loc[chosen].to_dict()
    if row["learners"] == 0:
        return f"{row['label']} has no list for any learner."
    n = int(row["learners"])
    return (
        f"{row['label']}: from {row['min']:.2f} for the worst-off learner to {row['max']:.2f} for"
        f" the best-off (n = {n:,})."
    )


def lorenz_sentence(evaluations: Mapping[str, Evaluation], chosen: str) -> str:
    """The share of all consistency that the worst-off tenth and half hold."""
    values = np.maximum(evaluations[chosen].per_learner_consistency, 0.0)
    share, held = lorenz(values)
    if len(share) < 2:
        return f"{label(chosen)} has no list for any learner."
    tenth, half = np.interp([0.1, 0.5], share, held)
    parts = (
        f"the worst-off tenth of the learners holds {tenth:.1%} of all consistency, the worst-off"
        f" half {half:.1%}"
    )
    return f"{label(chosen)}: {parts}.".replace("%", " %")
