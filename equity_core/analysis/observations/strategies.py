"""Observations 6 and 7: the strategies at the same λ, and what re-ranking does to each principle.

At each of the paper's λ, over all recommenders: means of consistency, equality and the principles
over the recommenders; NDCG pooled (its sum over the recommenders), so that one that finds next to
nothing has no say in shares. Each part takes the λ that is worst for the claim.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from equity_core.analysis.observations.draws import Floats, Statistic, interval, least, means, most
from equity_core.analysis.observations.facts import LAMS, Facts, unchecked
from equity_core.analysis.observations.model import Figure, Observation, Part, checked, impossible
from equity_core.analysis.words import join, signed
from equity_core.metrics.evaluate import Evaluation

LIKE_LOSS = 0.05
"""Up to this share of the own lists' NDCG more than glob loses is "a like loss"."""
KEPT = 0.05
"""A principle whose mean moves by less than this is kept."""
RAISED, HELD, MAY_FALL = (
    ("familiarity", "variety", "affordability"),
    ("validity", "learnability", "manageability"),
    "quality",
)
SIXTH = (
    "At the same λ, the strategies user and pers reach higher consistency and higher equality than"
    " glob, at a like loss of NDCG."
)
SEVENTH = (
    "In re-ranked lists familiarity, variety and affordability are higher, the others are kept, and"
    " quality may be lower."
)
_STRATEGIES = Figure("tradeoff", "Strategies over λ", "One λ for all, by strategy")
_PRINCIPLES = Figure("tradeoff", "Principles over λ", "Each principle over λ")


def _measures(facts: Facts, found: list[Evaluation]) -> Floats:
    """(1 + draws, 3): mean consistency, mean equality and summed NDCG over recommenders; the first
    row has the figures themselves."""
    each = facts.draws.measures(found)
    return np.column_stack(
        [each[:, :, 1].mean(axis=1), each[:, :, 2].mean(axis=1), each[:, :, 0].sum(axis=1)]
    )


def sixth(facts: Facts) -> Observation:
    """user and pers less glob: consistency and equality (the least over λ) and the share of the own
    NDCG lost (the most over λ)."""
    names = facts.algorithms
    if reason := unchecked(facts):
        return impossible(6, SIXTH, reason, pd.DataFrame(columns=["strategy", "lam"]), _STRATEGIES)
    start = _measures(facts, [facts.own[name] for name in names])
    base = {
        lam: _measures(facts, [facts.again[name, "glob", lam] for name in names]) for lam in LAMS
    }
    parts, rows = [], []
    for strategy in ("user", "pers"):
        gains = []  # one a λ: (1 + draws, 3), the first row the figure itself
        for lam in LAMS:
            gain = (
                _measures(facts, [facts.again[name, strategy, lam] for name in names]) - base[lam]
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
            what = f"{measure} with {strategy}, less glob's, at the λ where that is least"
            parts.append(
                Part(
                    f"{measure} of {strategy} is above glob's at every λ",
                    what,
                    *least(stacked[:, 0, at], stacked[:, 1:, at].T),
                )
            )
        name, what = (
            f"{strategy} loses about as much NDCG as glob",
            "share of the own NDCG lost beyond glob's, at the λ where that is most",
        )
        parts.append(
            Part(
                name,
                what,
                *most(stacked[:, 0, 2], stacked[:, 1:, 2].T),
                line=LIKE_LOSS,
                side="below",
                form="share",
            )
        )
    frame = pd.DataFrame(rows)
    sentence = " ".join(_strategy_words(frame, strategy) for strategy in ("user", "pers"))
    sentence += (
        f" Means over {len(names)} recommenders; “a like loss”: at most {LIKE_LOSS:.0%} of NDCG"
        " more.".replace("%", " %")
    )
    if math.isnan(parts[2].value):
        sentence += " NDCG is unknown here, so that the loss cannot be compared."
    return checked(6, SIXTH, parts, sentence, frame, _STRATEGIES)


def _both(facts: Facts, statistic: Statistic) -> Floats:
    """The figure itself, and under it every draw."""
    return np.vstack([facts.draws.value(statistic)[None], facts.draws.products(statistic)])


def _strategy_words(frame: pd.DataFrame, strategy: str) -> str:
    rows = frame[frame["strategy"] == strategy]
    parts = []
    for measure in ("consistency", "equality"):
        higher = [f"{lam:g}" for lam in rows.loc[rows[f"{measure}_gain_low"] > 0, "lam"]]
        lower = [f"{lam:g}" for lam in rows.loc[rows[f"{measure}_gain_high"] < 0, "lam"]]
        words = [f"higher at λ = {join(higher)}"] if higher else []
        words += [f"lower at λ = {join(lower)}"] if lower else []
        parts.append(
            f"{measure} clearly {' and '.join(words)}"
            if words
            else f"no clear difference in {measure} at any λ"
        )
    return f"Against glob, {strategy} has {', '.join(parts)}."


def seventh(facts: Facts) -> Observation:
    """The change of each principle's mean from the own lists to those re-ranked with glob: the
    least over λ for what should rise, the most (either way) for what should stay. Quality "may be
    lower", which nothing can contradict: its change is told, not judged."""
    names = facts.algorithms
    if reason := unchecked(facts, (*RAISED, *HELD, MAY_FALL)):
        return impossible(
            7, SEVENTH, reason, pd.DataFrame(columns=["principle", "lam"]), _PRINCIPLES
        )
    order = list(facts.own[names[0]].names)

    def mean_of(found: list[Evaluation]) -> Statistic:
        statistic = means(np.hstack([one.values for one in found]))
        return lambda counts: statistic(counts).reshape(len(counts), len(found), -1).mean(axis=1)

    own = _both(facts, mean_of([facts.own[name] for name in names]))
    moved = np.stack(
        [
            _both(facts, mean_of([facts.again[name, "glob", lam] for name in names])) - own
            for lam in LAMS
        ]
    )
    parts = []
    for name in RAISED:
        change = moved[:, :, order.index(name)]
        what = f"change of mean {name} at the λ where it is least"
        parts.append(
            Part(f"{name} is higher at every λ", what, *least(change[:, 0], change[:, 1:].T))
        )
    for name in HELD:
        change = np.concatenate(
            [moved[:, :, order.index(name)], -moved[:, :, order.index(name)]]
        )  # up or down
        what = f"move of mean {name}, up or down, at the λ where it is most"
        parts.append(
            Part(
                f"{name} is kept at every λ",
                what,
                *most(change[:, 0], change[:, 1:].T),
                line=KEPT,
                side="below",
                form="level",
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
    told = ", ".join(f"{name} {signed(change)}" for name, change in last.items())
    sentence = (
        f"Changes of the means from the own lists to λ = {LAMS[-1]:g} (glob, mean over {len(names)}"
        f" recommenders): {told}."
    )
    sentence += (
        f" “Kept”: moved by less than {KEPT:g} at every λ; quality “may be lower”, so that its"
        " change is told and not judged."
    )
    return checked(7, SEVENTH, parts, sentence, frame, _PRINCIPLES)
