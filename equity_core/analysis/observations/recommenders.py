"""Observations 1 and 2: recommenders with and without content metadata, and whether more consistent
recommenders are more equal.

The unit is the recommender. The intervals are over learners (the same draw for every recommender);
``chance`` allows for there being only a few recommenders.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from equity_core.algorithms import family, label
from equity_core.analysis.observations.bootstrap import (
    Floats,
    chance_of_groups,
    chance_of_order,
    deviations,
    interval,
    least_chance_of_groups,
    least_chance_of_order,
    spearman_by_row,
)
from equity_core.analysis.observations.evidence import Evidence, why_unchecked
from equity_core.analysis.observations.verdicts import (
    CHANCE,
    Figure,
    Observation,
    Part,
    Side,
    checked_observation,
    unchecked_observation,
)
from equity_core.analysis.words import count, join, percent

CONTENT = ("content", "hybrid")
"""Families that use content metadata."""
CONTENT_CLAIM = (
    "Recommenders that use content metadata are more equal than those that use interactions alone."
)
CONSISTENCY_CLAIM = (
    "Recommenders with a higher mean consistency are more equal, and their consistency varies less"
    " between learners."
)
_FIGURE = Figure("audit", "Recommenders compared", "Equality against consistency")


def inputs(algorithm: str) -> str:
    """What a recommender uses: "content", "interactions", or "neither" (Random uses no
    interactions, and what a platform's own recommender uses is unknown)."""
    if family(algorithm) in CONTENT:
        return "content"
    return "neither" if algorithm == "random" or family(algorithm) == "own" else "interactions"


def _table(evidence: Evidence, columns: dict[str, tuple[Floats, Floats]]) -> pd.DataFrame:
    """One row per recommender: algorithm, label, family, kind (:func:`inputs`), and each measure
    with its interval."""
    rows = []
    for at, name in enumerate(evidence.algorithms):
        row: dict[str, object] = {
            "algorithm": name,
            "label": label(name),
            "family": family(name),
            "kind": inputs(name),
        }
        for column, (values, draws) in columns.items():
            row[column], (row[f"{column}_low"], row[f"{column}_high"]) = (
                values[at],
                interval(draws[:, at]),
            )
        rows.append(row)
    return pd.DataFrame(rows)


def check_content_metadata(evidence: Evidence) -> Observation:
    """Observation 1: mean equality of the recommenders with content metadata, minus that of those
    using interactions alone."""
    names = list(evidence.algorithms)
    with_content = np.array([inputs(name) == "content" for name in names], dtype=np.bool_)
    without = np.array([inputs(name) == "interactions" for name in names], dtype=np.bool_)
    c, i = int(with_content.sum()), int(without.sum())
    frame = pd.DataFrame(
        {
            "algorithm": names,
            "label": [label(name) for name in names],
            "kind": [inputs(name) for name in names],
        }
    )
    if reason := why_unchecked(evidence):
        return unchecked_observation(1, CONTENT_CLAIM, reason, frame, _FIGURE)
    if c < 2 or i < 2:
        missing, here = ("with content metadata", c) if c < 2 else ("using interactions alone", i)
        return unchecked_observation(
            1,
            CONTENT_CLAIM,
            f"it needs two recommenders {missing}, and there is {here or 'none'}",
            frame,
            _FIGURE,
        )
    if (least := least_chance_of_groups(c, i)) > CHANCE:
        reason = (
            f"with {c} recommenders against {i}, any difference would arise by chance in at least"
            f" {percent(least)} of cases"
        )
        return unchecked_observation(1, CONTENT_CLAIM, reason, frame, _FIGURE)
    equality = evidence.bootstrap.measures([evidence.own[name] for name in names])[:, :, 2]
    values, draws = equality[0], equality[1:]
    difference = draws[:, with_content].mean(axis=1) - draws[:, without].mean(axis=1)
    part = Part(
        "equality is higher with content metadata",
        "mean equality with content metadata, minus that with interactions alone",
        float(values[with_content].mean() - values[without].mean()),
        *interval(difference),
        chance=chance_of_groups(
            values[with_content | without].tolist(), with_content[with_content | without].tolist()
        ),
    )
    pairs = int((values[with_content][:, None] > values[without][None, :]).sum())
    left = [label(name) for name in names if inputs(name) == "neither"]
    sentence = (
        f"Mean equality of the {c} recommenders with content metadata, minus that of the {i} using"
        f" interactions alone: {part.words}. In {pairs} of {c * i} pairs the one with content"
        " metadata is more equal." + (f" Left out: {join(left)}." if left else "")
    )
    return checked_observation(
        1, CONTENT_CLAIM, [part], sentence, _table(evidence, {"equality": (values, draws)}), _FIGURE
    )


def check_consistency_with_equality(evidence: Evidence) -> Observation:
    """Observation 2: rank correlation over recommenders of mean consistency with equality, and with
    the standard deviation over learners."""
    names = list(evidence.algorithms)
    reason = why_unchecked(evidence)
    if not reason and least_chance_of_order(len(names)) > CHANCE:
        reason = (
            f"it needs five recommenders, and there {'is' if len(names) == 1 else 'are'}"
            f" {len(names)}"
        )
    if reason:
        frame = pd.DataFrame({"algorithm": names, "label": [label(name) for name in names]})
        return unchecked_observation(2, CONSISTENCY_CLAIM, reason, frame, _FIGURE)
    measures = evidence.bootstrap.measures([evidence.own[name] for name in names])
    deviation = deviations(
        np.column_stack([evidence.own[name].per_learner_consistency for name in names])
    )
    found = {
        name: (measures[0, :, at], measures[1:, :, at])
        for name, at in (("consistency", 1), ("equality", 2))
    }
    found["sd"] = (
        evidence.bootstrap.value(deviation),
        evidence.bootstrap.resample_matrix_products(deviation),
    )

    def part(name: str, claim: str, what: str, side: Side) -> Part:
        consistency, other = found["consistency"], found[name]
        return Part(
            claim,
            what,
            float(spearman_by_row(consistency[0], other[0])),
            *interval(spearman_by_row(consistency[1], other[1])),
            side=side,
            form="correlation",
            chance=chance_of_order(consistency[0].tolist(), other[0].tolist()),
        )

    parts = [
        part(
            "equality",
            "more consistent recommenders are more equal",
            "rank correlation of mean consistency with equality",
            "above",
        ),
        part(
            "sd",
            "more consistent recommenders vary less between learners",
            "rank correlation of mean consistency with its standard deviation",
            "below",
        ),
    ]
    sentence = (
        f"Rank correlation over {count(len(names), 'recommender')} of mean consistency with"
        f" equality: {parts[0].words}; with the standard deviation: {parts[1].words}."
    )
    return checked_observation(
        2, CONSISTENCY_CLAIM, parts, sentence, _table(evidence, found), _FIGURE
    )
