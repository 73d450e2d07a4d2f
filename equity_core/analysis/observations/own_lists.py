"""Observations 3, 4 and 5: which principles the recommenders' own lists meet, which principles
correlate with consistency, and how lists relate to learners' pasts."""

from __future__ import annotations

import numpy as np
import pandas as pd

from equity_core.algorithms import label
from equity_core.analysis.audit.principles import (
    LARGELY_MET,
    correlations_with_consistency,
    principles_by_algorithm,
)
from equity_core.analysis.observations.bootstrap import (
    Floats,
    Statistic,
    among_learners,
    deviations,
    interval,
    means,
    minimum_with_interval,
    spearman,
)
from equity_core.analysis.observations.evidence import Evidence, why_unchecked
from equity_core.analysis.observations.verdicts import (
    NEGLIGIBLE,
    Figure,
    Observation,
    Part,
    checked_observation,
    unchecked_observation,
)
from equity_core.analysis.words import count, decimal, join
from equity_core.metrics.evaluate import Evaluation
from equity_core.metrics.pairs import pair_correlation

HIGH = ("quality", "validity", "manageability")
LOW = ("familiarity", "affordability", "learnability", "variety")
WITH_CONSISTENCY = ("familiarity", "learnability", "affordability")
PRINCIPLES_CLAIM = (
    "Every recommender largely meets quality, validity and manageability; familiarity,"
    " affordability, learnability and variety are lower and vary more between learners."
)
CORRELATIONS_CLAIM = (
    "Familiarity, learnability and affordability correlate more strongly with overall consistency"
    " than the other principles do."
)
PAST_CLAIM = (
    "Learners whose past courses meet the principles get lists that meet them, and learners with"
    " similar pasts get lists of similar consistency."
)
_GRID = Figure("audit", "", "Where the gap comes from")
_CORRELATIONS = Figure(
    "audit", "Which principles matter", "Which principles correlate with consistency"
)
_PAST = Figure("audit", "Past and lists", "Similar pasts, similar lists?")


def _met(evaluation: Evaluation) -> Floats:
    """1 − |p − q|: how well each list meets each principle's target; q itself if the target is
    1."""
    return 1.0 - np.abs(evaluation.targets - evaluation.values)


def _by_algorithm(statistic: Statistic, algorithms: int) -> Statistic:
    """(draws, algorithms × principles) as (draws, algorithms, principles)."""
    return lambda counts: statistic(counts).reshape(len(counts), algorithms, -1)


def check_principles_met(evidence: Evidence) -> Observation:
    """Observation 3: each of the three with the recommender where it is lowest; the lowest of the
    three minus the highest of the four; the smallest deviation of the four minus the largest of the
    three.

    The last two on means over the recommenders, among the principles that can be compared with the
    paper's.
    """
    names = evidence.algorithms
    if reason := why_unchecked(evidence, (*HIGH, *LOW)):
        return unchecked_observation(
            3, PRINCIPLES_CLAIM, reason, principles_by_algorithm(evidence.own), _GRID
        )
    columns, order = (
        np.hstack([_met(evidence.own[name]) for name in names]),
        list(evidence.own[names[0]].names),
    )
    high, low = ([order.index(name) for name in group] for group in (HIGH, LOW))

    level, deviation = (_by_algorithm(make(columns), len(names)) for make in (means, deviations))
    one = np.ones((1, evidence.bootstrap.learners))
    value, draws = (
        (level(one), deviation(one)),
        (
            evidence.bootstrap.resample_matrix_products(level),
            evidence.bootstrap.resample_matrix_products(deviation),
        ),
    )
    mean, sd = (found[0].mean(axis=0) for found in value)

    def apart(at: int, upper: list[int], lower: list[int]) -> tuple[float, float, float]:
        """The smallest of all differences between an upper and a lower principle, on means over
        recommenders."""
        both = [found.mean(axis=1) for found in (value[at], draws[at])]
        pairs = [
            (found[:, upper, None] - found[:, None, lower]).reshape(len(found), -1)
            for found in both
        ]
        return minimum_with_interval(pairs[0][0], pairs[1])

    parts = [
        Part(
            f"{order[at]} is largely met by all",
            f"mean {order[at]} with the recommender where it is lowest",
            *minimum_with_interval(value[0][0][:, at], draws[0][:, :, at]),
            line=LARGELY_MET,
            form="level",
            incomparable=evidence.incomparable.get(order[at], ""),
        )
        for at in high
    ]
    # What cannot be compared is left out of the comparisons, and has a part that says so.
    upper, lower = (
        [at for at in group if order[at] not in evidence.incomparable] for group in (high, low)
    )
    if upper and lower:
        those, others = (join([order[at] for at in group]) for group in (lower, upper))
        are, vary = ("is", "varies") if len(lower) == 1 else ("are", "vary")
        parts += [
            Part(
                f"{those} {are} lower than {others}",
                f"the lowest of {others}, minus the highest of {those}",
                *apart(0, upper, lower),
            ),
            Part(
                f"{those} {vary} more between learners than {others}",
                f"the smallest deviation of {those}, minus the largest of {others}",
                *apart(1, lower, upper),
            ),
        ]
    parts += [
        Part(
            f"{order[at]} is lower and varies more",
            f"the lowest of the three, minus {order[at]}",
            *apart(0, high, [at]),
            incomparable=evidence.incomparable[order[at]],
        )
        for at in low
        if order[at] in evidence.incomparable
    ]
    by_mean, by_sd = (
        [order[at] for at in np.argsort(-values, kind="stable")] for values in (mean, sd)
    )
    here = [at for at, name in enumerate(order) if name in (*HIGH, *LOW)]
    sentence = (
        f"“Largely met” means at least {LARGELY_MET:g} with every recommender. From most to"
        f" least met: {_listed(by_mean, order, mean, here)}. From largest to smallest deviation:"
        f" {_listed(by_sd, order, sd, here)} (means over {count(len(names), 'recommender')})."
    )
    return checked_observation(
        3,
        PRINCIPLES_CLAIM,
        parts,
        sentence,
        principles_by_algorithm({name: evidence.own[name] for name in names}),
        _GRID,
    )


