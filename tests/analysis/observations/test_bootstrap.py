"""Bootstrap statistics against plain resampling, chance against counting, and how often claims
"hold" on data without any effect."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from equity_core.analysis.observations import bootstrap
from equity_core.analysis.observations.checks import check_evidence
from equity_core.metrics.intervals import drawn_counts
from tests.helpers.evidence import evaluation
from tests.helpers.no_effect import no_effect

LEARNERS, DRAWN = 40, 6


@pytest.fixture
def columns():
    rng = np.random.default_rng(3)
    out = rng.normal(0.5, 0.1, (LEARNERS, 3))
    out[:, 1] = np.round(out[:, 1], 1)  # ties
    return out


def resampled():
    """The learners of each draw, one by one."""
    return [np.repeat(np.arange(LEARNERS), row) for row in drawn_counts(LEARNERS, DRAWN, 0)]


def test_means_and_deviations_are_those_of_the_drawn_learners(columns):
    columns[3, 2] = np.nan
    made = bootstrap.Bootstrap(LEARNERS, DRAWN)
    np.testing.assert_allclose(
        made.resample(bootstrap.means(columns)),
        [np.nanmean(columns[drawn], axis=0) for drawn in resampled()],
    )
    np.testing.assert_allclose(
        made.resample(bootstrap.deviations(columns)),
        [np.nanstd(columns[drawn], axis=0) for drawn in resampled()],
    )
    np.testing.assert_allclose(made.value(bootstrap.means(columns)), np.nanmean(columns, axis=0))
    np.testing.assert_allclose(
        made.value(bootstrap.deviations(columns)), np.nanstd(columns, axis=0)
    )


def test_rank_correlations_are_those_of_the_drawn_learners(columns):
    made, statistic = (
        bootstrap.Bootstrap(LEARNERS, DRAWN),
        bootstrap.spearman(columns[:, 0], columns),
    )
    for found, drawn in zip(made.resample(statistic), resampled(), strict=True):
        expected = [
            stats.spearmanr(columns[drawn, 0], columns[drawn, m]).statistic for m in range(3)
        ]
        np.testing.assert_allclose(found, expected, atol=1e-12)
    assert made.value(statistic)[1] == pytest.approx(
        stats.spearmanr(columns[:, 0], columns[:, 1]).statistic
    )


def test_no_spread_no_correlation(columns):
    columns[:, 2] = 0.5
    assert np.isnan(
        bootstrap.Bootstrap(LEARNERS, DRAWN).resample(bootstrap.spearman(columns[:, 0], columns))[
            :, 2
        ]
    ).all()
    assert np.isnan(bootstrap.spearman(columns[:2, 0], columns[:2])(np.ones((1, 2)))).all()


def test_measures_are_those_of_the_drawn_learners(columns):
    found = evaluation(np.clip(np.repeat(columns[:, :1], 7, axis=1), 0, 1), columns[:, 2])
    made = bootstrap.Bootstrap(LEARNERS, DRAWN).measures([found])
    np.testing.assert_allclose(made[0, 0], [found.ndcg, found.consistency, found.equality])
    for row, drawn in zip(made[1:, 0], resampled(), strict=True):
        some = found.per_learner_consistency[drawn]
        gini = np.abs(some[:, None] - some[None, :]).mean() / (2 * some.mean())
        np.testing.assert_allclose(row, [columns[drawn, 2].mean(), some.mean(), 1 - gini])


def test_correlation_over_recommenders_is_spearmans():
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 5, (20, 6)).astype(float), rng.normal(size=(20, 6))
    expected = [stats.spearmanr(a, b).statistic for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(bootstrap.spearman_by_row(x, y), expected)


def test_chance_of_an_order_by_counting():
    x, y = [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 4.0, 3.0, 5.0]
    rho = [stats.spearmanr(x, order).statistic for order in itertools.permutations(y)]
    either = np.mean(np.abs(rho) >= 0.9 - 1e-9)
    assert bootstrap.chance_of_order(x, y) == pytest.approx(either)
    assert bootstrap.chance_of_order(x, y[::-1]) == pytest.approx(either)
    for size in range(1, 6):
        assert bootstrap.chance_of_order(x[:size], x[:size]) == pytest.approx(
            bootstrap.least_chance_of_order(size)
        )


def test_chance_of_many_orders_is_sampled():
    rng = np.random.default_rng(2)
    x = rng.normal(size=12)
    y = x + rng.normal(size=12)
    rho = stats.spearmanr(x, y)
    assert bootstrap.chance_of_order(x.tolist(), y.tolist()) == pytest.approx(
        stats.spearmanr(x, y).pvalue, abs=0.01
    )
    assert rho.statistic > 0


def test_chance_of_groups_by_counting():
    values_, chosen = (
        [0.9, 0.8, 0.3, 0.2, 0.1, 0.5, 0.4],
        [True, True, False, False, False, False, False],
    )
    assert bootstrap.chance_of_groups(values_, chosen) == pytest.approx(1 / 21)
    assert bootstrap.chance_of_groups([-value for value in values_], chosen) == pytest.approx(
        1 / 21
    )
    assert bootstrap.least_chance_of_groups(2, 5) == pytest.approx(1 / 21)
    assert bootstrap.chance_of_groups([1.0, 2.0, 5.0, 6.0], [False, False, True, True]) == (
        pytest.approx(bootstrap.least_chance_of_groups(2, 2))
    )
    assert bootstrap.least_chance_of_groups(2, 2) == pytest.approx(2 / 6)
    # 0.9 and 0.1 against the rest: 0.1 above it, and one other pair is as far below.
    several = [0.9, 0.1, 0.5, 0.4, 0.3]
    differences = [
        np.mean([several[at] for at in some])
        - np.mean([several[at] for at in range(5) if at not in some])
        for some in itertools.combinations(range(5), 2)
    ]
    assert bootstrap.chance_of_groups(several, [True, True, False, False, False]) == pytest.approx(
        np.mean(np.abs(differences) >= abs(differences[0]) - 1e-12)
    )
    assert bootstrap.chance_of_groups([1.0] * 7, chosen) == 1.0
    assert np.isnan(bootstrap.chance_of_groups([1.0, 2.0], [True, True]))


@pytest.mark.slow
def test_false_alarms_are_rare():
    """60 worlds without any effect: a part whose truth is on its line should look clear in about
    2.5 % of them on each side: 1.5 of 60."""
    worlds = [check_evidence(no_effect(seed)).observations for seed in range(60)]
    verdicts = pd.DataFrame([{one.number: one.verdict for one in world} for world in worlds])
    holds = (verdicts == "holds").sum()
    in_part = (verdicts == "holds in part").sum()
    assert set(verdicts.to_numpy().ravel()) <= {
        "holds",
        "holds, but negligible",
        "holds in part",
        "does not hold",
        "not clear here",
    }
    assert holds.max() <= 5, holds.to_dict()
    assert holds.sum() <= 8, holds.to_dict()
    assert in_part.max() <= 8, in_part.to_dict()
    assert in_part.sum() <= 14, in_part.to_dict()
    parts = pd.DataFrame(
        [
            {(one.number, part.name): part.verdict for one in world for part in one.parts}
            for world in worlds
        ]
    )
    on_the_line = [
        key for key in parts if not {"largely", "stays"} & set(key[1].split())
    ]  # 0.6 is below 0.8, and nothing changes by 0.05
    assert len(on_the_line) == 18
    for key in on_the_line:
        for verdict in ("holds", "does not hold"):
            assert (parts[key] == verdict).sum() <= 7, (key, verdict)


def test_which_of_several_are_clearly_above():
    rng = np.random.default_rng(0)
    drawn = np.array([0.3, 0.01, -0.2, 0.022]) + rng.normal(0, 0.01, (4000, 4))
    # 0.022 is 2.2 standard errors above 0: clear by itself (1.96), not among four (2.5).
    assert bootstrap.clearly_above(drawn).tolist() == [True, False, False, False]
    assert bootstrap.clearly_above(drawn[:, 3:]).tolist() == [True]
    assert bootstrap.clearly_above(np.full((5, 1), np.nan)).tolist() == [False]
    assert bootstrap.clearly_above(drawn, line=0.25).tolist() == [True, False, False, False]


def test_the_minimum_of_several_values():
    rng = np.random.default_rng(0)
    values_ = np.array([0.3, 0.1, 0.2])
    drawn = values_ + rng.normal(0, [0.1, 0.01, 0.1], (4000, 3))
    value, low, high = bootstrap.minimum_with_interval(values_, drawn)
    assert value == 0.1
    assert low == pytest.approx(0.2 - 1.96 * 0.1, abs=0.02)  # the third could be lower still
    assert high == pytest.approx(0.1 + 2.39 * 0.01, abs=0.003)  # 2.5 % / 3
    assert bootstrap.maximum_with_interval(-values_, -drawn) == pytest.approx((-value, -high, -low))
    assert np.isnan(bootstrap.minimum_with_interval(np.array([0.1, np.nan]), drawn[:, :2])).all()
    assert np.isnan(bootstrap.minimum_with_interval(values_, np.full((5, 3), np.nan))).all()


def test_the_minimum_of_one_value_has_its_plain_interval():
    drawn = np.random.default_rng(0).normal(0.2, 0.1, (1000, 1))
    assert bootstrap.minimum_with_interval(np.array([0.2]), drawn) == pytest.approx(
        (0.2, *bootstrap.interval(drawn[:, 0]))
    )
