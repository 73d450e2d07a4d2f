"""Observation 8: how close together the scores lie, and how much accuracy re-ranking loses. The
unit is the recommender."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from equity_core.algorithms import label
from equity_core.analysis.observations.draws import Floats, across, chance_of_order, interval, means
from equity_core.analysis.observations.facts import LAMS, Facts, unchecked
from equity_core.analysis.observations.model import (
    CHANCE,
    Figure,
    Observation,
    Part,
    checked,
    impossible,
)
from equity_core.analysis.words import count, join

EIGHTH = (
    "The closer together a recommender's relevance scores lie, the more accuracy the re-ranked"
    " lists lose."
)
SOMETHING_TO_LOSE = 0.1
"""A recommender whose own NDCG is below this share of the best one's has next to nothing to lose:
its share lost is noise."""
_FIGURE = Figure("tradeoff", "Relevance density", "How close together the scores lie")


def _concentration(counts: Floats, scores: Floats) -> Floats:
    """The largest share of the drawn learners' candidates within a tenth of the scale (as
    density.concentration)."""
    found = counts @ scores
    total = found.sum(axis=1)
    out: Floats = (found[:, :-1] + found[:, 1:]).max(axis=1) / np.where(total > 0, total, np.nan)
    return out


def eighth(facts: Facts) -> Observation:
    """Rank correlation over recommenders of the scores' concentration with the share of the own
    NDCG lost (glob, mean over the λ)."""
    known = {
        name: facts.own[name].ndcg
        for name in facts.algorithms
        if not math.isnan(facts.own[name].ndcg)
    }
    best = max(known.values(), default=0.0)
    names = [name for name, ndcg in known.items() if best > 0 and ndcg >= SOMETHING_TO_LOSE * best]
    frame = pd.DataFrame(
        {
            "algorithm": list(known),
            "label": [label(name) for name in known],
            "ndcg": list(known.values()),
        }
    )
    if reason := unchecked(facts):
        return impossible(8, EIGHTH, reason, frame, _FIGURE)
    if best == 0:
        why = (
            "NDCG is unknown here (nothing to find in the test part)"
            if not known
            else "no recommender's own lists find anything (NDCG 0)"
        )
        return impossible(8, EIGHTH, why, frame, _FIGURE)
    if math.factorial(len(names)) * CHANCE < 1:
        there = (
            "it needs four recommenders with something to lose (NDCG of a tenth of the best one's"
            f" or more), and there {_are(len(names))}"
        )
        return impossible(8, EIGHTH, there, frame, _FIGURE)
    own = means(np.column_stack([facts.own[name].per_learner_ndcg for name in names]))
    after = means(
        np.column_stack(
            [
                np.mean([facts.again[name, "glob", lam].per_learner_ndcg for lam in LAMS], axis=0)
                for name in names
            ]
        )
    )

    def lost(counts: Floats) -> Floats:
        before = own(counts)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(
                before > 0, 1.0 - after(counts) / np.where(before > 0, before, 1.0), np.nan
            )

    def dense(counts: Floats) -> Floats:
        return np.column_stack([_concentration(counts, facts.scores[name]) for name in names])

    found = {
        key: (facts.draws.value(statistic), facts.draws.products(statistic))
        for key, statistic in (("concentration", dense), ("lost", lost))
    }
    value = float(across(found["concentration"][0], found["lost"][0]))
    draws = across(found["concentration"][1], found["lost"][1])
    chance = chance_of_order(found["concentration"][0].tolist(), found["lost"][0].tolist())
    what = "rank correlation of the scores' concentration with the share of NDCG lost"
    part = Part(
        "closer scores go with a larger loss",
        what,
        value,
        *interval(draws),
        form="correlation",
        chance=chance,
    )
    rows = []
    for at, name in enumerate(names):
        row: dict[str, object] = {"algorithm": name, "label": label(name), "ndcg": known[name]}
        for key, (values, drawn) in found.items():
            row[key], (row[f"{key}_low"], row[f"{key}_high"]) = values[at], interval(drawn[:, at])
        rows.append(row)
    left = [label(name) for name in known if name not in names]
    sentence = (
        f"Rank correlation over {count(len(names), 'recommender')} of how much of the scores lies"
        " within a tenth of their scale with the share of NDCG lost (glob, mean over the paper's"
        f" λ): {part.words}."
        + (f" Left out, with next to nothing to lose: {join(left)}." if left else "")
    )
    return checked(8, EIGHTH, [part], sentence, pd.DataFrame(rows), _FIGURE)


def _are(number: int) -> str:
    return "is one" if number == 1 else f"are {number}"
