"""Table 1: the recommenders before any re-ranking, beside the paper's own figures."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from equity_core.algorithms import family, label
from equity_core.analysis.audit.principles import mean_equality, spearman
from equity_core.analysis.words import count, decimal, ordinal, rank, same, signed
from equity_core.metrics.evaluate import Evaluation
from equity_core.metrics.inequality import highest_tenth, known_mean, lowest_tenth
from equity_core.metrics.intervals import intervals

PAPER = pd.DataFrame(
    {
        "ndcg": [0.000, 0.035, 0.072, 0.021, 0.001, 0.000, 0.010, 0.008, 0.042, 0.013],
        "consistency": [0.586, 0.516, 0.618, 0.615, 0.578, 0.572, 0.652, 0.662, 0.699, 0.717],
        "equality": [0.872, 0.795, 0.885, 0.891, 0.850, 0.847, 0.906, 0.917, 0.959, 0.969],
    },
    index=pd.Index(
        [
            "random",
            "toppopular",
            "userknn",
            "itemknn",
            "p3alpha",
            "rp3beta",
            "gmf",
            "neumf",
            "itemknncb",
            "coupledcf",
        ],
        name="algorithm",
    ),
)
"""The paper's Table 1: COCO, 43,021 learners, 24,321 courses, k = 10, every target and weight 1."""


def table(
    evaluations: Mapping[str, Evaluation], known_intervals: Mapping[str, pd.DataFrame] | None = None
) -> pd.DataFrame:
    """One row per algorithm: label, family, ndcg, consistency with its sd, min and max over
    learners, equality, mean equality of the principles, mean consistency of the worst-off and of
    the best-off tenth, number of learners with a list and with an NDCG, and the 95 % bootstrap
    intervals of the three measures (ndcg_low, ndcg_high, …). NaN where no learner has a value.

    ``known_intervals``: :func:`equity_core.metrics.intervals.intervals` by algorithm, if computed
    already.
    """
    rows = []
    for algorithm, evaluation in evaluations.items():
        values = evaluation.per_learner_consistency
        known = values[~np.isnan(values)]
        some = known.size > 0
        rows.append(
            {
                "algorithm": algorithm,
                "label": label(algorithm),
                "family": family(algorithm),
                "ndcg": evaluation.ndcg,
                "consistency": evaluation.consistency,
                "sd": float(known.std()) if some else math.nan,
                "min": float(known.min()) if some else math.nan,
                "max": float(known.max()) if some else math.nan,
                "equality": evaluation.equality,
                "principle_equality": mean_equality(evaluation),
                "worst_tenth": known_mean(values[lowest_tenth(values)]),
                "best_tenth": known_mean(values[highest_tenth(values)]),
                "learners": int(known.size),
                "learners_ndcg": len(values) - evaluation.without_ndcg,
                **_interval_ends(
                    intervals(evaluation) if known_intervals is None else known_intervals[algorithm]
                ),
            }
        )
    return pd.DataFrame(rows).set_index("algorithm")


def _interval_ends(found: pd.DataFrame) -> dict[str, float]:
    return {
        f"{measure}_{end}": value
        for end in ("low", "high")
        for measure, value in found[end].to_dict().items()
    }


