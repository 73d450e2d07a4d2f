"""The principles of the recommenders' own lists: figures 4 and 5 (mean, sd, min and max over
learners) and figure 6 (rank correlation with consistency, learner by learner)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.algorithms import label
from equity_core.analysis.words import count, decimal, join, same
from equity_core.metrics.evaluate import Evaluation
from equity_core.metrics.inequality import equality

Floats = npt.NDArray[np.float64]
LARGELY_MET = 0.8
"""A principle whose mean is at least this is called largely met."""


def principles_by_algorithm(evaluations: Mapping[str, Evaluation]) -> pd.DataFrame:
    """One row per algorithm and principle: mean, sd (population), min and max over the learners
    that have a list, equality (1 − Gini of the principle's value over these learners), mean target,
    number of learners."""
    frames = []
    for algorithm, evaluation in evaluations.items():
        frame = evaluation.principles.reset_index()
        frame.insert(0, "label", label(algorithm))
        frame.insert(0, "algorithm", algorithm)
        frame["equality"] = _equalities(evaluation)
        frame["target"] = np.broadcast_to(evaluation.targets, evaluation.values.shape).mean(axis=0)
        frame["learners"] = len(evaluation.learner_ids) - evaluation.without_list
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def principles_sentence(frame: pd.DataFrame) -> str:
    """What holds for every recommender: the lowest principle, those that vary most between
    learners, those largely met."""
    known = frame.dropna(subset=["mean"])
    if known.empty:
        return "No recommender has a list for any learner."
    principles, algorithms = list(dict.fromkeys(known["principle"])), known["algorithm"].nunique()
    means = known.pivot_table(index="principle", columns="algorithm", values="mean", sort=False)
    gaps = (known["target"] - known["mean"]).abs().groupby(known["principle"], sort=False).mean()
    every = "every recommender" if algorithms > 1 else "the recommender"
    if len(principles) == 1:
        return (
            f"The only principle, {principles[0]}, has a mean of {known['mean'].mean():.2f} over"
            f" {'all recommenders' if algorithms > 1 else every}."
        )
    weakest = {str(means[column].idxmin()) for column in means.columns}
    parts = []
    if len(weakest) == 1:
        parts.append(f"{next(iter(weakest)).capitalize()} is the lowest principle for {every}")
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
            f"{join(widest)} {'vary' if len(widest) > 1 else 'varies'} most between learners"
        )
    met = [name for name in principles if float(means.loc[name].min()) >= LARGELY_MET]
    if met:
        parts.append(
            f"{join(met)} {'reach' if len(met) > 1 else 'reaches'} {LARGELY_MET:g} or more with"
            f" {every}"
        )
    return "; ".join(parts) + "."


MEAN_ROW, CONSISTENCY_ROW = "mean of the principles", "consistency"
"""Rows of :func:`equality_by_principle` beside the principles."""


def _equalities(evaluation: Evaluation) -> list[float]:
    """1 − Gini over learners of each principle's value. (The last digit of a value may be below
    0.)"""
    return [equality(np.maximum(column, 0.0)) for column in evaluation.values.T]


def mean_equality(evaluation: Evaluation) -> float:
    """The mean over the principles of 1 − Gini of the principle's value over learners; NaN if no
    learner has a list."""
    return float(np.mean(_equalities(evaluation)))


def equality_by_principle(evaluations: Mapping[str, Evaluation]) -> pd.DataFrame:
    """One row per algorithm and principle, then their mean, then consistency: equality, and the
    number of learners with a list."""
    rows = []
    for algorithm, evaluation in evaluations.items():
        each = _equalities(evaluation)
        for of, value in (
            *zip(evaluation.names, each, strict=True),
            (MEAN_ROW, float(np.mean(each))),
            (CONSISTENCY_ROW, evaluation.equality),
        ):
            rows.append(
                {
                    "algorithm": algorithm,
                    "label": label(algorithm),
                    "of": of,
                    "equality": value,
                    "learners": len(evaluation.learner_ids) - evaluation.without_list,
                }
            )
    return pd.DataFrame(rows)


def equality_by_principle_sentence(frame: pd.DataFrame) -> str:
    """Which principle is the least equal over learners, and whether consistency is more equal than
    the principles are on average."""
    known = frame.dropna(subset=["equality"])
    if known.empty:
        return "No recommender has a list for any learner."
    several = known["algorithm"].nunique()
    over = "on average over the recommenders" if several > 1 else "with the only recommender"
    mean = known.groupby("of", sort=False)["equality"].mean()
    each = mean.drop([MEAN_ROW, CONSISTENCY_ROW])
    whole, parts = float(mean[CONSISTENCY_ROW]), float(mean[MEAN_ROW])
    compared = (
        "as equal as"
        if same(whole, parts)
        else "more equal than"
        if whole > parts
        else "less equal than"
    )
    return (
        f"{str(each.idxmin()).capitalize()} is spread least equally over learners"
        f" ({decimal(float(each.min()), 3)}), {each.idxmax()!s} most equally"
        f" ({decimal(float(each.max()), 3)}), {over}. Consistency ({decimal(whole, 3)}) is"
        f" {compared} the principles on average ({decimal(parts, 3)})."
        if len(each) > 1 and not same(float(each.min()), float(each.max()))
        else f"The principles are spread equally over learners: {decimal(parts, 3)}, {over};"
        f" consistency: {decimal(whole, 3)}."
    )


# Not scipy.stats.spearmanr: it gives the same to 1e-17, but importing scipy.stats takes 0.55 s of
# processor time, on a reader's first look at Audit. The 70 correlations of ten recommenders take
# 0.017 s here and 0.036 s there with 2,000 learners (the demo), 0.26 s and 0.59 s with 43,021 (the
# paper's).
def _ranks(values: Floats) -> Floats:
    """Ranks centred on their mean; equal values share their mean rank."""
    return np.asarray(pd.Series(values).rank() - (len(values) + 1) / 2.0, dtype=np.float64)


def _cosine(a: Floats, b: Floats) -> float:
    """Correlation of centred values; NaN for fewer than three values or if all are equal."""
    lengths = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / lengths if len(a) >= 3 and lengths > 0 else math.nan


def spearman(x: Floats, y: Floats) -> float:
    """Spearman's rank correlation (equal values share their mean rank); NaN for fewer than three
    pairs or if all values of one side are equal."""
    return _cosine(_ranks(x), _ranks(y))


def correlations_with_consistency(evaluations: Mapping[str, Evaluation]) -> pd.DataFrame:
    """One row per algorithm and principle: Spearman's rho between the principle's value and
    consistency over the learners that have a list, and their number."""
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


def correlations_sentence(frame: pd.DataFrame) -> str:
    """The principles that correlate most with consistency, on average over the recommenders, and
    those that correlate negatively."""
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
        f"Consistency correlates most with {join(named)}, {over}."
        if named
        else f"No principle correlates positively with consistency ({over})."
    )
    against = [str(name) for name in mean.index if mean[name] < -0.1]
    return head + (
        f" {join(against).capitalize()} {'correlate' if len(against) > 1 else 'correlates'}"
        " negatively with it."
        if against
        else ""
    )
