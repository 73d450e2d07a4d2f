"""Each learner's past measured like a list, and how it relates to the recommended lists: over pairs
of learners (figure 7) and for the tenths with the most and least consistent past (figure 8)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.algorithms import label
from equity_core.analysis.words import count, signed
from equity_core.metrics.evaluate import Evaluation, consistency
from equity_core.metrics.inequality import highest_tenth, known_mean, lowest_tenth
from equity_core.metrics.kernel_data import frozen, kernel_data, kernel_order
from equity_core.metrics.pairs import pair_correlation
from equity_core.metrics.targets import judged, targets_of

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.policy import Policy

Floats = npt.NDArray[np.float64]
BLOCK = 4096
"""Learners measured at a time: pasts differ in length, and one long past should not widen
everybody's table."""
PAIRS = 2000
"""Pairs of learners that figure 7 draws; the correlations are over all pairs."""
Z = 1.96
"""Standard errors on each side in a 95 % interval."""
SEED = 0


def past_values(bundle: Bundle) -> Floats:
    """(learners, principles): the value of each past by each principle, as if it were a list. A
    match principle compares the past with itself, which gives 1."""
    from equity_core.metrics.kernels import values_range

    world, learners = kernel_data(bundle), len(bundle.learner_ids)
    values = np.empty((learners, len(bundle.principles)))
    for start in range(0, learners, BLOCK):
        indptr = bundle.past.indptr[start : start + BLOCK + 1]
        lengths = np.diff(indptr)
        lists = np.full((len(lengths), int(lengths.max())), -1, dtype=np.int32)
        lists[np.arange(lists.shape[1]) < lengths[:, None]] = bundle.past.indices[
            indptr[0] : indptr[-1]
        ]
        part = np.empty((len(lengths), values.shape[1]))
        values_range(
            world._replace(past_indptr=frozen(indptr, np.int64)),
            frozen(lists, np.int32),
            0,
            len(lengths),
            part,
        )
        values[start : start + len(lengths), kernel_order(bundle)] = part
    return values


def past_consistency(bundle: Bundle, policy: Policy) -> Floats:
    """How well each learner's past meets the policy's targets, every weight 1."""
    return consistency(targets_of(bundle, policy), past_values(judged(bundle, policy)))


def past_tenths(past: Floats, evaluations: Mapping[str, Evaluation]) -> pd.DataFrame:
    """Figure 8: the lists of the tenths with the most and the least consistent past, and of all
    learners.

    One row per algorithm and group ("least", "most", "all"): number of learners with a list, mean
    consistency of their pasts, mean consistency of their lists and its sd. The tenths are the same
    for every algorithm.
    """
    everybody = np.ones(len(past), dtype=np.bool_)
    members = {"least": lowest_tenth(past), "all": everybody, "most": highest_tenth(past)}
    rows = []
    for algorithm, evaluation in evaluations.items():
        for group, mask in members.items():
            inside = mask & ~np.isnan(evaluation.per_learner_consistency)
            got = evaluation.per_learner_consistency[inside]
            rows.append(
                {
                    "algorithm": algorithm,
                    "label": label(algorithm),
                    "group": group,
                    "learners": int(inside.sum()),
                    "past": known_mean(past[inside]),
                    "consistency": known_mean(got),
                    "sd": float(got.std()) if got.size else float("nan"),
                }
            )
    return pd.DataFrame(rows)


def past_tenths_sentence(frame: pd.DataFrame) -> str:
    """With how many recommenders the learners with the most consistent past get more consistent
    lists than those with the least consistent past."""
    wide = frame.pivot_table(index="algorithm", columns="group", values="consistency", sort=False)
    if not {"least", "most"} <= set(wide.columns):
        return "No recommender has a list for these learners."
    gains = (wide["most"] - wide["least"]).dropna()
    better, of, each = (
        int((gains > 0).sum()),
        len(gains),
        int(frame.loc[frame["group"] == "most", "learners"].max()),
    )
    return (
        f"With {better} of {count(of, 'recommender')}, the tenth whose past meets the principles"
        f" best ({count(each, 'learner')}) gets lists that meet them better than the lists of the"
        f" opposite tenth: {signed(gains.mean(), 3)} on average."
    )


