"""Consistency with a rank discount: top positions count more.

Consistency treats a list as a set, as in the paper, which names this as a limitation. Here the same
lists are measured again with a rank discount (:func:`equity_core.metrics.evaluate.achieved`), and
the difference is put into words. The re-ranking stays the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from equity_core.analysis.words import clear_change, decimal, join, rank, signed
from equity_core.metrics.evaluate import Evaluation, evaluate
from equity_core.metrics.intervals import intervals

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.reranker.api import Run

HELP = (
    "Consistency and equality treat a list as a set. With a rank discount, position r counts"
    " 1 / log₂(r + 1), as in NDCG: a course at the top counts more than one at the end. The lists"
    " stay the same."
)

NAMED = 3
"""Recommenders that a sentence names at most."""


def evaluate_discounted(bundle: Bundle, run: Run, split: str) -> Evaluation:
    """The lists of a run, measured with the rank discount."""
    return evaluate(bundle, run, run.policy, split, position=True)


def learner_discount_sentence(
    before: tuple[Evaluation, Evaluation], after: tuple[Evaluation, Evaluation], learner: int
) -> str:
    """How much the discount changes one learner's consistency, before and after re-ranking; each
    pair holds the plain and the discounted evaluation."""
    plain, other = (float(one.per_learner_consistency[learner]) for one in after)
    if math.isnan(plain):
        return "There is no list to judge."
    old_plain, old_other = (float(one.per_learner_consistency[learner]) for one in before)
    step = signed(other - plain, 3)
    text = (
        f"With the rank discount, the consistency of the new list is {decimal(other, 3)} instead of"
        f" {decimal(plain, 3)} ({step})"
    )
    if math.isnan(old_plain):
        return text + "."
    return (
        f"{text}; the change from the recommender's own list is {signed(other - old_other, 3)}"
        f" instead of {signed(plain - old_plain, 3)}."
    )


def discount_change(plain: Evaluation, other: Evaluation) -> pd.DataFrame:
    """One row each for consistency and equality: plain (before), discounted (value), and the paired
    95 % interval of the difference."""
    return intervals(other, plain).loc[["consistency", "equality"]]


def discount_change_sentence(change: pd.DataFrame, name: str) -> str:
    """How much the discount changes consistency and equality of one recommender's lists;
    ``change``: :func:`discount_change`."""
    parts, alike = [], []
    for measure, row in change.iterrows():
        if math.isnan(float(row["change"])):
            continue
        if clear_change(row):
            parts.append(
                f"{measure} is {decimal(float(row['value']), 3)} instead of"
                f" {decimal(float(row['before']), 3)}"
            )
        else:
            alike.append(str(measure))
    if not parts and not alike:
        return f"{name} has no lists to judge."
    clauses = [join(parts)] if parts else []
    clauses += [f"no clear difference in {join(alike)}"] if alike else []
    return f"With top positions weighted more, for {name}: {'; '.join(clauses)}."


def equality_order_sentence(plain: pd.DataFrame, other: pd.DataFrame) -> str:
    """Whether the discount changes the recommenders' order by equality; both frames:
    :func:`equity_core.analysis.audit.recommenders.table`."""
    known = [name for name in plain.index if not math.isnan(plain.loc[name, "equality"])]
    if len(known) < 2:
        return ""
    places: list[Mapping[str, int]] = []
    for frame in (plain, other):
        values = frame.loc[known, "equality"].to_dict()
        places.append(
            {str(name): rank(list(values.values()), value) for name, value in values.items()}
        )
    moved = [
        str(plain.loc[name, "label"])
        for name in known
        if places[0][str(name)] != places[1][str(name)]
    ]
    if not moved:
        return "The order by equality stays the same."
    return (
        "The order by equality changes for"
        f" {join(moved) if len(moved) <= NAMED else f'{len(moved)} of {len(known)}'}."
    )
