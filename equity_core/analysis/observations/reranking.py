"""Observations 6 and 7: the strategies at the same λ, and what re-ranking does to each principle.

At each of the paper's λ, over all recommenders: consistency, equality and the principles as means
over the recommenders; NDCG pooled (its sum over the recommenders), so that one that finds almost
nothing does not distort shares. Each part takes the λ that is worst for the claim.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from equity_core.analysis.observations.bootstrap import (
    Floats,
    Statistic,
    clearly_above,
    interval,
    maximum_with_interval,
    means,
    minimum_with_interval,
)
from equity_core.analysis.observations.evidence import LAMS, Evidence, why_unchecked
from equity_core.analysis.observations.verdicts import (
    Figure,
    Observation,
    Part,
    checked_observation,
    unchecked_observation,
)
from equity_core.analysis.words import STRATEGIES, join, percent, signed
from equity_core.metrics.evaluate import Evaluation

SIMILAR_LOSS = 0.05
"""A loss is similar to glob's if it exceeds it by at most this share of the own lists' NDCG."""
ABOUT_THE_SAME = 0.05
"""A principle whose mean changes by less than this stays about the same."""
RAISED, UNCHANGED, MAY_FALL = (
    ("familiarity", "variety", "affordability"),
    ("validity", "learnability", "manageability"),
    "quality",
)
STRATEGIES_CLAIM = (
    f"At the same λ, the strategies {STRATEGIES['user']} and {STRATEGIES['pers']} reach higher"
    f" consistency and higher equality than {STRATEGIES['glob']}, at a similar loss of NDCG."
)
PRINCIPLES_CLAIM = (
    "In re-ranked lists, familiarity, variety and affordability are higher, the others stay about"
    " the same, and quality may be lower."
)
_STRATEGIES = Figure("tradeoff", "Strategies over λ", "One λ for all, by strategy")
_PRINCIPLES = Figure("tradeoff", "Principles over λ", "Each principle over λ")


def _pooled_measures(evidence: Evidence, evaluations: list[Evaluation]) -> Floats:
    """(1 + draws, 3): mean consistency, mean equality and summed NDCG over recommenders; the first
    row holds the values on the data themselves."""
    each = evidence.bootstrap.measures(evaluations)
    return np.column_stack(
        [each[:, :, 1].mean(axis=1), each[:, :, 2].mean(axis=1), each[:, :, 0].sum(axis=1)]
    )


def check_strategies(evidence: Evidence) -> Observation:
    """Observation 6: user and pers minus glob, in consistency and equality (the smallest over λ)
    and in the share of the own lists' NDCG lost (the largest over λ)."""
    names = evidence.algorithms
    if reason := why_unchecked(evidence):
        return unchecked_observation(
            6, STRATEGIES_CLAIM, reason, pd.DataFrame(columns=["strategy", "lam"]), _STRATEGIES
        )
    start = _pooled_measures(evidence, [evidence.own[name] for name in names])
    base = {
        lam: _pooled_measures(evidence, [evidence.reranked[name, "glob", lam] for name in names])
        for lam in LAMS
    }
    parts, rows = [], []
    for strategy in ("user", "pers"):
        gains = []  # one per λ: (1 + draws, 3), the first row on the data themselves
        for lam in LAMS:
            gain = (
                _pooled_measures(
                    evidence, [evidence.reranked[name, strategy, lam] for name in names]
                )
                - base[lam]
            )
            with np.errstate(invalid="ignore", divide="ignore"):
                gain[:, 2] = np.where(start[:, 2] > 0, -gain[:, 2] / start[:, 2], np.nan)
            gains.append(gain)
            row: dict[str, object] = {"strategy": strategy, "lam": lam}
            for at, name in enumerate(("consistency_gain", "equality_gain", "extra_loss")):
                row[name], (row[f"{name}_low"], row[f"{name}_high"]) = (
                    gain[0, at],
                    interval(gain[1:, at]),
                )
            rows.append(row)
        stacked = np.stack(gains)
        for at, measure in enumerate(("consistency", "equality")):
            what = f"{measure} with {strategy}, minus that with glob, at the λ where it is smallest"
            parts.append(
                Part(
                    f"{measure} with {strategy} is above that with glob at every λ",
                    what,
                    *minimum_with_interval(stacked[:, 0, at], stacked[:, 1:, at].T),
                    at=_where_above(stacked[:, 1:, at].T, claims=4),
                )
            )
        name, what = (
            f"{strategy} loses about as much NDCG as glob",
            "share of the own lists' NDCG lost beyond glob's loss, at the λ where it is largest",
        )
        parts.append(
            Part(
                name,
                what,
                *maximum_with_interval(stacked[:, 0, 2], stacked[:, 1:, 2].T),
                line=SIMILAR_LOSS,
                side="below",
                form="share",
                condition=True,
            )
        )
    frame = pd.DataFrame(rows)
    sentence = " ".join(_strategy_sentence(frame, strategy) for strategy in ("user", "pers"))
    sentence += (
        f" Means over {len(names)} recommenders; “a similar loss”: at most"
        f" {percent(SIMILAR_LOSS)} of NDCG beyond glob's."
    )
    if math.isnan(parts[2].value):
        sentence += " NDCG is unknown here, so the losses cannot be compared."
    return checked_observation(6, STRATEGIES_CLAIM, parts, sentence, frame, _STRATEGIES)