def with_paper(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per algorithm: label and the three measures, each beside the paper's, and the mean
    equality of the principles; NaN for an algorithm that is not in the paper."""
    out = frame[["label", "ndcg", "consistency", "equality", "principle_equality"]].copy()
    for column in PAPER.columns:
        beside = list(out.columns).index(column) + 1
        out.insert(beside, f"{column}_paper", PAPER[column].reindex(out.index))
    return out


def paper_sentence(frame: pd.DataFrame) -> str:
    """How closely the order of the algorithms matches the paper's."""
    shared = [name for name in frame.index if name in PAPER.index]
    if len(shared) < 3:
        return (
            "Too few of the paper's algorithms are here to compare their order. The paper's figures"
            " come from other learners and courses."
        )
    parts = []
    for column, words in (
        ("ndcg", "NDCG"),
        ("consistency", "consistency"),
        ("equality", "equality"),
    ):
        here, there = frame.loc[shared, column], PAPER.loc[shared, column]
        rho = spearman(here.to_numpy(dtype=np.float64), there.to_numpy(dtype=np.float64))
        if not (here.isna().any() or math.isnan(rho)):
            parts.append(f"{words} {signed(rho)}")
    if not parts:
        return (
            "The figures here cannot be ranked. The paper's come from other learners and courses."
        )
    return (
        f"Rank correlation with the paper over {count(len(shared), 'algorithm')}:"
        f" {', '.join(parts)} (1: the same order). The paper's figures come from other learners"
        " and courses, so only the order can be compared."
    )


def equality_reading_sentence(frame: pd.DataFrame) -> str:
    """Which reading of equality is closer to the paper's figures: that of consistency, or the mean
    over the principles; empty without a figure to compare."""
    shared = [name for name in frame.index if name in PAPER.index]
    both = frame.loc[shared, ["equality", "principle_equality"]].dropna()
    if both.empty:
        return ""
    there = PAPER.loc[both.index, "equality"]
    whole, parts = (
        float((both[column] - there).abs().mean()) for column in ("equality", "principle_equality")
    )
    closer = (
        "Both readings are as far"
        if same(whole, parts)
        else "The mean equality of the principles is closer"
        if parts < whole
        else "Equality of consistency is closer"
    )
    joined = "from" if same(whole, parts) else "to"
    return (
        f"{closer} {joined} the paper's equality: {decimal(whole, 3)} away on average with equality"
        f" of consistency, {decimal(parts, 3)} with the mean equality of the principles"
        f" ({count(len(both), 'algorithm')})."
    )


def audit_answer(frame: pd.DataFrame, chosen: str) -> tuple[str, str]:
    """The answer to "How unequal is it today?", as headline and rest: how equal the most accurate
    recommender is, then the worst-off and best-off tenths of the chosen one."""
    row = frame.loc[chosen].to_dict()
    name = str(row["label"])
    tail = (
        f"Its worst-off tenth of learners gets {decimal(row['worst_tenth'])} of what the principles"
        f" ask for, its best-off tenth {decimal(row['best_tenth'])}."
    )
    if math.isnan(row["consistency"]):
        return (
            f"{name} has no list for any learner.",
            "There is nothing to audit: choose another recommender.",
        )
    ranked = frame[frame["equality"].notna()]
    place = rank(ranked["equality"].tolist(), row["equality"])
    if len(ranked) == 1:
        accuracy = "" if math.isnan(row["ndcg"]) else f", NDCG {decimal(row['ndcg'], 3)}"
        return (
            (
                f"{name} meets {decimal(row['consistency'])} of what the principles ask for, on"
                " average:"
            ),
            f"equality {decimal(row['equality'], 3)}{accuracy}. {tail}",
        )
    with_ndcg = ranked[ranked["ndcg"].notna()]
    if with_ndcg.empty:
        first = ranked["label"].iloc[int(ranked["equality"].argmax())]
        return (
            f"{first} is the most equal of {len(ranked)} recommenders:",
            f"{name} has equality {decimal(row['equality'], 3)} ({ordinal(place)}). {tail}",
        )
    top = with_ndcg[[same(value, with_ndcg["ndcg"].max()) for value in with_ndcg["ndcg"]]]
    leader = (top.loc[chosen] if chosen in top.index else top.iloc[0]).to_dict()
    of_leader = rank(ranked["equality"].tolist(), leader["equality"])
    head = _leader_headline(of_leader, len(ranked))
    first_part = (
        f"{leader['label']} leads in NDCG ({decimal(leader['ndcg'], 3)}) and is"
        f" {ordinal(of_leader)} of {len(ranked)} in equality ({decimal(leader['equality'], 3)})."
    )
    if leader["label"] == name:
        return head, f"{first_part} {tail}"
    return (
        head,
        (
            f"{first_part} {name} is {ordinal(place)} ({decimal(row['equality'], 3)});"
            f" {tail[0].lower()}{tail[1:]}"
        ),
    )


def _leader_headline(place: int, of: int) -> str:
    if place == 1:
        return "The most accurate recommender is also the most equal:"
    if place == of:
        return "The most accurate recommender is the least equal:"
    if of >= 5 and place >= of - 1:
        return "The most accurate recommender is among the least equal:"
    return "The most accurate recommender is not the most equal:"


def consistency_equality_correlation(frame: pd.DataFrame) -> float:
    """Spearman's correlation of mean consistency and equality over the algorithms; NaN for fewer
    than three of them or if all values of one measure are equal."""
    both = frame[["consistency", "equality"]].dropna().to_numpy(dtype=np.float64)
    return spearman(both[:, 0], both[:, 1])


def consistency_equality_sentence(frame: pd.DataFrame) -> str:
    """Whether the recommenders with higher consistency are the more equal ones (the paper's
    Observation 2)."""
    rho, several = consistency_equality_correlation(frame), len(frame)
    if math.isnan(rho):
        return (
            f"{count(several, 'recommender')}: too few or too similar to say whether"
            " consistency and equality go together."
        )
    words = (
        "Recommenders that meet the principles better are also more equal here"
        if rho >= 0.5
        else (
            "Recommenders that meet the principles better are less equal here"
            if rho <= -0.5
            else "Consistency and equality do not clearly go together here"
        )
    )
    return f"{words}: rank correlation {signed(rho)} over {count(several, 'recommender')}."
