"""The bound against all lists there are: never below the best one, and close to it."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import equity_core as eq
from equity_core.certify import best_list, certificate, certify, improve, upper_bound
from equity_core.certify.learner import NOTHING, gain_share, own_lists, proven
from equity_core.certify.model import LOOSE, hellinger_cuts
from equity_core.certify.pool import contenders, pool_of
from equity_core.reranker.objective import Objective
from tests.helpers.random_worlds import ALGORITHM, as_bundle, as_policy, examples, policies, worlds
from tests.helpers.worlds import tiny_frames


def best_of_all(objective: Objective, pool: np.ndarray, length: int) -> float:
    return max(objective(chosen) for chosen in combinations(pool.tolist(), length))


@examples(200)
@given(data=st.data())
def test_no_list_beats_the_bound(data: st.DataObject) -> None:
    world = data.draw(worlds(most_learners=2, most_courses=10))
    policy = as_policy(data.draw(policies(world, most_k=4)))
    bundle = as_bundle(world)
    run = eq.rerank(bundle, ALGORITHM, policy)
    listed = np.flatnonzero(run.courses[:, 0] >= 0)
    assume(len(listed) > 0)
    objective = Objective(bundle, run, int(listed[0]))
    catalogue = policy.pool == "catalogue"
    pool = pool_of(objective, catalogue)
    length = min(policy.k, len(pool))
    best = best_of_all(objective, pool, length)
    found = best_list(objective, policy.k, catalogue=catalogue)
    bound = found.bound
    assert bound >= best - 1e-9
    # Whatever the kinds and the targets, the bound is that of a list.
    assert found.solved
    assert bound <= best + 1e-5 * max(1.0, abs(best))
    assert objective(found.courses) == pytest.approx(best, abs=1e-5 * max(1.0, abs(best)))
    # A search that ends early has a bound as well, looser by at most what it was allowed (the
    # constant part aside).
    early, solved = upper_bound(objective, policy.k, catalogue=catalogue, gap=0.05)
    assert early >= best - 1e-9
    assert solved
    # Dropping dominated courses loses nothing.
    assert best_of_all(objective, contenders(objective, pool, length), length) == pytest.approx(
        best, abs=1e-12
    )
    # The swap step only improves, and never past the bound.
    courses = [int(course) for course in run.courses[listed[0]] if course >= 0]
    swapped, value = improve(objective, courses, pool)
    assert objective(courses) - 1e-12 <= value <= bound
    assert objective(swapped) == pytest.approx(value, abs=1e-12)
    assert len(set(swapped)) == len(courses)


def tiny_bundle() -> eq.Bundle:
    courses, interactions, relevance = tiny_frames()
    return eq.Bundle.from_frames(courses, interactions, relevance=relevance)


def test_with_targets_of_one_the_bound_is_tight() -> None:
    """Every target 1: only the familiarity curve and unknown labels leave room, less than two parts
    in a hundred here."""
    bundle = tiny_bundle()
    algorithm = bundle.algorithms[0]
    run = eq.rerank(bundle, algorithm, eq.Policy(lam=0.8, k=3))
    for learner in np.flatnonzero(run.courses[:, 0] >= 0):
        objective = Objective(bundle, run, int(learner))
        pool = pool_of(objective, False)
        best = best_of_all(objective, pool, min(3, len(pool)))
        bound, solved = upper_bound(objective, 3)
        assert solved
        assert best - 1e-9 <= bound <= best * 1.02


def test_a_sample_is_seeded_and_reports_progress() -> None:
    bundle = tiny_bundle()
    run = eq.rerank(bundle, bundle.algorithms[0], eq.Policy(lam=0.9, k=3))
    seen: list[tuple[int, int]] = []
    first = certify(
        bundle,
        run,
        sample=3,
        seed=4,
        swap=True,
        progress=lambda done, total: seen.append((done, total)),
    )
    again = certify(bundle, run, sample=3, seed=4, swap=True)
    assert first.drop(columns="seconds").equals(again.drop(columns="seconds"))
    assert seen == [(done, 3) for done in range(4)]
    assert (first["ratio"] <= first["swapped_ratio"] + 1e-12).all()
    assert (first["swapped_ratio"] <= 1.0).all()
    assert set(first["learner_id"]) <= set(bundle.learner_ids)


def test_a_sample_can_be_cancelled() -> None:
    bundle = tiny_bundle()
    run = eq.rerank(bundle, bundle.algorithms[0], eq.Policy(lam=0.9, k=3))
    with pytest.raises(eq.Cancelled):
        certify(bundle, run, sample=3, progress=lambda done, total: done < 1)


def test_out_of_time_the_bound_still_holds() -> None:
    bundle = tiny_bundle()
    run = eq.rerank(bundle, bundle.algorithms[0], eq.Policy(lam=0.9, k=3))
    learner = int(np.flatnonzero(run.courses[:, 0] >= 0)[0])
    objective = Objective(bundle, run, learner)
    pool = pool_of(objective, False)
    bound, _ = upper_bound(objective, 3, time_limit=1e-9)
    assert bound >= best_of_all(objective, pool, min(3, len(pool)))


def test_a_learner_without_candidates_is_not_drawn() -> None:
    courses, interactions, relevance = tiny_frames()
    name = next(iter(relevance))
    alone = relevance[name]["learner_id"].iloc[0]
    only = {name: relevance[name][relevance[name]["learner_id"] == alone]}
    bundle = eq.Bundle.from_frames(courses, interactions, relevance=only)
    run = eq.rerank(bundle, name, eq.Policy(lam=0.9, k=2))
    assert certify(bundle, run)["learner_id"].tolist() == [alone]


def test_chords_lie_no_further_above_the_curve_than_they_may() -> None:
    fine = np.linspace(0.0, 1.0, 20_001)
    for top in (1.0, 0.9, 0.3):
        cuts = np.array(hellinger_cuts({0: 0, 1: 1}, np.array([0.8, 0.6]), 10, top))
        assert cuts[0] == 0.0
        assert cuts[-1] == top
        inside = fine[fine <= top]
        above = np.interp(inside, cuts, 1.0 - np.sqrt(1.0 - cuts)) - (1.0 - np.sqrt(1.0 - inside))
        assert above.min() >= -1e-12
        assert above.max() <= LOOSE * 1.0001


def test_a_share_of_nothing_is_no_share() -> None:
    assert proven(0.9, 1.0) == 0.9
    assert proven(1.0 + 1e-12, 1.0) == 1.0
    assert proven(-0.2, -0.2) == 1.0
    assert np.isnan(proven(-0.3, -0.2))
    assert np.isnan(proven(float("nan"), 1.0))


def test_the_own_list_is_judged_by_the_same_lam() -> None:
    bundle = tiny_bundle()
    run = eq.rerank(bundle, bundle.algorithms[0], eq.Policy(lam=0.9, k=3))
    own = eq.rerank(bundle, bundle.algorithms[0], eq.Policy(lam=0.0, k=3))
    assert own_lists(bundle, run).courses.tolist() == own.courses.tolist()
    listed, rows = np.flatnonzero(run.courses[:, 0] >= 0), certify(bundle, run)
    for learner, row in zip(listed.tolist(), rows.to_dict("records"), strict=True):
        objective = Objective(bundle, run, learner)
        best = best_of_all(
            objective, pool_of(objective, False), int((run.courses[learner] >= 0).sum())
        )
        now, before = (
            objective([int(course) for course in one.courses[learner] if course >= 0])
            for one in (run, own)
        )
        assert row["own"] == pytest.approx(before, abs=1e-12)
        assert row["own_ratio"] == pytest.approx(before / best, abs=1e-5)
        if row["nothing_to_gain"]:
            assert before == pytest.approx(best, abs=2 * NOTHING)
        else:
            share = (now - before) / (best - before)
            assert row["gain_share"] == pytest.approx(share, rel=0.01, abs=0.01)


def test_the_share_of_the_attainable_gain() -> None:
    assert gain_share(0.95, 0.9, 1.0) == pytest.approx(0.5)
    assert gain_share(1.0 + 1e-9, 0.9, 1.0) == 1.0
    # Worse than doing nothing: said, not hidden.
    assert gain_share(0.85, 0.9, 1.0) == pytest.approx(-0.5)
    # Nothing to gain: reached by a list that is as good as the own one, else no share.
    assert gain_share(0.9, 0.9, 0.9 + NOTHING / 2) == 1.0
    assert np.isnan(gain_share(0.8, 0.9, 0.9 + NOTHING / 2))
    assert np.isnan(gain_share(float("nan"), 0.9, 1.0))
    assert gain_share(-0.5, -0.5, -0.5) == 1.0


def test_out_of_time_the_shares_are_lower_bounds() -> None:
    bundle = tiny_bundle()
    run = eq.rerank(bundle, bundle.algorithms[0], eq.Policy(lam=0.9, k=3))
    for learner in np.flatnonzero(run.courses[:, 0] >= 0).tolist():
        quick, full = (
            certificate(bundle, run, learner, time_limit=seconds) for seconds in (1e-9, 10.0)
        )
        assert full.solved
        assert quick.bound >= full.bound - 1e-5
        assert quick.ratio <= full.ratio + 1e-5
        if full.gain_share > 0.0 and not full.nothing_to_gain:
            assert quick.gain_share <= full.gain_share + 1e-3


def test_one_certificate_is_a_row_of_the_sample() -> None:
    bundle = tiny_bundle()
    run = eq.rerank(bundle, bundle.algorithms[0], eq.Policy(lam=0.9, k=3))
    rows = certify(bundle, run, swap=True).set_index("learner_id")
    for learner in np.flatnonzero(run.courses[:, 0] >= 0).tolist():
        found = certificate(bundle, run, learner, swap=True)
        row = rows.loc[bundle.learner_ids[learner]]
        assert (found.objective, found.swapped, found.ratio, found.swapped_ratio) == tuple(
            row[["objective", "swapped", "ratio", "swapped_ratio"]]
        )
        assert Objective(bundle, run, learner)(found.swapped_courses) == pytest.approx(
            found.swapped, abs=1e-12
        )
        assert (found.own, found.own_ratio, found.gain_share) == tuple(
            row[["own", "own_ratio", "gain_share"]]
        )
    plain = certificate(bundle, run, 0)
    assert plain.swapped_courses == plain.courses
    assert np.isnan(plain.swapped)


def test_a_sample_has_somebody_in_it() -> None:
    bundle = tiny_bundle()
    run = eq.rerank(bundle, bundle.algorithms[0], eq.Policy(lam=0.9, k=3))
    with pytest.raises(ValueError, match="at least one learner, not 0"):
        certify(bundle, run, sample=0)


@pytest.mark.slow
def test_on_the_demo_swaps_close_part_of_the_gap() -> None:
    """At λ = 0.9 the lists are proven to reach 0.98 of the best possible on average, but the own
    lists reach nearly as much; swaps close most of the rest."""
    bundle = eq.load_bundle(Path(__file__).parents[2] / "data" / "demo")
    found = certify(bundle, eq.rerank(bundle, "userknn", eq.Policy(lam=0.9)), sample=40, swap=True)
    assert len(found) == 40
    assert found["ratio"].mean() >= 0.98
    assert found["ratio"].min() >= 0.9
    assert found["own_ratio"].mean() >= 0.9
    assert found["swapped_gain_share"].mean() >= 0.9
    assert (found["swapped_ratio"] <= 1.0).all()
    assert found["solved"].all()