def _where_above(draws: Floats, claims: int) -> tuple[float, ...]:
    """The λ at which a change (draws × λ) is clearly above 0, if that is asked of so many
    changes."""
    above = clearly_above(draws, claims=claims)
    return tuple(lam for lam, clear in zip(LAMS, above, strict=True) if clear)


def _value_and_draws(evidence: Evidence, statistic: Statistic) -> Floats:
    """(1 + draws, …): the statistic on the data themselves, then on every draw."""
    return np.vstack(
        [
            evidence.bootstrap.value(statistic)[None],
            evidence.bootstrap.resample_matrix_products(statistic),
        ]
    )


def _strategy_sentence(frame: pd.DataFrame, strategy: str) -> str:
    rows = frame[frame["strategy"] == strategy]
    parts = []
    for measure in ("consistency", "equality"):
        higher = [f"{lam:g}" for lam in rows.loc[rows[f"{measure}_gain_low"] > 0, "lam"]]
        lower = [f"{lam:g}" for lam in rows.loc[rows[f"{measure}_gain_high"] < 0, "lam"]]
        if higher:
            parts.append(f"clearly higher {measure} at λ = {join(higher)}")
        if lower:
            parts.append(f"clearly lower {measure} at λ = {join(lower)}")
        if not higher and not lower:
            parts.append(f"no clear difference in {measure} at any λ")
    return f"Compared with glob, {strategy} has {'; '.join(parts)}."


def check_principles_after_reranking(evidence: Evidence) -> Observation:
    """Observation 7: the change of each principle's mean from the own lists to those re-ranked with
    glob: the smallest over λ for what should rise, the largest (up or down) for what should stay.
    Quality "may be lower", which nothing can contradict: its change is reported, not judged."""
    names = evidence.algorithms
    if reason := why_unchecked(evidence, (*RAISED, *UNCHANGED, MAY_FALL)):
        return unchecked_observation(
            7, PRINCIPLES_CLAIM, reason, pd.DataFrame(columns=["principle", "lam"]), _PRINCIPLES
        )
    order = list(evidence.own[names[0]].names)

    def mean_over_recommenders(evaluations: list[Evaluation]) -> Statistic:
        statistic, many = means(np.hstack([one.values for one in evaluations])), len(evaluations)
        return lambda counts: statistic(counts).reshape(len(counts), many, -1).mean(axis=1)

    own = _value_and_draws(evidence, mean_over_recommenders([evidence.own[name] for name in names]))
    moved = np.stack(
        [
            _value_and_draws(
                evidence,
                mean_over_recommenders([evidence.reranked[name, "glob", lam] for name in names]),
            )
            - own
            for lam in LAMS
        ]
    )
    parts = []
    for name in RAISED:
        change = moved[:, :, order.index(name)]
        what = f"change of mean {name} at the λ where it is smallest"
        parts.append(
            Part(
                f"{name} is higher at every λ",
                what,
                *minimum_with_interval(change[:, 0], change[:, 1:].T),
                at=_where_above(change[:, 1:].T, claims=len(RAISED)),
                incomparable=evidence.incomparable.get(name, ""),
            )
        )
    for name in UNCHANGED:
        change = np.concatenate(
            [moved[:, :, order.index(name)], -moved[:, :, order.index(name)]]
        )  # up or down
        what = f"change of mean {name}, up or down, at the λ where it is largest"
        parts.append(
            Part(
                f"{name} stays about the same at every λ",
                what,
                *maximum_with_interval(change[:, 0], change[:, 1:].T),
                line=ABOUT_THE_SAME,
                side="below",
                form="level",
                condition=True,
                incomparable=evidence.incomparable.get(name, ""),
            )
        )
    rows = []
    for at, lam in enumerate(LAMS):
        for m, name in enumerate(order):
            low, high = interval(moved[at, 1:, m])
            rows.append(
                {
                    "principle": name,
                    "lam": lam,
                    "own": own[0, m],
                    "change": moved[at, 0, m],
                    "low": low,
                    "high": high,
                }
            )
    frame = pd.DataFrame(rows)
    last = (
        frame[frame["lam"] == LAMS[-1]]
        .set_index("principle")["change"]
        .sort_values(ascending=False, kind="stable")
    )
    changes = ", ".join(f"{name} {signed(change)}" for name, change in last.items())
    sentence = (
        f"Changes of the means from the own lists to λ = {LAMS[-1]:g} (glob, mean over {len(names)}"
        f" recommenders): {changes}."
    )
    sentence += (
        f" “About the same”: changed by less than {ABOUT_THE_SAME:g} at every λ; quality “may be"
        " lower”, so its change is reported and not judged."
    )
    return checked_observation(7, PRINCIPLES_CLAIM, parts, sentence, frame, _PRINCIPLES)
