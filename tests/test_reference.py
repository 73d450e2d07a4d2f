"""The reference against cases small enough to compute by hand (the steps are in the comments)."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from tests.reference import (
    World,
    balance,
    consistency,
    discounted_match,
    equality,
    gini,
    match,
    ndcg,
    relevance_scaled,
    scaled,
    settings,
)
from tests.reference_runs import Greedy, check_floor, check_steps, evaluate, floor, greedy


def principle(name: str, kind: str, column: str, **more: object) -> SimpleNamespace:
    return SimpleNamespace(
        **{
            "name": name,
            "kind": kind,
            "column": column,
            "better": "high",
            "scale": "linear",
            "low": None,
            "high": None,
            **more,
        }
    )


def tiny(**more: object) -> World:
    """Four courses a, b, c, d; one learner (7) who took d; candidates c, b, a in that order;
    principles: cheap, and levels balanced."""
    return World(
        courses=pd.DataFrame(
            {
                "course_id": list("abcd"),
                "price": [0.0, 10.0, 20.0, 10.0],
                "level": ["low", "low", "top", "top"],
            }
        ),
        interactions=pd.DataFrame(
            {"learner_id": [7, 7], "course_id": ["d", "b"], "split": ["train", "test"]}
        ),
        relevance={
            "some": pd.DataFrame(
                {
                    "learner_id": [7, 7, 7, 7],
                    "course_id": list("abcd"),
                    "score": [1.0, 2.0, 3.0, 9.0],
                }
            )
        },
        principles=[
            principle("cheap", "mean", "price", better="low"),
            principle("levels", "balance", "level"),
        ],
        **more,
    )


def test_scaled():
    np.testing.assert_allclose(scaled(np.array([0, 10, math.nan, 20]), 0, 20), [0, 0.5, 0.5, 1])
    # better low: 1, .75, 0 known; their mean 7/12 for the missing one
    np.testing.assert_allclose(
        scaled(np.array([0, 5, math.nan, 20]), 0, 20, better="low"), [1, 0.75, 7 / 12, 0]
    )
    # ln 1 = 0, ln 10, ln 100 = 2 ln 10
    np.testing.assert_allclose(scaled(np.array([0.0, 9, 99]), 0, 99, scale="log"), [0, 0.5, 1])
    np.testing.assert_allclose(scaled(np.array([-5.0, 5, 500]), 0, 10), [0, 0.5, 1])
    np.testing.assert_allclose(scaled(np.array([3.0, math.nan]), 3, 3, better="low"), [1, 1])


def test_balance():
    # 3, 3, 2, 2 of ten: the differing pairs are 4 × .1, so 1 − .4/3; the best that ten courses over
    # four levels can do. 4, 3, 3, 0: .1 + .1 + .4 + 0 + .3 + .3 = 1.2, so 1 − 1.2/3
    np.testing.assert_allclose(
        balance(np.array([[3, 3, 2, 2], [4, 3, 3, 0], [9, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0]])),
        [1 - 0.4 / 3, 0.6, 0, 1, 0],
        atol=1e-15,
    )
    assert balance(np.array([[5]])) == [1]


def test_match():
    # Σ sqrt(1 · .5) = .7071; H = sqrt(.2929) = .5412
    np.testing.assert_allclose(
        match(np.array([2, 0]), np.array([[1, 1], [3, 0], [0, 4]])),
        [1 - math.sqrt(1 - math.sqrt(0.5)), 1, 0],
        atol=1e-15,
    )


def test_consistency_gini_equality():
    # (.5 · 2 + .2 · 1 + 0) / 3 = .4
    assert consistency(
        np.array([1, 0.2, 1]), np.array([0.5, 0.4, 1]), np.array([2, 1, 5])
    ) == pytest.approx(0.6)
    assert consistency(np.array([1, 0.2, 1]), np.array([0.5, 0.4, 1])) == pytest.approx(1 - 0.7 / 3)
    assert gini([1, 3]) == pytest.approx(0.25)  # (0 + 2 + 2 + 0)/4 / (2 · 2)
    assert gini([0, 0, 0]) == 0
    assert gini([0, 0, 0, 1]) == pytest.approx(0.75)  # (n − 1)/n: not normalised
    assert equality([1, math.nan, 3]) == pytest.approx(0.75)


def test_ndcg():
    # one hit at rank 2 of two wanted: (1/log2 3) / (1 + 1/log2 3)
    assert ndcg([5, 6, 7], {6, 9}, 3) == pytest.approx(0.6309297535714575 / 1.6309297535714575)
    assert ndcg([5, 6, 7], {6, 9}, 1) == 0
    assert ndcg([6], {6, 9, 5}, 1) == 1  # the ideal is cut at k
    assert ndcg([], {6}, 3) == 0
    assert math.isnan(ndcg([1], set(), 3))


def test_relevance_scales():
    np.testing.assert_allclose(relevance_scaled(np.array([4.0, 1, 0]), "minmax"), [1, 0.25, 0])
    np.testing.assert_allclose(relevance_scaled(np.array([4.0, 4]), "minmax"), [0, 0])
    np.testing.assert_allclose(relevance_scaled(np.array([4.0, 1, 0]), "rank"), [1, 0.5, 0])
    np.testing.assert_allclose(relevance_scaled(np.array([4.0, -1]), "none"), [4, -1])


def test_candidates_leave_out_the_past_before_scaling():
    pool = tiny().candidates(7, "some", settings())
    assert pool.positions.tolist() == [2, 1, 0]
    assert pool.relevance.tolist() == [1, 0.5, 0]


def test_greedy_by_hand():
    world, one = tiny(), np.ones(2)
    pool = world.candidates(7, "some", settings())
    # cheap is 1, .5, 0, .5. λ = .5, first: c .5 + 0; b .25 + .5 · .25; a 0 + .5 · .5 → c. Then b:
    # .25 + .5 · .625, a: .5 · .75 → b
    assert greedy(world, 7, pool, 0.5, 2, one, one) == Greedy((2, 1), near_tie=False)
    # λ = .75: c .25, b .125 + .1875, a .375 → a. Then c: .25 + .75 · .75, b: .125 + .75 · .375 → c
    assert greedy(world, 7, pool, 0.75, 2, one, one).courses == (0, 2)
    # λ = 0: the recommender's order; longer than the pool: the pool
    assert greedy(world, 7, pool, 0.0, 9, one, one).courses == (2, 1, 0)


def test_floor_by_hand():
    world, one = tiny(), np.ones(2)
    pool = world.candidates(7, "some", settings())
    # c, b has cheap .25 and levels 1: consistency .625; a, c has .5 and 1: .75. a comes first from
    # λ = 2/3 on: .7 on the grid, then .675 (yes), .6625 (no), .66875 (yes).
    found = floor(world, 7, pool, 0.7, 2, one, one)
    assert (found.lam, found.courses, found.reached) == (pytest.approx(0.66875), (0, 2), True)
    assert floor(world, 7, pool, 0.6, 2, one, one).lam == 0
    # λ = 1 from {a} adds the expert c, so .75 is the best of all; it appears first at .7 on the
    # grid
    missed = floor(world, 7, pool, 0.9, 2, one, one)
    assert (missed.lam, missed.courses, missed.reached) == (pytest.approx(0.7), (0, 2), False)


def test_weights_by_hand():
    world = tiny()
    # the λ = 0 list c, b misses cheap by .75 and levels by 0: scaled to sum 2
    np.testing.assert_allclose(world.weights_of("some", settings(strategy="pers", k=2)), [[2, 0]])
    np.testing.assert_allclose(world.weights_of("some", settings(strategy="user", k=2)), [[2, 0]])
    # targets just met: all 1
    np.testing.assert_allclose(
        world.weights_of("some", settings(strategy="pers", k=2, targets={"cheap": 0.25})), [[1, 1]]
    )
    np.testing.assert_allclose(
        world.weights_of("some", settings(strategy="custom", weights={"levels": 3})), [[1, 3]]
    )


def test_targets_of_the_world_and_of_the_policy():
    world = tiny(targets=pd.DataFrame({"learner_id": [7], "cheap": [0.3]}))
    np.testing.assert_allclose(world.targets_of(settings()), [[0.3, 1]])
    # A target for all replaces the learners' own of its principle, and of no other.
    np.testing.assert_allclose(world.targets_of(settings(targets={"levels": 0.5})), [[0.3, 0.5]])
    np.testing.assert_allclose(world.targets_of(settings(targets={"cheap": 1.0})), [[1, 1]])
    np.testing.assert_allclose(
        world.targets_of(settings(targets=pd.DataFrame({"levels": [0.5]}, index=[8]))), [[0.3, 1]]
    )


def test_evaluate_by_hand():
    ev = evaluate(tiny(), np.array([[2, 1, -1]]), settings(k=2))
    assert ev.ndcg == pytest.approx(1 / math.log2(3))
    assert ev.consistency == pytest.approx(0.625)
    assert ev.equality == 1
    assert ev.learners.loc[7, ["cheap", "levels"]].tolist() == pytest.approx([0.25, 1])


def test_checks_refuse_a_wrong_list():
    world, one = tiny(), np.ones(2)
    pool = world.candidates(7, "some", settings())
    check_steps(world, 7, np.array([2, 1]), pool, 0.5, 2, one, one)
    for wrong in ([1, 2], [2, 0], [2, -1], [2, 2], [2, 3]):
        with pytest.raises(AssertionError):
            check_steps(world, 7, np.array(wrong), pool, 0.5, 2, one, one)
    assert check_floor(world, 7, np.array([0, 2]), 0.66875, True, pool, 0.7, 2, one, one)
    for row, lam, reached in (
        ([0, 2], 0.7, True),
        ([2, 1], 0.66875, True),
        ([0, 2], 0.66875, False),
    ):
        with pytest.raises(AssertionError):
            check_floor(world, 7, np.array(row), lam, reached, pool, 0.7, 2, one, one)


def test_discounted_values():
    # Places count 1 and 1/log2(3) = .6309, that is .6131 and .3869. a, c: free and 20 of 20 →
    # .6131; levels .6131 and .3869 → 1 − .2263
    first = 1 / (1 + 1 / math.log2(3))
    np.testing.assert_allclose(tiny().discounted_values(7, (0, 2)), [first, 1 - (2 * first - 1)])
    np.testing.assert_allclose(
        tiny().discounted_values(7, (2, 0)), [1 - first, 1 - (2 * first - 1)]
    )
    np.testing.assert_allclose(
        tiny().discounted_values(7, (0, 1)), [first + (1 - first) / 2, 0], atol=1e-15
    )
    assert np.isnan(tiny().discounted_values(7, ())).all()
    assert discounted_match(np.array([0.5, 0.5]), np.array([first, 1 - first])) == pytest.approx(
        1 - math.sqrt(1 - math.sqrt(first / 2) - math.sqrt((1 - first) / 2))
    )
    assert discounted_match(np.array([1.0, 0.0]), np.array([1 - 1e-16, 0.0])) == 1
