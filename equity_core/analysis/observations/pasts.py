"""Observation 5: what learners took before, and what they are recommended."""

from __future__ import annotations

import numpy as np
import pandas as pd

from equity_core.algorithms import label
from equity_core.analysis.audit.past import PAIRS, pair_differences
from equity_core.analysis.observations.draws import Statistic, interval, over, spearman
from equity_core.analysis.observations.facts import Facts, unchecked
from equity_core.analysis.observations.levels import mean_known
from equity_core.analysis.observations.model import Figure, Observation, Part, checked, impossible
from equity_core.analysis.words import count

FIFTH = (
    "Learners whose past courses meet the principles get lists that meet them, and learners alike"
    " in their pasts get a like consistency."
)
_FIGURE = Figure("audit", "Past and lists", "Alike in the past, alike in the lists?")


def _with_past(facts: Facts, algorithm: str) -> Statistic:
    """Rank correlation of the past's consistency with the list's."""
    found = facts.own[algorithm].per_learner_consistency
    known = ~np.isnan(found)
    return over(known, spearman(facts.past[known], found[known][:, None]))


def _over_pairs(facts: Facts, algorithm: str) -> Statistic:
    """Rank correlation over the pairs of figure 7 of how far the pasts differ with how far the
    lists do.

    A pair is drawn as often as its two learners together: the product of their counts.
    """
    frame = pair_differences(facts.past, facts.own[algorithm])
    at = {learner: row for row, learner in enumerate(facts.own[algorithm].learner_ids.tolist())}
    a, b = (
        np.array([at[learner] for learner in frame[column]], dtype=np.int64)
        for column in ("a", "b")
    )
    statistic = spearman(
        frame["past"].to_numpy(dtype=np.float64), frame[["lists"]].to_numpy(dtype=np.float64)
    )
    return lambda counts: statistic(counts[:, a] * counts[:, b])


def fifth(facts: Facts) -> Observation:
    """Both correlations, as means over recommenders. A recommender without any spread has none, and
    no part in the mean."""
    names = facts.algorithms
    if reason := unchecked(facts):
        return impossible(5, FIFTH, reason, pd.DataFrame(columns=["algorithm", "label"]), _FIGURE)
    rows: dict[str, dict[str, object]] = {
        name: {"algorithm": name, "label": label(name)} for name in names
    }
    parts = []
    for key, words, what, make in (
        (
            "past",
            "a more consistent past goes with a more consistent list",
            "rank correlation of past and list over learners",
            _with_past,
        ),
        (
            "pairs",
            "learners with like pasts get like consistency",
            "rank correlation of differences over pairs of learners",
            _over_pairs,
        ),
    ):
        each = [make(facts, name) for name in names]
        value = np.array([float(facts.draws.value(statistic)[0]) for statistic in each])
        draws = np.column_stack([facts.draws.of(statistic, PAIRS)[:, 0] for statistic in each])
        parts.append(
            Part(
                words,
                what,
                float(mean_known(value, axis=0)),
                *interval(mean_known(draws, axis=1)),
                form="correlation",
            )
        )
        for at, name in enumerate(names):
            rows[name][f"rho_{key}"] = value[at]
            rows[name][f"rho_{key}_low"], rows[name][f"rho_{key}_high"] = interval(draws[:, at])
    frame = pd.DataFrame(list(rows.values()))
    clear = {key: int((frame[f"rho_{key}_low"] > 0).sum()) for key in ("past", "pairs")}
    sentence = (
        f"Rank correlation, mean over {count(len(names), 'recommender')}, of the past's consistency"
        f" with the list's: {parts[0].words}, clearly above 0 with {clear['past']}; over pairs of"
        f" learners, of the difference of their pasts with that of their lists: {parts[1].words},"
        f" clearly above 0 with {clear['pairs']}."
    )
    return checked(5, FIFTH, parts, sentence, frame, _FIGURE)
