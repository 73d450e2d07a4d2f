"""The learner's past judged like a list: what figures 7 and 8 compare the recommendations with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.words import count, signed
from equity_core.metrics.evaluate import Evaluation, consistency
from equity_core.metrics.inequality import highest_tenth, known_mean, lowest_tenth
from equity_core.metrics.targets import targets_of
from equity_core.metrics.world import frozen, kernel_order, world_of
from equity_core.recommenders.registry import label

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.policy import Policy

Floats = npt.NDArray[np.float64]
BLOCK = 4096
"""Learners at a time: pasts differ in length, and one long past should not widen the table of
all."""


def past_values(bundle: Bundle) -> Floats:
    """(learners, principles): each past as if it were a list, by every principle. A match principle
    compares the past with itself: 1."""
    from equity_core.metrics.kernels import values_range

    world, learners = world_of(bundle), len(bundle.learner_ids)
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
    """How far each learner's past meets the policy's targets, w = 1."""
    return consistency(targets_of(bundle, policy), past_values(bundle))


def groups(past: Floats, evaluations: Mapping[str, Evaluation]) -> pd.DataFrame:
    """Figure 8: what the tenths with the most and the least consistency in their past get, and
    everybody.

    A row an algorithm and group ("least", "most", "all"): n with a list, mean past, mean
    consistency and its sd. The tenths are the same for every algorithm.
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


def groups_sentence(frame: pd.DataFrame) -> str:
    """With how many recommenders the learners with the most consistent past get the more consistent
    lists."""
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
        f" most ({count(each, 'learner')}) gets lists that meet them more than those of the"
        f" opposite tenth: {signed(gains.mean(), 3)} on average."
    )
