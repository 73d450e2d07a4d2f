"""The published methods against slow, plain versions of their formulas on random worlds, and what
must hold of their lists."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import equity_core as eq
from equity_core.published.gini import SMOOTHING, STEPS, gini_welfare, rank_weights
from equity_core.published.problem import Problem
from equity_core.published.registry import METHODS, applicable
from tests.helpers import awkward
from tests.helpers.random_worlds import (
    ALGORITHM,
    as_bundle,
    as_policy,
    examples,
    policies,
    wide_world,
    worlds,
)
from tests.reference import Candidates, World, consistency
from tests.reference_runs import greedy, real

TRADES = st.sampled_from([0.0, 0.3, 0.8, 1.0]) | st.floats(0, 1)


def column(world: World, name: str) -> list[str]:
    """The labels of a column, "unknown" where there is none."""
    return [
        "unknown" if label is None or label != label else label for label in world.courses[name]
    ]


def divergence(past: list[str], listed: list[str]) -> float:
    """Steck's KL, from the labels themselves."""
    total = 0.0
    for label in sorted(set(past)):
        p, q = past.count(label) / len(past), listed.count(label) / len(listed)
        total += p * math.log(p / (0.99 * q + 0.01 * p))
    return total


def objective(
    name: str,
    world: World,
    learner: Any,
    pool: Candidates,
    prefix: list[int],
    at: int,
    trade: float,
) -> float:
    """What a method maximises at one position, for the candidate ``at``; ``prefix``: the candidates
    in the list."""
    relevance, past = pool.relevance, sorted(world.past[learner])
    listed = [int(pool.positions[other]) for other in prefix]
    course = int(pool.positions[at])
    if name.startswith("steck-"):
        labels = column(world, name.removeprefix("steck-"))
        value = -divergence([labels[j] for j in past], [labels[j] for j in [*listed, course]])
        return float((1 - trade) * relevance[at] + trade * value)
    names = sorted({one.column for one in world.principles if one.kind != "mean"})
    columns = [column(world, one) for one in names]
    if name == "mmr":
        same = [
            sum(labels[course] == labels[j] != "unknown" for labels in columns) / len(columns)
            for j in listed
        ]
        return float((1 - trade) * relevance[at] - trade * max(same, default=0.0))
    chance = np.clip(relevance, 0, 1)
    gain = 0.0
    for labels in columns:
        known = [labels[j] for j in past if labels[j] != "unknown"]
        for label in set(known):
            if labels[course] == label:
                left = math.prod(
                    1 - chance[other]
                    for other, j in zip(prefix, listed, strict=True)
                    if labels[j] == label
                )
                gain += known.count(label) / len(known) / len(columns) * chance[at] * left
    return float((1 - trade) * relevance[at] + trade * gain)


def lists_of(bundle: eq.Bundle, policy: Any, name: str, trade: float) -> np.ndarray:
    return METHODS[name].lists(Problem.of(bundle, ALGORITHM, as_policy(policy)), trade)


@pytest.mark.parametrize("name", ["steck-category", "steck-level", "mmr", "xquad"])
def test_every_step_takes_the_best_course(name: str) -> None:
    compared = 0

    @examples(40)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        nonlocal compared
        world = data.draw(worlds(most_learners=5, most_courses=25))
        policy, trade = data.draw(policies(world, most_k=8)), data.draw(TRADES)
        bundle = as_bundle(world)
        assume(name in applicable(bundle))
        made = lists_of(bundle, policy, name, trade)
        assert made.shape == (len(world.learners), policy.k)
        for row, learner in enumerate(world.learners):
            pool = world.candidates(learner, ALGORITHM, policy)
            courses = real(made[row], policy.k)
            assert len(courses) == min(policy.k, len(pool.positions))
            assert not set(courses) & world.past[learner]
            places, prefix = {int(c): at for at, c in enumerate(pool.positions)}, []
            for course in courses:
                free = [at for at in range(len(pool.positions)) if at not in prefix]
                found = {
                    at: objective(name, world, learner, pool, prefix, at, trade) for at in free
                }
                picked = places[course]
                assert found[picked] >= max(found.values()) - 1e-9
                # Computed by the same steps, so equal to the last digit: the own order decides.
                twins = [
                    at
                    for at in free
                    if pool.relevance[at] == pool.relevance[picked]
                    and all(
                        column(world, one)[int(pool.positions[at])] == column(world, one)[course]
                        for one in ("category", "level", "language", "format")
                    )
                ]
                assert picked == min(twins)
                prefix.append(picked)
                compared += len(free) > 1

    check()
    assert compared > 50