def sample_pairs(learners: int, pairs: int = PAIRS, seed: int = SEED) -> npt.NDArray[np.int64]:
    """Distinct pairs of different learners, first below second: all pairs if there are no more than
    asked for, otherwise a seeded sample."""
    total = learners * (learners - 1) // 2
    number = (
        np.arange(total)
        if total <= pairs
        else np.sort(np.random.default_rng(seed).choice(total, pairs, replace=False))
    )
    # Pair (i, j), i < j, has the number j (j − 1) / 2 + i.
    j = ((1.0 + np.sqrt(1.0 + 8.0 * number)) / 2.0).astype(np.int64)
    j -= j * (j - 1) // 2 > number
    j += j * (j + 1) // 2 <= number
    return np.stack([number - j * (j - 1) // 2, j], axis=1)


def pair_differences(
    past: Floats, evaluation: Evaluation, pairs: int = PAIRS, seed: int = SEED
) -> pd.DataFrame:
    """Figure 7: one row per pair of learners that have a list: a, b (their ids), past and lists
    (the absolute differences between the consistencies of their pasts and of their lists)."""
    known = np.flatnonzero(~np.isnan(evaluation.per_learner_consistency))
    chosen = known[sample_pairs(len(known), pairs, seed)].reshape(-1, 2)
    got = evaluation.per_learner_consistency
    ids = np.asarray(evaluation.learner_ids)
    return pd.DataFrame(
        {
            "a": ids[chosen[:, 0]],
            "b": ids[chosen[:, 1]],
            "past": np.abs(past[chosen[:, 0]] - past[chosen[:, 1]]),
            "lists": np.abs(got[chosen[:, 0]] - got[chosen[:, 1]]),
        }
    )


def pair_trend(frame: pd.DataFrame, groups: int = 10) -> pd.DataFrame:
    """The pairs in groups of equal size by the difference of their pasts. One row per group: mean
    past, mean and sd of lists, number of pairs."""
    if frame.empty:
        return pd.DataFrame({name: np.zeros(0) for name in ("past", "lists", "sd", "pairs")})
    ordered = frame.sort_values("past", kind="stable")
    parts = [
        part
        for part in np.array_split(np.arange(len(ordered)), min(groups, len(ordered)))
        if len(part)
    ]
    cut = [ordered.iloc[part] for part in parts]
    return pd.DataFrame(
        {
            "past": [float(part["past"].mean()) for part in cut],
            "lists": [float(part["lists"].mean()) for part in cut],
            "sd": [float(part["lists"].std(ddof=0)) for part in cut],
            "pairs": [len(part) for part in cut],
        }
    )


def pair_correlations(past: Floats, evaluations: Mapping[str, Evaluation]) -> pd.DataFrame:
    """One row per algorithm: Spearman's rho between the two differences over all pairs of the
    learners that have a list, with the ends of its 95 % interval (low, high; by the learners'
    influence), the number of pairs, and that of learners.

    NaN and samples as in :func:`~equity_core.metrics.pairs.pair_correlation`.
    """
    rows = []
    for algorithm, evaluation in evaluations.items():
        found = pair_correlation(past, evaluation.per_learner_consistency)
        learners, known = int(found.used.sum()), not math.isnan(found.rho)
        margin = Z * math.sqrt(float((found.influence**2).sum())) / max(learners, 1)
        rows.append(
            {
                "algorithm": algorithm,
                "label": label(algorithm),
                "rho": found.rho,
                "low": max(found.rho - margin, -1.0) if known else math.nan,
                "high": min(found.rho + margin, 1.0) if known else math.nan,
                "pairs": found.pairs,
                "learners": learners,
            }
        )
    return pd.DataFrame(rows)


def pairs_sentence(frame: pd.DataFrame, chosen: str) -> str:
    """Whether learners with similar pasts get lists of similar consistency, for the chosen
    recommender."""
    row = frame.set_index("algorithm").loc[chosen].to_dict()
    rho, many = float(row["rho"]), count(int(row["pairs"]), "pair")
    if math.isnan(rho):
        return f"{row['label']}: {many} of learners, too few or too similar for a correlation."
    words = (
        "The more two learners' pasts differ, the more their lists differ"
        if rho >= 0.3
        else "Learners whose pasts differ get lists that differ a little more"
        if rho >= 0.1
        else "How much two pasts differ says almost nothing about how much the lists differ"
        if rho > -0.1
        else "Learners whose pasts differ get lists that differ less"
    )
    sure = f"95 % interval {signed(float(row['low']))} to {signed(float(row['high']))}"
    return (
        f"{words}: {row['label']}, rank correlation {signed(rho)} over all {many} of"
        f" {count(int(row['learners']), 'learner')} ({sure})."
    )
