"""Figure 6: which principles go with overall consistency, learner by learner (Spearman's rank
correlation)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.words import count, join
from equity_core.metrics.evaluate import Evaluation
from equity_core.recommenders.registry import label

Floats = npt.NDArray[np.float64]


def _ranks(values: Floats) -> Floats:
    """Ranks centred on their mean; equals share the mean rank."""
    return np.asarray(pd.Series(values).rank() - (len(values) + 1) / 2.0, dtype=np.float64)


def _cosine(a: Floats, b: Floats) -> float:
    """Correlation of centred values; NaN for fewer than three or without any spread."""
    lengths = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / lengths if len(a) >= 3 and lengths > 0 else math.nan


def spearman(x: Floats, y: Floats) -> float:
    """Rank correlation (equals share the mean rank); NaN for fewer than three pairs or without any
    spread."""
    return _cosine(_ranks(x), _ranks(y))


def with_consistency(evaluations: Mapping[str, Evaluation]) -> pd.DataFrame:
    """A row an algorithm and principle: rho between the principle's value and consistency over the
    learners that have a list, and n."""
    rows = []
    for algorithm, evaluation in evaluations.items():
        known = ~np.isnan(evaluation.per_learner_consistency)
        overall, learners = _ranks(evaluation.per_learner_consistency[known]), int(known.sum())
        for m, principle in enumerate(evaluation.names):
            rho = _cosine(_ranks(evaluation.values[known, m]), overall)
            rows.append(
                {
                    "algorithm": algorithm,
                    "label": label(algorithm),
                    "principle": principle,
                    "rho": rho,
                    "learners": learners,
                }
            )
    return pd.DataFrame(rows)


def sentence(frame: pd.DataFrame) -> str:
    """The principles that go with consistency most, on average over the algorithms, and those that
    go against it."""
    known = frame.dropna(subset=["rho"])
    if known.empty:
        return (
            "There are too few learners, or too little difference between them, for a correlation."
        )
    mean = (
        known.groupby("principle", sort=False)["rho"]
        .mean()
        .sort_values(ascending=False, kind="stable")
    )
    named = [
        f"{name} ({mean[name]:.2f})" for name in mean.index[: min(3, len(mean))] if mean[name] > 0
    ]
    over = f"mean over {count(known['algorithm'].nunique(), 'recommender')}"
    head = (
        f"Consistency goes most with {join(named)}, {over}."
        if named
        else f"No principle goes with consistency ({over})."
    )
    against = [str(name) for name in mean.index if mean[name] < -0.1]
    return head + (
        f" {join(against).capitalize()} {'go' if len(against) > 1 else 'goes'} against it."
        if against
        else ""
    )