@pytest.mark.parametrize("name", list(METHODS))
def test_no_trade_off_gives_the_own_lists(name: str) -> None:
    @examples(25)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        world = data.draw(worlds(most_learners=6))
        policy = data.draw(policies(world, most_k=12))
        bundle = as_bundle(world)
        assume(name in applicable(bundle))
        made = lists_of(bundle, policy, name, 0.0)
        for row, learner in enumerate(world.learners):
            own = world.candidates(learner, ALGORITHM, policy).positions[: policy.k]
            assert made[row].tolist() == [*own, *[-1] * (policy.k - len(own))]

    check()


@pytest.mark.parametrize("name", list(METHODS))
def test_the_own_order_has_the_same_courses(name: str) -> None:
    @examples(15)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        world = data.draw(worlds(most_learners=6))
        policy = data.draw(policies(world, most_k=12))
        bundle = as_bundle(world)
        assume(name in applicable(bundle))
        problem = Problem.of(bundle, ALGORITHM, as_policy(policy))
        picked = METHODS[name].lists(problem, 0.9)
        shown = problem.in_own_order(picked)
        for row, learner in enumerate(world.learners):
            order = world.candidates(learner, ALGORITHM, policy).positions.tolist()
            courses = real(picked[row], policy.k)
            assert real(shown[row], policy.k) == tuple(sorted(courses, key=order.index))

    check()


@examples(60)
@given(st.data())
def test_one_course_is_never_less_calibrated_than_the_own_one(data: st.DataObject) -> None:
    """For longer lists the greedy may miss the best list; for one course it cannot."""
    world = data.draw(worlds(most_learners=6))
    policy = data.draw(policies(world, most_k=1))
    labels, made = column(world, "level"), lists_of(as_bundle(world), policy, "steck-level", 1.0)
    for row, learner in enumerate(world.learners):
        pool = world.candidates(learner, ALGORITHM, policy).positions
        if len(pool):
            past = [labels[j] for j in sorted(world.past[learner])]
            best = divergence(past, [labels[made[row, 0]]])
            assert best <= min(divergence(past, [labels[j]]) for j in pool) + 1e-12


def test_lists_become_more_calibrated_as_the_weight_rises() -> None:
    world = wide_world()
    bundle = as_bundle(world)
    problem = Problem.of(bundle, "userknn", eq.Policy(k=8))
    labels = column(world, "category")
    means = []
    for trade in (0.0, 0.3, 0.7, 1.0):
        lists = METHODS["steck-category"].lists(problem, trade)
        found = [
            divergence([labels[j] for j in world.past[learner]], [labels[j] for j in lists[row]])
            for row, learner in enumerate(world.learners)
        ]
        means.append(np.mean(found))
    assert means == sorted(means, reverse=True)
    assert means[-1] < means[0] / 2


def test_lists_become_more_varied_with_mmr() -> None:
    world = wide_world()
    problem = Problem.of(as_bundle(world), "userknn", eq.Policy(k=4))
    labels = np.array(column(world, "category"))
    kinds = [
        np.mean([len(set(labels[row])) for row in METHODS["mmr"].lists(problem, trade)])
        for trade in (0.0, 0.5, 1.0)
    ]
    assert kinds == sorted(kinds)
    assert kinds[-1] > kinds[0] + 0.5


@pytest.mark.parametrize("name", ["steck-category", "steck-level", "mmr", "xquad"])
def test_one_label_only_gives_the_own_lists(name: str) -> None:
    courses, log, scores = awkward.tiny_frames()
    bundle = eq.Bundle.from_frames(
        courses.assign(category="all", level="one"), log, relevance=scores
    )
    problem = Problem.of(bundle, "userknn", eq.Policy(k=4))
    own = METHODS[name].lists(problem, 0.0)
    for trade in (0.5, 1.0):
        assert (METHODS[name].lists(problem, trade) == own).all()


@pytest.mark.parametrize("name", list(METHODS))
def test_lists_do_not_depend_on_threads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = as_bundle(wide_world())
    made = []
    for threads in ("1", "3"):
        monkeypatch.setenv("EQUITY_THREADS", threads)
        problem = Problem.of(bundle, "userknn", eq.Policy(k=5))
        made.append(METHODS[name].lists(problem, 0.8))
    assert (made[0] == made[1]).all()


# ------------------------------------------------------------------------------------------
# generalised Gini welfare


@examples(60)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=5), st.floats(0.01, 5))
def test_weights_are_the_projection_onto_the_permutahedron(
    twentieths: list[int], smoothing: float
) -> None:
    """The nearest point of a convex set: no corner of it lies further along from there towards the
    point that is projected."""
    utilities = np.array(twentieths) / 20
    weights, count = rank_weights(utilities, smoothing), len(utilities)
    corners = np.array(list(itertools.permutations(np.arange(count, 0, -1) / count)))
    assert weights.sum() == pytest.approx(corners[0].sum())
    ahead = -utilities / smoothing - weights
    assert ((corners - weights) @ ahead).max() <= 1e-9
    # Inside: no few of them have more than the highest weights together.
    highest = np.sort(weights)[::-1].cumsum()
    assert (highest <= np.arange(count, 0, -1).cumsum() / count + 1e-9).all()


