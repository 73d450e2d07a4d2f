"""Observations 1 and 2: recommenders with and without content metadata, and whether consistency and
equality go together.

The unit is the recommender. The intervals are over learners (the same draw for every recommender);
that there are few recommenders is what ``chance`` is for.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from equity_core.algorithms import family, label
from equity_core.analysis.observations.draws import (
    Floats,
    across,
    chance_of_groups,
    chance_of_order,
    deviations,
    interval,
)
from equity_core.analysis.observations.facts import Facts, unchecked
from equity_core.analysis.observations.model import (
    CHANCE,
    Figure,
    Observation,
    Part,
    checked,
    impossible,
)
from equity_core.analysis.words import count, join, percent

CONTENT = ("content", "hybrid")
"""Families that embed content metadata."""
FIRST = "Recommenders that embed content metadata are more equal than those on interactions alone."
SECOND = (
    "Recommenders with a higher mean consistency are more equal, and their consistency deviates"
    " less over learners."
)
_FIGURE = Figure("audit", "Recommenders compared", "Equality against consistency")


def kind(algorithm: str) -> str:
    """content, interactions, or neither: Random uses no interactions, and what a platform's own
    recommender uses is not known."""
    if family(algorithm) in CONTENT:
        return "content"
    return "neither" if algorithm == "random" or family(algorithm) == "own" else "interactions"


def _table(facts: Facts, columns: dict[str, tuple[Floats, Floats]]) -> pd.DataFrame:
    """A row a recommender: label, family, kind, and each measure with its interval."""
    rows = []
    for at, name in enumerate(facts.algorithms):
        row: dict[str, object] = {
            "algorithm": name,
            "label": label(name),
            "family": family(name),
            "kind": kind(name),
        }
        for column, (values, draws) in columns.items():
            row[column], (row[f"{column}_low"], row[f"{column}_high"]) = (
                values[at],
                interval(draws[:, at]),
            )
        rows.append(row)
    return pd.DataFrame(rows)


def first(facts: Facts) -> Observation:
    """Mean equality of the recommenders with content metadata less that of those on interactions
    alone."""
    names = list(facts.algorithms)
    with_content = np.array([kind(name) == "content" for name in names], dtype=np.bool_)
    without = np.array([kind(name) == "interactions" for name in names], dtype=np.bool_)
    c, i = int(with_content.sum()), int(without.sum())
    frame = pd.DataFrame(
        {
            "algorithm": names,
            "label": [label(name) for name in names],
            "kind": [kind(name) for name in names],
        }
    )
    if reason := unchecked(facts):
        return impossible(1, FIRST, reason, frame, _FIGURE)
    if c < 2 or i < 2:
        missing, here = ("with content metadata", c) if c < 2 else ("on interactions alone", i)
        return impossible(
            1,
            FIRST,
            f"it needs two recommenders {missing}, and there is {here or 'none'}",
            frame,
            _FIGURE,
        )
    if 1 / math.comb(c + i, c) > CHANCE:
        least = percent(1 / math.comb(c + i, c))
        reason = (
            f"with {c} recommenders against {i}, any difference would come up by chance in {least}"
            " of cases or more"
        )
        return impossible(1, FIRST, reason, frame, _FIGURE)
    equality = facts.draws.measures([facts.own[name] for name in names])[:, :, 2]
    values, draws = equality[0], equality[1:]
    difference = draws[:, with_content].mean(axis=1) - draws[:, without].mean(axis=1)
    part = Part(
        "equality is higher with content metadata",
        "mean equality with content metadata, less that on interactions alone",
        float(values[with_content].mean() - values[without].mean()),
        *interval(difference),
        chance=chance_of_groups(
            values[with_content | without].tolist(), with_content[with_content | without].tolist()
        ),
    )
    pairs = int((values[with_content][:, None] > values[without][None, :]).sum())
    left = [label(name) for name in names if kind(name) == "neither"]
    sentence = (
        f"Mean equality of the {c} recommenders with content metadata, less that of the {i} on"
        f" interactions alone: {part.words}. In {pairs} of {c * i} pairs the one with content"
        " metadata is more equal." + (f" Left out: {join(left)}." if left else "")
    )
    return checked(
        1, FIRST, [part], sentence, _table(facts, {"equality": (values, draws)}), _FIGURE
    )


def second(facts: Facts) -> Observation:
    """Rank correlation of mean consistency with equality, and with the standard deviation, over the
    recommenders."""
    names = list(facts.algorithms)
    reason = unchecked(facts)
    if not reason and math.factorial(len(names)) * CHANCE < 1:
        reason = (
            f"it needs four recommenders, and there {'is' if len(names) == 1 else 'are'}"
            f" {len(names)}"
        )
    if reason:
        frame = pd.DataFrame({"algorithm": names, "label": [label(name) for name in names]})
        return impossible(2, SECOND, reason, frame, _FIGURE)
    measures = facts.draws.measures([facts.own[name] for name in names])
    deviation = deviations(
        np.column_stack([facts.own[name].per_learner_consistency for name in names])
    )
    found = {
        name: (measures[0, :, at], measures[1:, :, at])
        for name, at in (("consistency", 1), ("equality", 2))
    }
    found["sd"] = facts.draws.value(deviation), facts.draws.products(deviation)
    parts = []
    for name, words, what, side in (
        (
            "equality",
            "more consistent recommenders are more equal",
            "rank correlation of mean consistency with equality",
            "above",
        ),
        (
            "sd",
            "more consistent recommenders deviate less",
            "rank correlation of mean consistency with its deviation",
            "below",
        ),
    ):
        value = float(across(found["consistency"][0], found[name][0]))
        chance = chance_of_order(found["consistency"][0].tolist(), found[name][0].tolist())
        low, high = interval(across(found["consistency"][1], found[name][1]))
        figures = value, low, high
        part = Part(words, what, *figures, side=side, form="correlation", chance=chance)  # type: ignore[arg-type]
        parts.append(part)
    sentence = (
        f"Rank correlation over {count(len(names), 'recommender')} of mean consistency with"
        f" equality: {parts[0].words}; with the standard deviation: {parts[1].words}."
    )
    return checked(2, SECOND, parts, sentence, _table(facts, found), _FIGURE)
