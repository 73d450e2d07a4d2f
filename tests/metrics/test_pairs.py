"""Correlations over all pairs of learners: against sorting every pair and leaving everybody out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from equity_core import threads
from equity_core.metrics import pairs
from equity_core.metrics.pairs import pair_correlation


def plain(x, y):
    """Spearman's correlation over every pair, sorted."""
    i, j = np.triu_indices(len(x), 1)
    return float(stats.spearmanr(np.abs(x[i] - x[j]), np.abs(y[i] - y[j])).statistic)


def drawn(rng, size, slope=0.5):
    x = rng.normal(size=size)
    return x, slope * x + rng.normal(size=size)


@given(st.integers(0, 10_000), st.integers(4, 40), st.integers(2, 12))
@settings(max_examples=60, deadline=None)
def test_it_is_that_of_every_pair(seed, size, levels):
    """Values on a grid that the steps hit exactly, so that equal differences are equal."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, levels, (2, size)).astype(float)
    found = pair_correlation(x, y, steps=1 + int(np.ptp(x) or 1) * int(np.ptp(y) or 1) * 4)
    i, j = np.triu_indices(size, 1)
    if np.ptp(np.abs(x[i] - x[j])) == 0 or np.ptp(np.abs(y[i] - y[j])) == 0:
        assert np.isnan(found.rho)
        return
    assert found.rho == pytest.approx(plain(x, y), abs=1e-9)
    assert found.pairs == size * (size - 1) // 2


def test_steps_change_it_by_less_than_shown():
    x, y = drawn(np.random.default_rng(1), 300)
    assert pair_correlation(x, y).rho == pytest.approx(plain(x, y), abs=5e-4)


@pytest.mark.parametrize("ties", [False, True])
def test_the_influence_is_what_leaving_a_learner_out_changes(ties):
    x, y = drawn(np.random.default_rng(2), 60)
    if ties:
        x, y = np.round(2 * x), np.round(y)
    found = pair_correlation(x, y, steps=4096)
    everybody = np.arange(60)
    left_out = [
        59 * (plain(x, y) - plain(*(v[everybody != at] for v in (x, y)))) for at in range(60)
    ]
    assert np.corrcoef(left_out, found.influence)[0, 1] > 0.999
    assert np.std(found.influence) == pytest.approx(np.std(left_out), rel=0.06)
    assert found.influence.sum() == pytest.approx(0.0, abs=1e-9)


def test_unknown_learners_and_large_groups_are_left_out():
    x, y = drawn(np.random.default_rng(3), 80)
    some = y.copy()
    some[::4] = np.nan
    found, known = pair_correlation(x, some), ~np.isnan(some)
    assert found.rho == pytest.approx(pair_correlation(x[known], y[known]).rho)
    assert (found.influence[~known] == 0).all()
    np.testing.assert_array_equal(found.used, known)
    sampled = pair_correlation(x, y, most=30)
    assert sampled.used.sum() == 30
    assert sampled.pairs == 435
    np.testing.assert_array_equal(sampled.used, pair_correlation(x, y, most=30).used)
    chosen = sampled.used
    assert sampled.rho == pytest.approx(pair_correlation(x[chosen], y[chosen]).rho)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([], []),
        ([1.0, 2.0], [1.0, 2.0]),
        ([1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 3.0, 4.0]),
        ([1.0, 2.0, 3.0], [np.nan] * 3),
    ],
)
def test_where_there_is_no_correlation(x, y):
    found = pair_correlation(np.array(x), np.array(y))
    assert np.isnan(found.rho)
    assert np.isnan(found.on_draws(np.ones((2, len(x))))).all()


def test_draws_move_it_by_the_mean_influence():
    x, y = drawn(np.random.default_rng(4), 50)
    found = pair_correlation(x, y)
    assert found.on_draws(np.ones((1, 50)))[0, 0] == pytest.approx(found.rho)
    counts = np.zeros((2, 50))
    counts[0, :2] = 3.0, 1.0
    moved = found.on_draws(counts)[:, 0]
    assert moved[0] == pytest.approx(found.rho + (3 * found.influence[0] + found.influence[1]) / 4)
    counts[1, 7] = 1.0
    assert found.on_draws(counts)[1, 0] == pytest.approx(found.rho + found.influence[7])


def test_threads_do_not_change_it(monkeypatch):
    monkeypatch.setattr(pairs, "_ALONE", 1)
    x, y = drawn(np.random.default_rng(5), 700)
    found = []
    for many in ("1", "3"):
        monkeypatch.setenv("EQUITY_THREADS", many)
        assert threads.count() == int(many)
        found.append(pair_correlation(x, y))
    assert found[0].rho == found[1].rho
    np.testing.assert_array_equal(found[0].influence, found[1].influence)
