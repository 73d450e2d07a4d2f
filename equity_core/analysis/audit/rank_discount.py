"""The other reading of a list: higher places count more.

Consistency takes a list as a set, as the paper does, and the paper names that as a limit. Here the
same lists are measured once more with a rank discount
(:func:`equity_core.metrics.evaluate.achieved`), and the difference is put into words. The
re-ranking is the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from equity_core.analysis.tradeoff.sentences import clear
from equity_core.analysis.words import decimal, join, rank, signed
from equity_core.metrics.evaluate import Evaluation, evaluate
from equity_core.metrics.intervals import intervals

if TYPE_CHECKING:
    from equity_core.bundle import Bundle
    from equity_core.reranker.api import Run

HELP = (
    "Consistency and equality take a list as a set. With a rank discount, place r counts 1 / log₂(r"
    " + 1), as in NDCG: a course at the top counts more than one at the end. The lists stay the"
    " same."
)

NAMED = 3
"""Recommenders named in a sentence, at most."""


def discounted(bundle: Bundle, run: Run, split: str) -> Evaluation:
    """The lists of a run, measured with the rank discount."""
    return evaluate(bundle, run, run.policy, split, position=True)


def learner_sentence(
    before: tuple[Evaluation, Evaluation], after: tuple[Evaluation, Evaluation], learner: int
) -> str:
    """How much the discount changes one learner's consistency; each pair: plain, discounted."""
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
        f"{text}; the change against the own list is {signed(other - old_other, 3)} instead of"
        f" {signed(plain - old_plain, 3)}."
    )


def compared(plain: Evaluation, other: Evaluation) -> pd.DataFrame:
    """Consistency and equality, plain (before) and discounted (value), with the paired 95 %
    interval of the difference."""
    return intervals(other, plain).loc[["consistency", "equality"]]


def difference_sentence(found: pd.DataFrame, name: str) -> str:
    """How much the discount changes the two measures of one set of lists; ``found``:
    :func:`compared`."""
    parts, alike = [], []
    for measure, row in found.iterrows():
        if math.isnan(float(row["change"])):
            continue
        if clear(row):
            parts.append(
                f"{measure} is {decimal(float(row['value']), 3)} instead of"
                f" {decimal(float(row['before']), 3)}"
            )
        else:
            alike.append(str(measure))
    if not parts and not alike:
        return f"{name} has no lists to judge."
    said = [join(parts)] if parts else []
    said += [f"no clear difference in {join(alike)}"] if alike else []
    return f"With higher places counting more, for {name}: {'; '.join(said)}."


def order_sentence(plain: pd.DataFrame, other: pd.DataFrame) -> str:
    """Whether the discount changes the recommenders' order by equality; both:
    audit.recommenders.table."""
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
