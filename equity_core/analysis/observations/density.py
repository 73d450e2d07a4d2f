"""Observation 8: which recommenders lose the most accuracy. The unit is the recommender, so it is
also said how much hangs on single ones."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pandas as pd

from equity_core.algorithms import label
from equity_core.analysis.observations.bootstrap import (
    Floats,
    chance_of_order,
    interval,
    least_chance_of_order,
    means,
    spearman_by_row,
)
from equity_core.analysis.observations.evidence import LAMS, Evidence, why_unchecked
from equity_core.analysis.observations.verdicts import (
    CHANCE,
    Figure,
    Observation,
    Part,
    checked_observation,
    unchecked_observation,
)
from equity_core.analysis.words import count, join, signed

Measured = tuple[Floats, Floats]
"""By recommender: a figure on the data themselves, and on every draw (draws × recommenders)."""
SOMETHING_TO_LOSE = 0.1
"""A recommender whose own NDCG is below this share of the best one's has almost nothing to lose:
the share that it loses is noise."""
LEFT_OUT = 3
"""Recommenders left out, at most, to see whether the correlation turns around."""
FEWEST_LEFT = 4
"""Recommenders that must be left for that: three have a correlation of ±1 in one of three orders.
"""
DENSITY_CLAIM = (
    "The closer together a recommender's relevance scores are, the more accuracy the re-ranked"
    " lists lose."
)
_DENSITY = Figure("tradeoff", "Relevance density", "How close together the scores lie")


def _concentration(counts: Floats, scores: Floats) -> Floats:
    """The largest share of the drawn learners' candidates within a tenth of the scale (as
    :func:`equity_core.analysis.tradeoff.density.concentration`)."""
    found = counts @ scores
    total = found.sum(axis=1)
    out: Floats = (found[:, :-1] + found[:, 1:]).max(axis=1) / np.where(total > 0, total, np.nan)
    return out


def check_score_density(evidence: Evidence) -> Observation:
    """Observation 8: rank correlation over recommenders of the scores' concentration with the share
    of the own lists' NDCG lost (glob, mean over the λ)."""
    known = {
        name: evidence.own[name].ndcg
        for name in evidence.algorithms
        if not math.isnan(evidence.own[name].ndcg)
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
    if reason := why_unchecked(evidence):
        return unchecked_observation(8, DENSITY_CLAIM, reason, frame, _DENSITY)
    if best == 0:
        why = (
            "NDCG is unknown here (nothing to find in the test part)"
            if not known
            else "no recommender's own lists find anything (NDCG 0)"
        )
        return unchecked_observation(8, DENSITY_CLAIM, why, frame, _DENSITY)
    if least_chance_of_order(len(names)) > CHANCE:
        there = (
            "it needs five recommenders with something to lose (at least a tenth of the best one's"
            f" NDCG), and there {_are(len(names))}"
        )
        return unchecked_observation(8, DENSITY_CLAIM, there, frame, _DENSITY)
    own = means(np.column_stack([evidence.own[name].per_learner_ndcg for name in names]))
    after = means(
        np.column_stack(
            [
                np.mean(
                    [evidence.reranked[name, "glob", lam].per_learner_ndcg for lam in LAMS], axis=0
                )
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

    def concentrated(counts: Floats) -> Floats:
        return np.column_stack(
            [_concentration(counts, evidence.score_histograms[name]) for name in names]
        )

    measured = {
        key: (
            evidence.bootstrap.value(statistic),
            evidence.bootstrap.resample_matrix_products(statistic),
        )
        for key, statistic in (("concentration", concentrated), ("lost", lost))
    }
    part = _part(measured["concentration"], measured["lost"])
    without = [
        _part(*(_without(measured[key], at) for key in ("concentration", "lost")))
        for at in range(len(names))
    ]
    rows = []
    for at, name in enumerate(names):
        row: dict[str, object] = {"algorithm": name, "label": label(name), "ndcg": known[name]}
        for key, (values, draws_of_key) in measured.items():
            row[key], (row[f"{key}_low"], row[f"{key}_high"]) = (
                values[at],
                interval(draws_of_key[:, at]),
            )
        row |= {"rho_without": without[at].value, "verdict_without": without[at].verdict}
        rows.append(row)
    left = [label(name) for name in known if name not in names]
    flips = flips_sentence(
        [label(name) for name in names], measured["concentration"][0], measured["lost"][0]
    )
    sentence = (
        f"Rank correlation over {count(len(names), 'recommender')} of the share of scores within a"
        " tenth of their scale with the share of NDCG lost (glob, mean over the paper's λ):"
        f" {part.words}. {flips}"
        + (f" Left out, with almost nothing to lose: {join(left)}." if left else "")
    )
    return checked_observation(
        8, DENSITY_CLAIM, [part], sentence, pd.DataFrame(rows), _DENSITY, flips
    )


def _part(concentration: Measured, lost: Measured) -> Part:
    """The claim on some recommenders."""
    return Part(
        "closer scores come with a larger loss",
        "rank correlation of the scores' concentration with the share of NDCG lost",
        float(spearman_by_row(concentration[0], lost[0])),
        *interval(spearman_by_row(concentration[1], lost[1])),
        form="correlation",
        chance=chance_of_order(concentration[0].tolist(), lost[0].tolist()),
    )


def _without(measured: Measured, at: int) -> Measured:
    return np.delete(measured[0], at), np.delete(measured[1], at, axis=1)


def flips_sentence(labels: list[str], concentration: Floats, lost: Floats) -> str:
    """The fewest recommenders without which the correlation has the other sign; of several sets as
    small, the one without which it is strongest."""
    whole = float(spearman_by_row(concentration, lost))
    if math.isnan(whole) or whole == 0:
        return "There is no direction that could turn around."
    size = len(labels)
    most = min(LEFT_OUT, size - FEWEST_LEFT)
    for many in range(1, most + 1):
        found = []
        for some in combinations(range(size), many):
            rest = [at for at in range(size) if at not in some]
            rho = float(spearman_by_row(concentration[rest], lost[rest]))
            if rho * whole < 0:
                found.append((abs(rho), rho, some))
        if found:
            _, rho, some = max(found, key=lambda one: one[0])
            names = join([labels[at] for at in some])
            return f"It turns around without {names}: {signed(rho)} over the other {size - many}."
    if most < 1:
        return ""
    left = ("one", "one or two", "one, two or three")[most - 1]
    return f"It does not turn around without any {left} of the recommenders."


def _are(number: int) -> str:
    return "is one" if number == 1 else f"are {number}"
