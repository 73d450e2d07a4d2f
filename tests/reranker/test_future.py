"""No list holds a course from the future, whatever the policy; without those, lists are the
reference's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equity_core as eq
from equity_core.certify.bound import pool_of
from equity_core.metrics.reach import reachable
from equity_core.reranker.objective import Objective
from tests.helpers.dated import dated
from tests.helpers.random_worlds import ALGORITHM, as_policy, examples, policies
from tests.reference_runs import check_steps


@examples(60)
@given(data=st.data())
def test_every_step_takes_the_best_course_that_is_there(data: st.DataObject) -> None:
    one = data.draw(dated(apart=True, most_learners=6, most_courses=40))
    world, bundle = one.world, one.bundle()
    policy = data.draw(policies(world, most_k=20))
    policy.pool = data.draw(st.sampled_from(["catalogue", "catalogue", "stored"]))
    run = eq.rerank(bundle, ALGORITHM, as_policy(policy))
    p, w = world.targets_of(policy), world.weights_of(ALGORITHM, policy)
    for row, learner in enumerate(world.learners):
        pool = world.candidates(learner, ALGORITHM, policy)
        check_steps(world, learner, run.courses[row], pool, policy.lam, policy.k, p[row], w[row])


@pytest.mark.parametrize("pool", ["stored", "catalogue"])
@examples(25)
@given(data=st.data())
def test_own_lists_floors_and_certificates(pool: str, data: st.DataObject) -> None:
    one = data.draw(dated(apart=True, most_learners=3, most_courses=25))
    world, bundle = one.world, one.bundle()
    policy = data.draw(policies(world, most_k=12, lam=0.0))
    policy.pool = pool
    asked = as_policy(policy)
    own = eq.rerank(bundle, ALGORITHM, asked)
    runs = [eq.rerank(bundle, ALGORITHM, asked.but(floor=floor)) for floor in (0.5, 0.8)]
    for row, learner in enumerate(world.learners):
        there = world.candidates(learner, ALGORITHM, policy).positions
        listed = there[: policy.k].tolist()
        assert own.courses[row].tolist() == [*listed, *[-1] * (policy.k - len(listed))]
        for run in runs:
            found = run.courses[row][run.courses[row] >= 0]
            assert len(found) == len(listed)
            assert set(found) <= set(there)
        if len(listed):
            objective = Objective(bundle, own, row)
            assert sorted(pool_of(objective, pool == "catalogue")) == sorted(there)


@examples(60)
@given(data=st.data())
def test_what_is_reachable_counts_only_courses_that_are_there(data: st.DataObject) -> None:
    one = data.draw(dated(apart=True, most_learners=2, most_courses=12))
    bundle, k = one.bundle(), data.draw(st.integers(1, 5))
    there = np.flatnonzero(~bundle.future.hidden)
    best = reachable(bundle, k)
    for at, principle in enumerate(bundle.principles):
        if principle.kind == "mean" and len(there):
            values = bundle.encoded.means[there, bundle.encoded.mean_of.tolist().index(at)]
            assert best[principle.name] == pytest.approx(np.sort(values)[::-1][:k].mean())
        assert 0.0 <= best[principle.name] <= 1.0
