"""Figures 4 and 5: each principle's mean, sd, min and max over learners, for every algorithm."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from equity_core.analysis.words import join
from equity_core.metrics.evaluate import Evaluation
from equity_core.recommenders.registry import label

LARGELY_MET = 0.8
OFTEN_MISSED = 0.5


def by_algorithm(evaluations: Mapping[str, Evaluation]) -> pd.DataFrame:
    """A row an algorithm and principle: mean, sd (population), min and max over the learners that
    have a list, mean target, n."""
    frames = []
    for algorithm, evaluation in evaluations.items():
        frame = evaluation.principles.reset_index()
        frame.insert(0, "label", label(algorithm))
        frame.insert(0, "algorithm", algorithm)
        frame["target"] = np.broadcast_to(evaluation.targets, evaluation.values.shape).mean(axis=0)
        frame["learners"] = len(evaluation.learner_ids) - evaluation.without_list
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def sentence(frame: pd.DataFrame) -> str:
    """What holds for every algorithm: the weakest principle, those largely met, those that differ
    most between learners."""
    known = frame.dropna(subset=["mean"])
    if known.empty:
        return "No recommender has a list for any learner."
    principles, algorithms = list(dict.fromkeys(known["principle"])), known["algorithm"].nunique()
    means = known.pivot_table(index="principle", columns="algorithm", values="mean", sort=False)
    gaps = (known["target"] - known["mean"]).abs().groupby(known["principle"], sort=False).mean()
    every = "every recommender" if algorithms > 1 else "the recommender"
    if len(principles) == 1:
        return (
            f"The one principle, {principles[0]}, has a mean of {known['mean'].mean():.2f} over"
            f" {every}."
        )
    weakest = {str(means[column].idxmin()) for column in means.columns}
    parts = []
    if len(weakest) == 1:
        parts.append(f"{next(iter(weakest)).capitalize()} is the lowest principle of {every}")
    else:
        parts.append(f"{str(gaps.idxmax()).capitalize()} is furthest from its target on average")
    spread = (
        known.groupby("principle", sort=False)["sd"]
        .mean()
        .sort_values(ascending=False, kind="stable")
    )
    widest = [str(name) for name in spread.index[: min(2, len(principles) - 1)] if spread[name] > 0]
    if widest:
        parts.append(
            f"{join(widest)} {'differ' if len(widest) > 1 else 'differs'} most between learners"
        )
    met = [name for name in principles if float(means.loc[name].min()) >= LARGELY_MET]
    if met:
        parts.append(
            f"{join(met)} {'are' if len(met) > 1 else 'is'} at {LARGELY_MET:g} or more with {every}"
        )
    return "; ".join(parts) + "."