def _listed(names: list[str], order: list[str], values: Floats, here: list[int]) -> str:
    return ", ".join(
        f"{name} {values[order.index(name)]:.2f}" for name in names if order.index(name) in here
    )


def check_principles_with_consistency(evidence: Evidence) -> Observation:
    """Observation 4: Spearman's correlation of each principle with consistency over learners, mean
    over recommenders: the lowest of the three minus the highest of the others. A principle with
    equal values everywhere has no correlation and does not count in its mean."""
    names = evidence.algorithms
    if reason := why_unchecked(evidence, (*HIGH, *LOW)):
        return unchecked_observation(
            4,
            CORRELATIONS_CLAIM,
            reason,
            pd.DataFrame(columns=["algorithm", "principle", "rho"]),
            _CORRELATIONS,
        )
    order = list(evidence.own[names[0]].names)
    seven = [order.index(name) for name in (*HIGH, *LOW)]
    three = [at for at, name in enumerate((*HIGH, *LOW)) if name in WITH_CONSISTENCY]
    rest = [at for at in range(len(seven)) if at not in three]
    statistics = []
    for name in names:
        found = evidence.own[name]
        known = ~np.isnan(found.per_learner_consistency)
        statistics.append(
            among_learners(
                known, spearman(found.per_learner_consistency[known], found.values[known][:, seven])
            )
        )

    def each(counts: Floats) -> Floats:
        return _known_mean(np.stack([statistic(counts) for statistic in statistics]), axis=0)

    value, draws = evidence.bootstrap.value(each), evidence.bootstrap.resample(each)
    part = Part(
        "these three correlate more with consistency than the other four",
        "the lowest rank correlation of the three, minus the highest of the four",
        *minimum_with_interval(
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
        + ". The lowest of familiarity, learnability and affordability, minus the highest of the"
        f" others: {part.words}."
    )
    frame = correlations_with_consistency({name: evidence.own[name] for name in names})
    return checked_observation(4, CORRELATIONS_CLAIM, [part], sentence, frame, _CORRELATIONS)


def _known_mean(values: Floats, axis: int) -> Floats:
    """The mean of the known values along an axis; NaN where none is known."""
    known = ~np.isnan(values)
    size = known.sum(axis=axis)
    return np.where(
        size > 0, np.where(known, values, 0.0).sum(axis=axis) / np.maximum(size, 1), np.nan
    )


def _with_past(evidence: Evidence, algorithm: str) -> Statistic:
    """Rank correlation over learners of the past's consistency with the list's."""
    found = evidence.own[algorithm].per_learner_consistency
    known = ~np.isnan(found)
    return among_learners(known, spearman(evidence.past[known], found[known][:, None]))


def _over_pairs(evidence: Evidence, algorithm: str) -> Statistic:
    """Rank correlation over all pairs of learners: how much the pasts differ with how much the
    lists do."""
    return pair_correlation(evidence.past, evidence.own[algorithm].per_learner_consistency).on_draws


def _draws(evidence: Evidence, key: str, statistic: Statistic) -> Floats:
    """A correlation on every draw; the one over pairs is a matrix product."""
    if key == "pairs":
        return evidence.bootstrap.resample_matrix_products(statistic)
    return evidence.bootstrap.resample(statistic)


def check_past_and_lists(evidence: Evidence) -> Observation:
    """Observation 5: both correlations, means over recommenders. A recommender with equal values
    for all learners has no correlation and does not count in the mean."""
    names = evidence.algorithms
    if reason := why_unchecked(evidence):
        return unchecked_observation(
            5, PAST_CLAIM, reason, pd.DataFrame(columns=["algorithm", "label"]), _PAST
        )
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
            "learners with similar pasts get lists of similar consistency",
            "rank correlation of differences over all pairs of learners",
            _over_pairs,
        ),
    ):
        each = [make(evidence, name) for name in names]
        value = np.array([float(evidence.bootstrap.value(statistic)[0]) for statistic in each])
        draws = np.column_stack([_draws(evidence, key, statistic)[:, 0] for statistic in each])
        parts.append(
            Part(
                words,
                what,
                float(_known_mean(value, axis=0)),
                *interval(_known_mean(draws, axis=1)),
                form="correlation",
                negligible=NEGLIGIBLE,
            )
        )
        for at, name in enumerate(names):
            rows[name][f"rho_{key}"] = value[at]
            rows[name][f"rho_{key}_low"], rows[name][f"rho_{key}_high"] = interval(draws[:, at])
    frame = pd.DataFrame(list(rows.values()))
    clear = {key: int((frame[f"rho_{key}_low"] > 0).sum()) for key in ("past", "pairs")}
    sentence = (
        f"Rank correlation, mean over {count(len(names), 'recommender')}, of the past's consistency"
        f" with the list's: {parts[0].words}, clearly above 0 with {clear['past']} of them; over"
        " pairs of learners, of the difference between their pasts with that between their lists:"
        f" {parts[1].words}, clearly above 0 with {clear['pairs']} of them. A correlation below"
        f" {NEGLIGIBLE:g} is called negligible."
    )
    return checked_observation(5, PAST_CLAIM, parts, sentence, frame, _PAST)
