"""Every measure against the slow reference, NDCG against ir-measures too, and what evaluate
refuses."""

import math

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equity_core as eq
from tests.helpers.random_worlds import ALGORITHM, as_bundle, as_policy, examples, policies, worlds
from tests.helpers.worlds import tiny_frames
from tests.reference_runs import evaluate

EXACT = {"rtol": 0, "atol": 1e-9}


@st.composite
def lists_for(draw, world, k):
    """Any lists at all: random courses, the past among them, of any length from 0 on, wider or
    narrower than k."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    width = max(1, k + draw(st.sampled_from([0, 0, 2, -1])))
    lists = np.full((len(world.learners), width), -1, dtype=np.int32)
    for row in range(len(lists)):
        length = min(int(rng.integers(0, width + 1)), len(world.courses))
        lists[row, :length] = rng.choice(len(world.courses), length, replace=False)
    return lists


@pytest.mark.slow
@examples(200)
@given(st.data())
def test_every_measure_against_the_reference(data):
    world = data.draw(worlds())
    policy = data.draw(policies(world, most_k=20))
    lists = data.draw(lists_for(world, policy.k))
    split = data.draw(st.sampled_from(["test", "valid"]))
    weights, position = world.weights_of(ALGORITHM, policy), data.draw(st.booleans())
    ev = eq.evaluate(
        as_bundle(world), lists, as_policy(policy), split=split, weights=weights, position=position
    )
    expected = evaluate(world, lists, policy, split, weights, position)
    assert ev.position == position
    assert (ev.learners.index == expected.learners.index).all()
    assert ev.learners.index.name == "learner_id"
    assert list(ev.learners.columns) == list(expected.learners.columns)
    np.testing.assert_allclose(ev.learners.to_numpy(), expected.learners.to_numpy(), **EXACT)
    np.testing.assert_allclose(
        [ev.consistency, ev.equality], [expected.consistency, expected.equality], **EXACT
    )
    np.testing.assert_allclose(ev.ndcg, expected.ndcg, **EXACT)
    np.testing.assert_allclose(
        ev.principles[["mean", "sd", "min", "max"]], expected.principles, **EXACT
    )
    assert list(ev.principles.index) == [principle.name for principle in world.principles]
    assert ev.principles.index.name == "principle"
    known = ev.learners.filter([p.name for p in world.principles]).to_numpy()
    assert np.nanmin(known, initial=0) >= 0
    # The discounts sum to 1 but for rounding; without them the bound is exact.
    assert np.nanmax(known, initial=1) <= (1 + 1e-15 if position else 1)


@examples(60)
@given(st.data())
def test_a_run_brings_its_own_weights(data):
    world = data.draw(worlds(most_learners=5))
    policy = data.draw(policies(world, most_k=10))
    bundle = as_bundle(world)
    run = eq.rerank(bundle, ALGORITHM, as_policy(policy))
    ev = eq.evaluate(bundle, run, as_policy(policy))
    expected = evaluate(world, run.courses, policy, "test", world.weights_of(ALGORITHM, policy))
    np.testing.assert_allclose(
        ev.learners["weighted_consistency"],
        expected.learners["weighted_consistency"],
        rtol=0,
        atol=1e-6,
    )
    plain = eq.evaluate(bundle, run.courses, as_policy(policy))
    np.testing.assert_array_equal(plain.learners["consistency"], ev.learners["consistency"])
    if policy.strategy in ("glob", "custom"):
        np.testing.assert_array_equal(
            plain.learners["weighted_consistency"], ev.learners["weighted_consistency"]
        )
    if policy.strategy == "glob":
        np.testing.assert_allclose(
            ev.learners["weighted_consistency"], ev.learners["consistency"], **EXACT
        )


@examples(100)
@given(st.data())
def test_ndcg_equals_ir_measures(data):
    world = data.draw(worlds())
    k = data.draw(st.integers(1, 20))
    lists = data.draw(lists_for(world, k))
    ev = eq.evaluate(as_bundle(world), lists, eq.Policy(k=k))
    wanted = world.wanted("test")
    qrels = [
        ir_measures.Qrel(str(row), str(course), 1)
        for row, courses in enumerate(wanted)
        for course in courses
    ]
    run = [
        ir_measures.ScoredDoc(str(row), str(at), -rank)
        for row in range(len(lists))
        for rank, at in enumerate(lists[row])
        if at >= 0
    ]
    theirs = (
        {
            int(metric.query_id): metric.value
            for metric in ir_measures.iter_calc([ir_measures.nDCG @ k], qrels, run)
        }
        if qrels
        else {}
    )
    for row, ours in enumerate(ev.learners["ndcg"]):
        assert (
            math.isnan(ours)
            if not wanted[row]
            else ours == pytest.approx(theirs.get(row, 0.0), abs=1e-9)
        )


# ------------------------------------------------------------------------------------------
# on a world one can read


@pytest.fixture(scope="module")
def bundle():
    courses, interactions, relevance = tiny_frames()
    return eq.Bundle.from_frames(courses, interactions, relevance=relevance)


@pytest.fixture
def lists(bundle):
    return eq.rerank(bundle, "userknn", eq.Policy(k=4)).courses.copy()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lists: lists[:-1], "row"),
        (lambda lists: np.vstack([lists, lists[:1]]), "row"),
        (lambda lists: lists[0], "row"),
        (lambda lists: [[lists]], "row"),
        (lambda lists: np.where(np.arange(4) == 1, lists[:, :1], lists), "twice"),
        (lambda lists: np.where(np.arange(4) == 2, 12, lists), "position"),
        (lambda lists: np.where(np.arange(4) == 2, -2, lists), "position"),
        (lambda lists: np.where(np.arange(4) == 1, -1, np.maximum(lists, np.arange(4) + 4)), "gap"),
        (lambda lists: np.where(np.arange(4) == 0, -1, np.arange(4)) + 0 * lists, "gap"),
        (lambda lists: lists.astype(float), "whole numbers"),
        (lambda lists: lists.astype(str), "whole numbers"),
    ],
)
def test_lists_that_are_refused(bundle, lists, change, words):
    with pytest.raises(ValueError, match=words):
        eq.evaluate(bundle, change(lists), eq.Policy(k=4))


@pytest.mark.parametrize(
    "fields",
    [
        {"targets": {"beauty": 0.5}},
        {"strategy": "custom", "weights": {"beauty": 2}},
        {"targets": pd.DataFrame({"beauty": [1.0]}, index=["u1"])},
    ],
)
def test_an_unknown_principle_is_a_value_error(bundle, lists, fields):
    with pytest.raises(ValueError, match="beauty"):
        eq.evaluate(bundle, lists, eq.Policy(k=4, **fields))
    with pytest.raises(ValueError, match="beauty"):
        eq.rerank(bundle, "userknn", eq.Policy(k=4, **fields))


@pytest.mark.parametrize("field", ["targets", "weights"])
@pytest.mark.parametrize("learner", ["nobody", 1])
def test_an_unknown_learner_is_a_value_error(bundle, lists, field, learner):
    policy = eq.Policy(
        k=4, strategy="custom", **{field: pd.DataFrame({"learner_id": [learner], "quality": [0.5]})}
    )
    with pytest.raises(ValueError, match=str(learner)):
        eq.evaluate(bundle, lists, policy)
    with pytest.raises(ValueError, match=str(learner)):
        eq.rerank(bundle, "userknn", policy)


def test_lists_are_cut_at_k(bundle, lists):
    for k in (1, 2, 3):
        assert (
            eq.evaluate(bundle, lists, eq.Policy(k=k)).consistency
            == eq.evaluate(bundle, lists[:, :k], eq.Policy(k=k)).consistency
        )
    # after the cut nothing is looked at
    lists[:, 3] = lists[:, 0]
    assert eq.evaluate(bundle, lists, eq.Policy(k=3)).ndcg >= 0


def test_a_short_list_counts_with_its_real_length(bundle):
    """u6 has three candidates: its mean price is over three courses, whatever k is."""
    run = eq.rerank(bundle, "userknn", eq.Policy(k=9, lam=0))
    assert (run.courses[5] >= 0).sum() == 3
    short, long = (
        eq.evaluate(bundle, run.courses[:, :k], eq.Policy(k=k)).learners.loc["u6"] for k in (3, 9)
    )
    assert short["affordability"] == long["affordability"]
    assert short["consistency"] == long["consistency"]


def test_learners_with_nothing_to_find_have_no_ndcg(bundle, lists):
    ev = eq.evaluate(bundle, lists, eq.Policy(k=4))
    assert ev.learners.index[ev.learners["ndcg"].isna()].tolist() == ["u5", "u6"]
    assert ev.without_ndcg == 2
    assert ev.ndcg == pytest.approx(ev.learners["ndcg"].dropna().mean())
    assert ev.learners["consistency"].notna().all()


def test_empty_lists_are_left_out_of_the_means(bundle, lists):
    rest = eq.evaluate(bundle, lists, eq.Policy(k=4)).learners
    lists[2] = -1
    ev = eq.evaluate(bundle, lists, eq.Policy(k=4))
    row = ev.learners.loc["u3"]
    assert row["ndcg"] == 0
    assert row.drop("ndcg").isna().all()
    assert ev.without_list == 1
    others = rest["consistency"].drop("u3")
    assert ev.consistency == pytest.approx(others.mean())
    assert ev.equality == pytest.approx(
        1
        - np.abs(np.subtract.outer(others.to_numpy(), others.to_numpy())).mean() / 2 / others.mean()
    )


def test_no_list_at_all(bundle, lists):
    ev = eq.evaluate(bundle, np.full_like(lists, -1), eq.Policy(k=4))
    assert ev.ndcg == 0
    assert math.isnan(ev.consistency)
    assert math.isnan(ev.equality)
    assert ev.principles[["mean", "sd", "min", "max"]].isna().all(axis=None)


def test_the_split_decides_what_is_to_find(bundle, lists):
    assert eq.evaluate(bundle, lists, eq.Policy(k=4), split="valid").learners[
        "ndcg"
    ].notna().tolist() == [
        True,
        True,
        False,
        False,
        True,
        False,
    ]


def test_an_unknown_split(bundle, lists):
    with pytest.raises((ValueError, KeyError), match="holiday"):
        eq.evaluate(bundle, lists, eq.Policy(k=4), split="holiday")


# ------------------------------------------------------------------------------------------
# the rank discount


def test_a_list_of_one_course_reads_the_same_with_a_discount(bundle, lists):
    plain, first = (
        eq.evaluate(bundle, lists, eq.Policy(k=1), position=position) for position in (False, True)
    )
    np.testing.assert_allclose(first.learners, plain.learners, atol=1e-12)


def test_the_discount_by_hand(bundle):
    """u1 gets c08 (free) and then c11 (149.99, expert, business): what stands first counts 1 / (1 +
    1/log2 3) = 0.6131."""
    courses = list(bundle.course_ids)
    lists = np.full((len(bundle.learner_ids), 2), -1, dtype=np.int32)
    lists[0] = [courses.index("c08"), courses.index("c11")]
    first = 1.0 / (1.0 + 1.0 / math.log2(3.0))
    there, back = (
        eq.evaluate(bundle, rows, eq.Policy(k=2), position=True).learners.loc["u1"]
        for rows in (lists, lists[:, ::-1])
    )
    plain = eq.evaluate(bundle, lists, eq.Policy(k=2)).learners.loc["u1"]
    top = bundle.courses["price"].max()
    assert there["affordability"] == pytest.approx(first + (1.0 - first) * (1.0 - 149.99 / top))
    assert there["affordability"] > plain["affordability"] > back["affordability"]
    # Two of three levels, of shares first and 1 − first: the three differences sum to (2 first − 1)
    # + first + (1 − first).
    assert there["learnability"] == pytest.approx(1.0 - (2.0 * first) / 2.0)
    assert there["learnability"] == pytest.approx(back["learnability"])
    # NDCG has its own discount already.
    assert there["ndcg"] == plain["ndcg"] or math.isnan(plain["ndcg"])


def test_plain_figures_take_a_list_as_a_set_and_discounted_ones_do_not(bundle, lists):
    lists = np.where((lists < 0).any(axis=1)[:, None], -1, lists)
    for position, same in ((False, True), (True, False)):
        one, other = (
            eq.evaluate(bundle, rows, eq.Policy(k=4), position=position).consistency
            for rows in (lists, lists[:, ::-1])
        )
        assert (abs(one - other) < 1e-12) == same
