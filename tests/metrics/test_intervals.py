"""Bootstrap intervals and the permutation test: against brute force, on seeds and threads. By
simulation: test_coverage.py."""

from __future__ import annotations

import math

import numpy as np
import pytest

from equity_core.metrics import Evaluation, equality
from equity_core.metrics.intervals import (
    MEASURES,
    Sorted,
    drawn_counts,
    intervals,
    permutation_test,
)


def evaluation(consistency: np.ndarray, ndcg: np.ndarray | None = None) -> Evaluation:
    count = len(consistency)
    ndcg = np.zeros(count) if ndcg is None else ndcg
    return Evaluation(
        "test",
        ("a",),
        np.arange(count),
        np.ones((1, 1)),
        np.ones((count, 1)),
        ndcg,
        consistency,
        consistency,
    )


def worlds(seed: int, count: int = 80) -> tuple[Evaluation, Evaluation]:
    rng = np.random.default_rng(seed)
    before, after = rng.uniform(0.3, 0.9, count), rng.uniform(0.4, 0.9, count)
    found = np.where(rng.random(count) < 0.2, np.nan, rng.random(count))
    before[3] = after[3] = np.nan
    return evaluation(before, found), evaluation(after, found * 0.9)


def test_equality_of_counts_is_the_equality_of_the_values_repeated() -> None:
    rng = np.random.default_rng(1)
    values = np.where(rng.random(50) < 0.1, np.nan, rng.random(50))
    counts = rng.integers(0, 4, size=(20, 50)).astype(float)
    found = Sorted.of(values).equality(counts)
    for row, got in zip(counts, found, strict=True):
        assert got == pytest.approx(equality(np.repeat(values, row.astype(int))), abs=1e-12)


def test_edges_of_equality() -> None:
    ordered = Sorted.of(np.zeros(3))
    assert ordered.equality(np.ones((1, 3)))[0] == 1.0
    assert math.isnan(ordered.equality(np.zeros((1, 3)))[0])
    assert math.isnan(Sorted.of(np.full(3, np.nan)).equality(np.ones((1, 3)))[0])


def test_intervals_are_the_percentiles_of_the_draws_one_by_one() -> None:
    before, after = worlds(2)
    found = intervals(after, before, resamples=200, seed=5)
    draws: dict[str, list[float]] = {name: [] for name in MEASURES}
    for row in drawn_counts(80, 200, 5):
        rows = np.repeat(np.arange(80), row)
        draws["ndcg"].append(
            np.nanmean(after.per_learner_ndcg[rows]) - np.nanmean(before.per_learner_ndcg[rows])
        )
        draws["consistency"].append(
            np.nanmean(after.per_learner_consistency[rows])
            - np.nanmean(before.per_learner_consistency[rows])
        )
        draws["equality"].append(
            equality(after.per_learner_consistency[rows])
            - equality(before.per_learner_consistency[rows])
        )
    for name, values in draws.items():
        low, high = np.quantile(values, [0.025, 0.975])
        assert found.loc[name, "change_low"] == pytest.approx(low, abs=1e-12)
        assert found.loc[name, "change_high"] == pytest.approx(high, abs=1e-12)
    assert found.loc["ndcg", "value"] == after.ndcg
    assert found.loc["ndcg", "n"] == (~np.isnan(after.per_learner_ndcg)).sum()
    assert found.loc["ndcg", "relative"] == pytest.approx(-0.1)


def test_every_draw_has_as_many_learners_as_there_are() -> None:
    assert (drawn_counts(37, 50, 0).sum(axis=1) == 37).all()


def test_the_seed_decides_and_threads_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = []
    for threads in ("1", "3"):
        monkeypatch.setenv("EQUITY_THREADS", threads)
        drawn_counts.cache_clear()
        before, after = worlds(3)
        frames.append(intervals(after, before, resamples=100, seed=1))
    assert frames[0].equals(frames[1])
    other = intervals(*reversed(worlds(3)), resamples=100, seed=2)
    assert not other.equals(frames[0])


def test_a_change_of_nothing_has_an_interval_of_nothing() -> None:
    one, _ = worlds(4)
    row = intervals(one, one, resamples=50).loc["equality"]
    assert (row["change"], row["change_low"], row["change_high"]) == (0.0, 0.0, 0.0)


def test_nothing_known_gives_nan_and_learners_must_match() -> None:
    nobody = evaluation(np.full(4, np.nan), np.full(4, np.nan))
    found = intervals(nobody, nobody, resamples=20)
    assert found[["low", "high", "change_low"]].isna().all(axis=None)
    with pytest.raises(ValueError, match="same learners, not 3 and 4"):
        intervals(nobody, evaluation(np.ones(3)))


def test_three_learners_give_intervals() -> None:
    found = intervals(
        evaluation(np.array([0.2, 0.5, 0.9]), np.array([np.nan, 1.0, 0.0])), resamples=100
    )
    assert (found["low"] <= found["value"] + 1e-12).all()
    assert (found["high"] >= found["value"] - 1e-12).all()


def test_permutation_p_is_exact_where_all_swappings_can_be_counted() -> None:
    a, b = np.array([0.9, 0.8, 0.85, 0.7, 0.95]), np.array([0.5, 0.6, 0.4, 0.65, 0.5])
    seen = abs((a - b).mean())
    signs = np.array([[1 if at >> bit & 1 else -1 for bit in range(5)] for at in range(32)])
    exact = (np.abs(signs @ (a - b) / 5) >= seen - 1e-12).mean()
    found = permutation_test(evaluation(a), evaluation(b), "consistency", resamples=20_000, seed=1)
    assert found == pytest.approx(exact, abs=0.01)


def test_permutation_of_equality_against_brute_force() -> None:
    rng = np.random.default_rng(7)
    a, b = rng.uniform(0.5, 0.7, 8), rng.uniform(0.2, 0.9, 8)
    seen = abs(equality(a) - equality(b))
    hits = []
    for at in range(256):
        swap = np.array([at >> bit & 1 for bit in range(8)], dtype=bool)
        hits.append(
            abs(equality(np.where(swap, b, a)) - equality(np.where(swap, a, b))) >= seen - 1e-12
        )
    found = permutation_test(evaluation(a), evaluation(b), "equality", resamples=20_000, seed=2)
    assert found == pytest.approx(np.mean(hits), abs=0.01)


def test_permutation_leaves_out_who_has_no_value_and_knows_its_measures() -> None:
    known = evaluation(np.array([0.5, np.nan, 0.7]), np.array([np.nan, np.nan, np.nan]))
    assert math.isnan(permutation_test(known, known, "ndcg"))
    assert permutation_test(known, known, "consistency", resamples=50) == 1.0
    with pytest.raises(ValueError, match="use one of ndcg, consistency, equality"):
        permutation_test(known, known, "variety")