def test_weights_go_by_rank_without_smoothing_and_are_equal_with_much() -> None:
    utilities = np.array([0.5, 0.1, 0.9, 0.7])
    np.testing.assert_allclose(rank_weights(utilities, 1e-6), [0.75, 1.0, 0.25, 0.5])
    np.testing.assert_allclose(rank_weights(utilities, 1e6), [0.625] * 4, atol=1e-5)
    assert rank_weights(np.empty(0), 1.0).size == 0


def slow_gini(world: World, policy: Any, trade: float) -> tuple[list[tuple[int, ...]], bool]:
    """The steps in plain words, by the slow re-ranker; and whether rounding may decide."""
    p, ones = world.targets_of(policy), np.ones(len(world.principles))
    pools = [world.candidates(learner, ALGORITHM, policy) for learner in world.learners]
    rows = [row for row, pool in enumerate(pools) if len(pool.positions)]
    doubtful = False

    def lists_at(lams: dict[int, float]) -> dict[int, tuple[int, ...]]:
        nonlocal doubtful
        out = {}
        for row in rows:
            made = greedy(world, world.learners[row], pools[row], lams[row], policy.k, p[row], ones)
            doubtful |= made.near_tie
            out[row] = made.courses
        return out

    def values(lists: dict[int, tuple[int, ...]]) -> np.ndarray:
        return np.array(
            [
                float(consistency(p[row], world.list_values(world.learners[row], lists[row])))
                for row in rows
            ]
        )

    lists = lists_at(dict.fromkeys(rows, 0.0))
    if trade == 0 or not rows:
        return [lists.get(row, ()) for row in range(len(pools))], doubtful
    z = values(lists)
    for t in range(STEPS + 1):
        y = rank_weights(z, SMOOTHING / math.sqrt(t + 1))
        lams = trade * y / (1 - trade + trade * y)
        lists = lists_at(dict(zip(rows, lams, strict=True)))
        z = z + 2 / (t + 2) * (values(lists) - z)
    return [lists.get(row, ()) for row in range(len(pools))], doubtful


def test_gini_welfare_is_the_slow_one() -> None:
    compared = 0

    @examples(30)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        nonlocal compared
        world = data.draw(worlds(most_learners=4, most_courses=12))
        policy, trade = data.draw(policies(world, most_k=4)), data.draw(TRADES)
        expected, doubtful = slow_gini(world, policy, trade)
        if doubtful:
            return
        made = lists_of(as_bundle(world), policy, "gini-welfare", trade)
        assert [real(row, policy.k) for row in made] == expected
        compared += any(expected)

    check()
    assert compared >= 8


def test_gini_welfare_serves_the_worst_off_first() -> None:
    """More equal than one λ for all at the same mean consistency."""
    bundle = as_bundle(wide_world())
    policy = eq.Policy(k=5)
    problem = Problem.of(bundle, "userknn", policy)
    found = eq.evaluate(bundle, gini_welfare(problem, 0.95), policy)
    lams = np.linspace(0, 1, 41)
    curve = eq.sweep(bundle, "userknn", policy, lams=lams)
    same = float(np.interp(found.consistency, curve["consistency"], curve["equality"]))
    assert found.equality > same + 0.002


@pytest.mark.parametrize(("past", "second"), [(9, "b"), (10, "a")])
def test_steck_s_smoothing_decides(past: int, second: str) -> None:
    """Nine of ten past courses are of label a, or ten of eleven: whether the second course should
    be of label b is a matter of what its absence costs. With α = 0.02 it would be a in both cases,
    with α = 0.005 it would be b."""
    labels = [*["a"] * past, "b", "a", "a", "b"]
    size = len(labels)
    courses = pd.DataFrame(
        {"course_id": range(size), "title": "x", "category": labels, "price": np.arange(size) * 1.0}
    )
    log = pd.DataFrame({"learner_id": 1, "course_id": range(past + 1), "split": "train"})
    scores = pd.DataFrame(
        {"learner_id": 1, "course_id": range(past + 1, size), "score": [3.0, 2.0, 1.0]}
    )
    principles = [eq.Principle("affordability", "mean", "price", better="low")]
    bundle = eq.Bundle.from_frames(courses, log, {ALGORITHM: scores}, principles=principles)
    problem = Problem.of(bundle, ALGORITHM, eq.Policy(k=2))
    made = METHODS["steck-category"].lists(problem, 1.0)
    assert [labels[at] for at in made[0]] == ["a", second]
