"""The paths of the trade-off against eq.sweep and eq.floor_sweep, the sample, and reading the
paths."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.tradeoff import paths
from equity_core.metrics.intervals import intervals
from equity_core.reranker import sampling
from equity_core.reranker.sampling import SampledSession
from tests.helpers.audited import make

POLICY = eq.Policy(k=5)


def test_lam_path_is_the_sweep(bundle: eq.Bundle) -> None:
    found = paths.lam_path(bundle, "userknn", POLICY)
    expected = eq.sweep(bundle, "userknn", POLICY, lams=paths.LAMS)
    assert list(found["value"]) == list(expected["lam"])
    for name in ("ndcg", "consistency", "equality", *(p.name for p in bundle.principles)):
        np.testing.assert_allclose(found[name], expected[name])
    assert (found["chosen_ndcg"] == found["ndcg"]).all()
    assert found.attrs["learners"] == len(bundle.learner_ids)


def test_floor_path_is_the_floor_sweep(bundle: eq.Bundle) -> None:
    found = paths.floor_path(bundle, "userknn", POLICY)
    expected = eq.floor_sweep(bundle, "userknn", POLICY, floors=list(found["value"]))
    for name in ("ndcg", "consistency", "equality", "unreached", "mean_lam"):
        np.testing.assert_allclose(found[name].astype(float), expected[name].astype(float))
    assert len(found) <= paths.MOST_FLOORS
    assert found["unreached"].iloc[0] == 0
    assert found["unreached"].iloc[-1] > 0


def test_the_choosing_part_has_its_own_ndcg() -> None:
    bundle = make(seed=3)
    log = bundle.interactions
    assert "valid" not in set(log["split"])
    found = paths.lam_path(bundle, "userknn", POLICY, "test", "valid")
    assert found["chosen_ndcg"].isna().all()
    assert found["ndcg"].notna().all()


def test_progress_counts_and_cancels(bundle: eq.Bundle) -> None:
    seen: list[tuple[int, int]] = []
    paths.lam_path(
        bundle, "random", POLICY, progress=lambda done, total: seen.append((done, total))
    )
    assert seen[0] == (0, len(paths.LAMS))
    assert seen[-1] == (len(paths.LAMS), len(paths.LAMS))
    with pytest.raises(eq.Cancelled):
        paths.lam_path(bundle, "random", POLICY, progress=lambda done, total: done < 2)


@pytest.mark.parametrize("kind", ["lam", "floor"])
def test_a_sample_measures_its_own_learners_only(bundle: eq.Bundle, kind: str) -> None:
    whole, sample = (
        eq.Session(bundle, "mine", POLICY),
        SampledSession(bundle, "mine", POLICY, size=20),
    )
    chosen = sample.chosen
    assert 10 <= chosen.sum() < len(chosen)
    one, two = ((s.at_lam(0.8) if kind == "lam" else s.at_floor(0.6)) for s in (whole, sample))
    np.testing.assert_array_equal(one.courses[chosen], two.courses[chosen])
    assert (two.courses[~chosen] == -1).all()
    assert (one.reached[chosen] == two.reached[chosen]).all()
    own = paths._of_its_learners(sample, paths._measured(sample, sample.at_lam(0.0), "test"))
    assert len(own.per_learner_ndcg) == chosen.sum()
    row = paths._row(sample, two, kind, 0.8, "test", "test", own)
    assert row["equality_low"] <= row["equality"] <= row["equality_high"]
    full = eq.evaluate(bundle, one, POLICY)
    assert row["consistency"] == pytest.approx(np.nanmean(full.per_learner_consistency[chosen]))
    assert row["ndcg"] == pytest.approx(np.nanmean(full.per_learner_ndcg[chosen]))


def test_large_bundles_are_sampled(bundle: eq.Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "LARGE", 30)
    assert isinstance(sampling.session_for(bundle, "userknn", POLICY), SampledSession)


def path(**columns: list[float]) -> pd.DataFrame:
    frame = pd.DataFrame(columns)
    return frame.assign(chosen_ndcg=frame["ndcg"]) if "chosen_ndcg" not in frame else frame


def test_best_within_takes_the_most_equal_that_keeps_the_limit() -> None:
    found = path(
        value=[0, 0.5, 0.9, 1], ndcg=[0.10, 0.10, 0.09, 0.02], equality=[0.90, 0.93, 0.9304, 0.99]
    )
    assert (
        paths.best_within(found, 0.1, 0.10)["value"] == 0.5
    )  # 0.9304 is no better at three decimals and costs NDCG
    assert paths.best_within(found, 0.9, 0.10)["value"] == 1
    assert paths.best_within(found.assign(chosen_ndcg=0.01), 0.1, 0.10) is None
    assert paths.best_within(found, 0.1, math.nan) is None
    assert paths.best_within(found, 0.1, 0.0) is None


def test_dominating_is_at_least_as_good_in_both_and_better_in_one() -> None:
    found = path(value=[1, 2, 3, 4], ndcg=[0.1, 0.1, 0.2, 0.05], equality=[0.9, 0.95, 0.9, 0.99])
    assert list(paths.dominating(found, 0.1, 0.9)["value"]) == [2, 3]
    assert paths.dominating(found, math.nan, 0.9).empty


def test_crossing_follows_the_line() -> None:
    found = path(value=[0, 1, 2], ndcg=[0.1, 0.2, 0.1], equality=[0.8, 0.9, 1.0])
    assert paths.crossing(found, 0.15, "ndcg", "equality") == pytest.approx(
        0.95
    )  # the higher of the two passages
    assert paths.crossing(found, 0.1, "ndcg", "equality") == pytest.approx(1.0)
    assert math.isnan(paths.crossing(found, 0.3, "ndcg", "equality"))


def test_steepest_step() -> None:
    found = path(value=[0.0, 0.9, 0.95, 1.0], ndcg=[0.1, 0.1, 0.08, 0.02], equality=[1, 1, 1, 1])
    fall, start = paths.steepest_fall(found, 0.1)
    assert (fall, start) == (pytest.approx(0.6), 0.95)
    assert paths.steepest_fall(found.assign(ndcg=0.1), 0.1)[0] == 0.0


@pytest.mark.parametrize("kind", ["lam", "floor"])
def test_every_point_has_the_intervals_of_its_policy(bundle: eq.Bundle, kind: str) -> None:
    """Those of the cards on screen, to the last digit; a change of nothing is 0."""
    found = (
        paths.lam_path(bundle, "userknn", POLICY)
        if kind == "lam"
        else paths.floor_path(bundle, "userknn", POLICY)
    )
    row = found.iloc[len(found) // 2]
    policy = POLICY.but(lam=row["value"]) if kind == "lam" else POLICY.but(floor=row["value"])
    own, now = (
        eq.evaluate(bundle, eq.rerank(bundle, "userknn", p), p)
        for p in (POLICY.but(lam=0.0), policy)
    )
    sure = intervals(now, own)
    for name, change in (("ndcg", "relative"), ("consistency", "change"), ("equality", "change")):
        for end in ("low", "high"):
            assert row[f"{name}_{end}"] == sure.loc[name, end]
            assert row[f"{name}_{change}_{end}"] == sure.loc[name, f"{change}_{end}"]
    values = now.learners["quality"]
    half = 1.96 * values.std(ddof=0) / math.sqrt(len(values))
    assert row["quality_high"] - row["quality"] == pytest.approx(half, rel=1e-3)
    assert row["quality"] - row["quality_low"] == pytest.approx(half, rel=1e-3)
    if kind == "lam":
        assert found.filter(like="_change_").iloc[0].eq(0.0).all()
