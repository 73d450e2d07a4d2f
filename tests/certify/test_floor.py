"""The most relevant list that meets a floor, against all lists there are."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import equity_core as eq
from equity_core.certify import certify, floor_certificate, most_relevant
from equity_core.certify.bound import judged_by
from equity_core.certify.floor import MEETS, reported_consistency, total_relevance
from equity_core.certify.learner import own_lists
from equity_core.certify.pool import contenders, pool_of
from equity_core.reranker.objective import Objective
from tests.helpers.random_worlds import ALGORITHM, as_bundle, as_policy, examples, policies, worlds
from tests.helpers.worlds import tiny_frames


def all_lists(objective: Objective, pool: np.ndarray, length: int) -> list[tuple[float, float]]:
    """Consistency and relevance of every list there is."""
    return [
        (reported_consistency(objective, one), total_relevance(objective, one))
        for one in combinations(pool.tolist(), length)
    ]


def most_of_all(lists: list[tuple[float, float]], floor: float) -> float:
    return max((much for reached, much in lists if reached >= floor - MEETS), default=-np.inf)


@examples(120)
@given(data=st.data())
def test_no_list_that_meets_the_floor_has_more_relevance(data: st.DataObject) -> None:
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
    lists = all_lists(objective, pool, length)
    reached = sorted({one[0] for one in lists})
    # A floor that is some list's own consistency is met by that list, and by little else.
    floor = data.draw(st.sampled_from([0.5, 0.65, 0.8, *reached[-3:], reached[len(reached) // 2]]))
    floor = min(max(floor, 0.0), 1.0)
    found = most_relevant(objective, policy.k, floor, catalogue=catalogue)
    best = most_of_all(lists, floor)
    assert found.solved
    if np.isinf(best):
        assert found.bound == -np.inf
        assert found.courses == ()
        return
    assert best - 1e-9 <= found.bound <= best + 1e-5 * max(1.0, abs(best))
    assert reported_consistency(objective, found.courses) >= floor - MEETS
    assert total_relevance(objective, found.courses) == pytest.approx(
        found.bound, rel=1e-5, abs=1e-5
    )
    assert len(set(found.courses)) == length
    # Dropping dominated courses loses nothing, and a list that is known does not change the answer.
    fewer = contenders(judged_by(objective, 0.0), pool, length, apart=True)
    assert most_of_all(all_lists(objective, fewer, length), floor) == pytest.approx(best, abs=1e-9)
    known = [int(course) for course in run.courses[listed[0]] if course >= 0]
    again = most_relevant(objective, policy.k, floor, catalogue=catalogue, known=[known])
    assert again.bound == pytest.approx(found.bound, rel=1e-5, abs=1e-5)


@pytest.fixture(scope="module")
def tiny() -> eq.Bundle:
    courses, interactions, relevance = tiny_frames()
    return eq.Bundle.from_frames(courses, interactions, relevance=relevance)


@pytest.mark.parametrize("pool", ["stored", "catalogue"])
@pytest.mark.parametrize("floor", [0.0, 0.55, 0.7, 0.95])
def test_every_list_is_set_beside_all_lists(tiny: eq.Bundle, floor: float, pool: str) -> None:
    run = eq.rerank(tiny, tiny.algorithms[0], eq.Policy(floor=floor, k=3, pool=pool))
    own, rows = own_lists(tiny, run), certify(tiny, run).to_dict("records")
    listed = np.flatnonzero(run.courses[:, 0] >= 0).tolist()
    assert len(rows) == len(listed)
    for learner, row in zip(listed, rows, strict=True):
        objective = Objective(tiny, run, learner)
        mine, before = (
            [int(course) for course in one.courses[learner] if course >= 0] for one in (run, own)
        )
        lists = all_lists(objective, pool_of(objective, pool == "catalogue"), len(mine))
        best, highest = most_of_all(lists, floor), max(reached for reached, _ in lists)
        much, most = total_relevance(objective, mine), total_relevance(objective, before)
        assert row["solved"]
        assert (row["relevance"], row["own_relevance"]) == (much, most)
        if row["own_consistency"] >= floor - MEETS:
            assert row["state"] == "own list meets it"
            assert (row["kept"], row["necessary"]) == (1.0, 1.0)
        elif row["consistency"] >= floor - MEETS:
            assert row["state"] == "met"
            assert row["kept"] == pytest.approx(much / best, abs=1e-5)
            necessary = (most - best) / (most - much) if most - much > 1e-5 else 1.0
            assert row["necessary"] == pytest.approx(necessary, abs=1e-3)
        else:
            assert row["state"] == ("out of reach" if np.isinf(best) else "missed")
            assert np.isnan(row["kept"])
            assert row["highest"] == pytest.approx(highest, abs=1e-5)
            assert row["consistency_share"] == pytest.approx(row["consistency"] / highest, abs=1e-5)


def test_a_list_below_a_floor_that_others_meet_is_missed(tiny: eq.Bundle) -> None:
    """The lists of a lower floor, judged by a higher one: none is taken for one that meets it."""
    run = eq.rerank(tiny, tiny.algorithms[0], eq.Policy(floor=0.5, k=3))
    found = certify(tiny, replace(run, policy=run.policy.but(floor=0.7)))
    assert "missed" in set(found["state"])
    missed = found[found["state"] == "missed"]
    assert missed["kept"].isna().all()
    assert missed["optimum"].notna().all()
    assert (missed["consistency_share"] < 1.0).all()


def test_out_of_time_the_relevance_kept_is_a_lower_bound(tiny: eq.Bundle) -> None:
    run = eq.rerank(tiny, tiny.algorithms[0], eq.Policy(floor=0.7, k=3))
    for learner in np.flatnonzero(run.courses[:, 0] >= 0).tolist():
        quick, full = (
            floor_certificate(tiny, run, learner, time_limit=seconds) for seconds in (1e-9, 10.0)
        )
        if full.meets:
            assert quick.kept <= full.kept + 1e-9
            assert quick.necessary <= full.necessary + 1e-6
        else:
            assert quick.state in (full.state, "not settled")


def test_without_a_floor_there_is_no_floor_certificate(tiny: eq.Bundle) -> None:
    run = eq.rerank(tiny, tiny.algorithms[0], eq.Policy(lam=0.9, k=3))
    with pytest.raises(ValueError, match="no floor"):
        floor_certificate(tiny, run, 0)


@pytest.mark.slow
def test_on_the_demo_the_optimum_is_found_for_the_whole_catalogue() -> None:
    """More courses to choose from, no less relevance; and every search ends."""
    bundle = eq.load_bundle(Path(__file__).parents[2] / "data" / "demo")
    found = {
        pool: certify(
            bundle, eq.rerank(bundle, "userknn", eq.Policy(floor=0.65, pool=pool)), sample=6
        )
        for pool in ("stored", "catalogue")
    }
    assert all(one["solved"].all() for one in found.values())
    assert (found["catalogue"]["optimum"] >= found["stored"]["optimum"] - 1e-6).all()
    assert (found["stored"]["kept"].dropna() >= 0.7).all()
