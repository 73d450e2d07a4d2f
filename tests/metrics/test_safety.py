"""Limits kept with confidence: the test against scipy's on the learners themselves, the fixed
order, and how often a limit is broken where the truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from equity_core.metrics.safety import (
    CONFIDENCE,
    PATHS,
    ChangeMoments,
    OwnMoments,
    change_moments,
    in_sequence,
    missing,
    own_moments,
    p_value,
    statistic,
)

VALUES = st.sampled_from([0.0, 0.0, 0.0, 0.1, 0.3, 0.387, 0.63, 1.0, math.nan])
LIMITS = st.sampled_from([0.0, 0.01, 0.05, 0.2, 0.5, 0.9])


def reference(own: np.ndarray, after: np.ndarray, limit: float) -> tuple[float, float]:
    """t and p by scipy: D of every learner, and of the one more who loses everything."""
    known = ~(np.isnan(own) | np.isnan(after))
    own, after = own[known], after[known]
    hit = own[own > 0].mean() if (own > 0).any() else 0.0
    d = np.append(after - (1 - limit) * own, -(1 - limit) * hit)
    found = stats.ttest_1samp(d, 0.0, alternative="greater")
    return float(found.statistic), float(found.pvalue)


@given(
    arrays(np.float64, st.integers(1, 40), elements=VALUES),
    st.data(),
    LIMITS,
)
@settings(max_examples=200, deadline=None)
def test_it_is_the_t_test_over_the_learners_and_one_more(
    own: np.ndarray, data: st.DataObject, limit: float
) -> None:
    after = data.draw(arrays(np.float64, len(own), elements=VALUES))
    after = np.where(np.isnan(own), np.nan, np.where(np.isnan(after), 0.0, after))
    before, change = own_moments(own), change_moments(own, after)
    got = float(statistic(before, change, limit))
    if np.isnan(own).all():
        assert math.isnan(got)
        assert not missing(before, change, limit) <= 0
        return
    d = after - (1 - limit) * own
    d = np.append(d[~np.isnan(d)], -(1 - limit) * before.hit)
    if np.ptp(d) < 1e-12:  # scipy warns: no learner differs from another
        assert not np.isfinite(got) or abs(got) > 1e6
        return
    t, p = reference(own, after, limit)
    assert got == pytest.approx(t, rel=1e-9, abs=1e-9)
    assert float(p_value(before, change, limit)) == pytest.approx(p, abs=1e-9)
    if abs(p - (1 - CONFIDENCE) / PATHS) > 1e-6:
        assert (float(missing(before, change, limit)) <= 0) == (p <= (1 - CONFIDENCE) / PATHS)


@given(
    arrays(np.float64, st.integers(2, 40), elements=st.sampled_from([0.0, 0.0, 0.3, 0.63, 1.0])),
    st.data(),
)
@settings(max_examples=150, deadline=None)
def test_the_limits_at_which_a_policy_is_safe_are_one_stretch(
    own: np.ndarray, data: st.DataObject
) -> None:
    """Not always all above the first one: with very few hits, a larger limit adds more noise than
    room. But never with a gap."""
    after = data.draw(arrays(np.float64, len(own), elements=st.sampled_from([0.0, 0.3, 0.63, 1.0])))
    before, change = own_moments(own), change_moments(own, after)
    grid = np.linspace(0.0, 0.999, 60)
    safe = [bool(missing(before, change, float(limit)) <= 1e-9) for limit in grid]
    assert np.abs(np.diff(np.r_[False, safe, False].astype(int))).sum() <= 2
    everything = float(missing(before, change, 1.0))
    assert everything == -math.inf  # nobody can lose more than all


@given(st.floats(0.01, 0.4), st.floats(0.5, 0.99), st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_more_confidence_and_less_room_are_never_easier(
    limit: float, confidence: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    own = np.where(rng.random(300) < 0.3, rng.random(300), 0.0)
    after = np.where(rng.random(300) < 0.1, 0.0, own)
    before, change = own_moments(own), change_moments(own, after)
    here = float(missing(before, change, limit, confidence))
    assert float(missing(before, change, limit, (confidence + 1) / 2)) > here
    # Plenty of hits: a larger limit is kept more surely.
    assert float(missing(before, change, limit + 0.05, confidence)) < here


def test_a_confidence_has_to_be_one() -> None:
    own = own_moments(np.array([0.5, 0.0]))
    for bad in (0.0, 0.49, 1.0, 2.0, math.nan):
        with pytest.raises(ValueError, match="confidence"):
            missing(own, ChangeMoments(0.0, 0.0, 0.0), 0.1, bad)


def test_own_lists_that_are_unknown_or_find_nothing() -> None:
    unknown = own_moments(np.array([np.nan, np.nan]))
    assert unknown.learners == 0
    assert math.isnan(unknown.mean)
    nothing = own_moments(np.zeros(5))
    assert nothing == OwnMoments(5, 0.0, 0.0, 0.0)
    assert not missing(nothing, change_moments(np.zeros(5), np.zeros(5)), 0.5) <= 0
    for limit in (0.1, 1.0):
        assert math.isnan(
            float(statistic(unknown, change_moments(np.full(2, np.nan), np.full(2, np.nan)), limit))
        )


@given(arrays(np.bool_, st.tuples(st.integers(1, 4), st.integers(1, 12))))
def test_in_sequence_stops_at_the_first_failure(passed: np.ndarray) -> None:
    found = in_sequence(passed)
    for row, got in zip(passed, found, strict=True):
        expected = [True]
        for one in row[1:]:
            expected.append(expected[-1] and bool(one))
        assert got.tolist() == expected


def broken(
    own: np.ndarray, policies: np.ndarray, limit: float, size: int, draws: int, seed: int
) -> tuple[float, float]:
    """How often the last safe policy of a path truly loses more than the limit; and how often it
    is more than the own lists. ``policies``: NDCG after, policies × learners, the mildest first."""
    rng = np.random.default_rng(seed)
    losses = 1.0 - policies.mean(axis=1) / own.mean()
    over, moved = 0, 0
    for _ in range(draws):
        who = rng.integers(0, len(own), size)
        before = own_moments(own[who])
        short = np.array(
            [float(missing(before, change_moments(own[who], one[who]), limit)) for one in policies]
        )
        last = int(np.flatnonzero(in_sequence(short <= 0))[-1])
        over, moved = over + (losses[last] > limit + 1e-12), moved + (last > 0)
    return over / draws, moved / draws


@pytest.mark.parametrize("size", [100, 300, 1000])
@pytest.mark.parametrize("kind", ["all or nothing", "gains and losses", "rare losses"])
def test_limits_hold_where_the_truth_is_known(kind: str, size: int) -> None:
    """Also where it is hardest: whoever loses, loses everything, and few do (as with k = 1)."""
    rng = np.random.default_rng(5)
    learners = 20_000
    hit = rng.random(learners) < 0.2
    own = np.where(hit, 1.0 if kind == "all or nothing" else rng.uniform(0.2, 1.0, learners), 0.0)
    turn = rng.random(learners)  # whose list changes first
    policies = [own]
    for share in np.linspace(0.01, 0.25, 25):
        after = np.where(turn < share, 0.0, own)
        if kind == "gains and losses":
            after = np.where(turn < share, rng.permutation(own) * 0.8, own)
        if kind == "rare losses":
            after = np.where((turn < share / 2) & (own > 0.6), 0.0, own)
        policies.append(after)
    for limit in (0.05, 0.2):
        over, _ = broken(own, np.array(policies), limit, size, 200, seed=size)
        assert over <= 0.08, (limit, over)


def test_it_is_not_safe_for_nothing() -> None:
    """With many learners, nearly all of the room is used."""
    rng = np.random.default_rng(1)
    own = np.where(rng.random(20_000) < 0.3, rng.random(20_000), 0.0)
    turn = rng.random(20_000)
    policies = np.array([np.where(turn < share, 0.0, own) for share in (0.0, 0.02, 0.04, 0.07)])
    over, moved = broken(own, policies, 0.05, 20_000, 20, seed=2)
    assert over == 0.0
    assert moved == 1.0


@pytest.mark.parametrize("limit", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("learners", [50, 300, 2000])
def test_where_losers_lose_everything_the_error_is_known_exactly(
    learners: int, limit: float
) -> None:
    """One learner in five has a hit, NDCG 1; each of these loses it with just the limit's
    probability. Both numbers are binomial, so how often the test passes can be added up."""
    passing = 0.0
    for hits in range(1, learners + 1):
        chance = stats.binom.pmf(hits, learners, 0.2)
        if chance < 1e-6:
            continue
        lost = np.arange(hits + 1)
        mean, change = hits / learners, -lost / learners
        own = OwnMoments(learners, mean, mean - mean**2, 1.0)
        after = ChangeMoments(change, -change - change**2, change - change * mean)
        passed = missing(own, after, limit) <= 0
        passing += chance * stats.binom.pmf(lost[passed], hits, limit).sum()
    assert passing <= 0.03
