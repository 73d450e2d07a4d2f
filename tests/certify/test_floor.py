"""The most relevant list that meets a floor, against all lists there are."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import equity_core as eq
from equity_core.certify import certify, floor_certificate, most_relevant
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


@examples(200)
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
    assert total_relevance(objective, found.courses) == pytest.approx(found.bound, rel=1e-5, abs=1e-5)
    assert len(set(found.courses)) == length
    # A list that is known already does not change the answer, and dropping courses loses nothing.
    known = [int(course) for course in run.courses[listed[0]] if course >= 0]
    again = most_relevant(objective, policy.k, floor, catalogue=catalogue, known=[known])
    assert again.bound == pytest.approx(found.bound, rel=1e-5, abs=1e-5)
