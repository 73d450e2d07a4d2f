"""Observations 3 and 4: which principles the own lists meet, where learners differ, and what goes
with overall consistency."""

from __future__ import annotations

import numpy as np
import pandas as pd

from equity_core.analysis.audit import principles
from equity_core.analysis.audit.principles import LARGELY_MET
from equity_core.analysis.observations.draws import (
    Floats,
    Statistic,
    deviations,
    least,
    means,
    over,
    spearman,
)
from equity_core.analysis.observations.facts import Facts, unchecked
from equity_core.analysis.observations.model import Figure, Observation, Part, checked, impossible
from equity_core.analysis.words import decimal
from equity_core.metrics.evaluate import Evaluation

HIGH = ("quality", "validity", "manageability")
LOW = ("familiarity", "affordability", "learnability", "variety")
WITH_CONSISTENCY = ("familiarity", "learnability", "affordability")
THIRD = (
    "Every recommender largely meets quality, validity and manageability; familiarity,"
    " affordability, learnability and variety are lower and deviate more over learners."
)
FOURTH = (
    "Familiarity, learnability and affordability go with overall consistency more than the other"
    " principles do."
)
_GRID = Figure("audit", "", "Where the gap comes from")
_CORRELATIONS = Figure("audit", "Which principles matter", "Which principles go with consistency")


def met(found: Evaluation) -> Floats:
    """1 − |p − q|: how far each list meets each principle's target; q itself where the target is
    1."""
    return 1.0 - np.abs(found.targets - found.values)


def _averaged(statistic: Statistic, algorithms: int) -> Statistic:
    """(draws, algorithms × principles) as (draws, algorithms, principles)."""
    return lambda counts: statistic(counts).reshape(len(counts), algorithms, -1)


def third(facts: Facts) -> Observation:
    """The lowest of the three with any recommender; then the lowest of the three less the highest
    of the four, and the same of deviations.

    The last two on means over the recommenders.
    """
    names = facts.algorithms
    if reason := unchecked(facts, (*HIGH, *LOW)):
        return impossible(3, THIRD, reason, principles.principles_by_algorithm(facts.own), _GRID)
    columns, order = (
        np.hstack([met(facts.own[name]) for name in names]),
        list(facts.own[names[0]].names),
    )
    high, low = ([order.index(name) for name in group] for group in (HIGH, LOW))

    level, deviation = (_averaged(make(columns), len(names)) for make in (means, deviations))
    one = np.ones((1, facts.draws.learners))
    value, draws = (
        (level(one), deviation(one)),
        (facts.draws.products(level), facts.draws.products(deviation)),
    )
    mean, sd = (found[0].mean(axis=0) for found in value)

    def apart(at: int, upper: list[int], lower: list[int]) -> tuple[float, float, float]:
        """The least of all differences between one of some principles and one of others, by their
        means over recommenders."""
        both = [found.mean(axis=1) for found in (value[at], draws[at])]
        pairs = [
            (found[:, upper, None] - found[:, None, lower]).reshape(len(found), -1)
            for found in both
        ]
        return least(pairs[0][0], pairs[1])

    figures = (
        least(value[0][0][:, high].ravel(), draws[0][:, :, high].reshape(len(draws[0]), -1)),
        apart(0, high, low),
        apart(1, low, high),
    )
    words = (
        (
            "quality, validity and manageability are largely met by all",
            "the lowest of the three with any recommender",
            LARGELY_MET,
            "level",
        ),
        (
            "the other four are lower",
            "the lowest of the three, less the highest of the four",
            0.0,
            "difference",
        ),
        (
            "the other four deviate more",
            "the smallest deviation of the four, less the largest of the three",
            0.0,
            "difference",
        ),
    )
    parts = [
        Part(name, what, *figure, line=line, form=form)  # type: ignore[arg-type]
        for figure, (name, what, line, form) in zip(figures, words, strict=True)
    ]
    by_mean, by_sd = (
        [order[at] for at in np.argsort(-values, kind="stable")] for values in (mean, sd)
    )
    here = [at for at, name in enumerate(order) if name in (*HIGH, *LOW)]
    sentence = (
        "The lowest of quality, validity and manageability with any recommender is"
        f" {parts[0].words}; “largely met” is {LARGELY_MET:g}. From most to least met:"
        f" {_ranked(by_mean, order, mean, here)}. From most to least deviation:"
        f" {_ranked(by_sd, order, sd, here)} (means over {len(names)} recommenders)."
    )
    return checked(
        3,
        THIRD,
        parts,
        sentence,
        principles.principles_by_algorithm({name: facts.own[name] for name in names}),
        _GRID,
    )


def _ranked(names: list[str], order: list[str], values: Floats, here: list[int]) -> str:
    return ", ".join(
        f"{name} {values[order.index(name)]:.2f}" for name in names if order.index(name) in here
    )


def fourth(facts: Facts) -> Observation:
    """Spearman's correlation of each principle with consistency over learners, as a mean over
    recommenders: the lowest of the three less the highest of the others. A principle without any
    spread has no correlation, and no part in its mean."""
    names = facts.algorithms
    if reason := unchecked(facts, (*HIGH, *LOW)):
        return impossible(
            4,
            FOURTH,
            reason,
            pd.DataFrame(columns=["algorithm", "principle", "rho"]),
            _CORRELATIONS,
        )
    order = list(facts.own[names[0]].names)
    seven = [order.index(name) for name in (*HIGH, *LOW)]
    three = [at for at, name in enumerate((*HIGH, *LOW)) if name in WITH_CONSISTENCY]
    rest = [at for at in range(len(seven)) if at not in three]
    statistics = []
    for name in names:
        found = facts.own[name]
        known = ~np.isnan(found.per_learner_consistency)
        statistics.append(
            over(
                known, spearman(found.per_learner_consistency[known], found.values[known][:, seven])
            )
        )

    def each(counts: Floats) -> Floats:
        return mean_known(np.stack([statistic(counts) for statistic in statistics]), axis=0)

    value, draws = facts.draws.value(each), facts.draws.of(each)
    part = Part(
        "these three go with consistency more than the other four",
        "the lowest rank correlation of the three, less the highest of the four",
        *least(
            (value[three, None] - value[None, rest]).ravel(),
            (draws[:, three, None] - draws[:, None, rest]).reshape(len(draws), -1),
        ),
        form="correlation",
    )
    listed = sorted(
        zip((*HIGH, *LOW), value.tolist(), strict=True),
        key=lambda pair: -pair[1] if pair[1] == pair[1] else 2.0,
    )
    sentence = (
        "Rank correlation with consistency, mean over recommenders: "
        + ", ".join(f"{name} {decimal(rho)}".replace("-", "−") for name, rho in listed)
        + ". The lowest of familiarity, learnability and affordability, less the highest of the"
        f" others: {part.words}."
    )
    frame = principles.correlations_with_consistency({name: facts.own[name] for name in names})
    return checked(4, FOURTH, [part], sentence, frame, _CORRELATIONS)


def mean_known(values: Floats, axis: int) -> Floats:
    """The mean over what is known; NaN where nothing is."""
    known = ~np.isnan(values)
    size = known.sum(axis=axis)
    return np.where(
        size > 0, np.where(known, values, 0.0).sum(axis=axis) / np.maximum(size, 1), np.nan
    )
