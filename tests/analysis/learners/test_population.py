"""Who gains and who pays, against the measures and a count by hand; the learners as points."""

import math

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.learners import population


@pytest.fixture(scope="module")
def pair(bundle):
    policy = eq.Policy(lam=0.9, k=10)
    own, run = (
        eq.rerank(bundle, "userknn", policy.but(lam=0.0)),
        eq.rerank(bundle, "userknn", policy),
    )
    return own, run, eq.evaluate(bundle, own, policy), eq.evaluate(bundle, run, policy)


def test_every_learner(bundle, pair):
    own, run, before, after = pair
    frame = population.learner_changes(bundle, *pair)
    np.testing.assert_allclose(
        frame["gain"], after.per_learner_consistency - before.per_learner_consistency
    )
    np.testing.assert_allclose(frame["price"], after.per_learner_ndcg - before.per_learner_ndcg)
    for learner, row in frame.iterrows():
        old, new = (set(lists[learner]) - {-1} for lists in (own.courses, run.courses))
        later = set(bundle.positives("test").row(learner).tolist())
        assert row["new"] == len(new - old)
        assert row["hits_lost"] == len((old - new) & later)
        assert row["hits_found"] == len((new - old) & later)
        assert row["changed"] == (own.courses[learner].tolist() != run.courses[learner].tolist())


def test_long_lists_count_the_same(bundle):
    policy = eq.Policy(lam=0.9, k=60)
    own, run = (
        eq.rerank(bundle, "userknn", policy.but(lam=0.0)),
        eq.rerank(bundle, "userknn", policy),
    )
    frame = population.learner_changes(
        bundle, own, run, eq.evaluate(bundle, own, policy), eq.evaluate(bundle, run, policy)
    )
    expected = [
        len((set(a) - set(b)) - {-1}) for a, b in zip(run.courses, own.courses, strict=True)
    ]
    assert frame["new"].tolist() == expected


def test_tenths_cover_everybody_once(bundle, pair):
    frame = population.learner_changes(bundle, *pair)
    table = population.changes_by_tenth(frame)
    assert table["learners"].sum() == len(frame)
    assert table["learners"].max() - table["learners"].min() <= 1
    assert table["consistency_before"].is_monotonic_increasing
    assert table["hits_lost"].sum() == frame["hits_lost"].sum()
    assert (table["gain"] * table["learners"]).sum() == pytest.approx(frame["gain"].sum())


def test_fewer_than_ten_learners_and_nobody():
    assert population.tenth_of(np.array([0.3, np.nan, 0.1])).tolist() == [2, 0, 1]
    assert population.tenth_of(np.array([np.nan])).tolist() == [0]


def test_orders(bundle, pair):
    frame = population.learner_changes(bundle, *pair)
    worst = frame.iloc[population.learner_order(frame, "worst")]
    assert worst["consistency_before"].is_monotonic_increasing
    changed = frame.iloc[population.learner_order(frame, "changed")]
    assert changed["new"].is_monotonic_decreasing
    pays = frame.iloc[population.learner_order(frame, "pays")]["price"].dropna()
    assert pays.is_monotonic_increasing
    for by in population.ORDERS:
        assert sorted(population.learner_order(frame, by)) == list(range(len(frame)))


def test_without_a_list_comes_last():
    frame = pd.DataFrame(
        {
            "tenth": [0, 1],
            "consistency_before": [np.nan, 0.5],
            "gain": [np.nan, 0.0],
            "new": [0, 0],
            "price": [np.nan, -0.5],
        }
    )
    for by in population.ORDERS:
        assert population.learner_order(frame, by).tolist() == [1, 0]


def test_find(bundle):
    ids = bundle.learner_ids.astype(str)
    assert population.find_learners(bundle, str(ids[4])).tolist() == [4]
    assert population.find_learners(bundle, "  ").size == 0
    assert population.find_learners(bundle, "no such learner").size == 0
    some = population.find_learners(bundle, str(ids[4])[:-1])
    assert 4 in some
    assert all(str(ids[4])[:-1].lower() in ids[at].lower() for at in some)


def test_sentences_say_the_counts(bundle, pair):
    frame = population.learner_changes(bundle, *pair)
    assert population.gains_sentence(frame).startswith(
        f"{int((frame['gain'] > 1e-9).sum()):,} of {len(frame):,} learners gain"
    )
    assert f"{frame['hits_lost'].sum():,} hit" in population.hits_sentence(frame, "test")
    same = frame.assign(gain=0.0)
    assert population.gains_sentence(same) == "Nobody's consistency changes."


def test_groups_say_what_happens(bundle, pair):
    frame = population.learner_changes(bundle, *pair)
    shown = population.learner_points(frame)
    assert list(shown.index) == list(frame.index[frame["consistency"].notna()])
    for at, row in shown.iterrows():
        learner = frame.loc[at]
        if not learner["changed"]:
            assert row["group"] == "keeps the list"
        elif math.isnan(learner["price"]):
            assert row["group"] == "NDCG unknown"
        elif abs(learner["price"]) <= 1e-9:
            assert row["group"] == "NDCG unchanged"
        else:
            assert row["group"] == ("NDCG rises" if learner["price"] > 0 else "NDCG falls")
    assert shown["group"].nunique() >= 2


def test_the_sentence_of_a_selection(bundle, pair):
    shown = population.learner_points(population.learner_changes(bundle, *pair))
    some = [int(at) for at in shown.index[:4]]
    text = population.selection_sentence(shown, some)
    assert text.startswith("4 learners selected")
    assert (
        f"{shown.loc[some, 'consistency_before'].mean():.3f} →"
        f" {shown.loc[some, 'consistency'].mean():.3f}" in text
    )
    # A selection made under another policy may name learners that are not shown any more.
    assert population.selection_sentence(shown, [10**9]) == "No learner is selected."


def test_the_sentence_of_the_points(bundle, pair):
    shown = population.learner_points(population.learner_changes(bundle, *pair))
    above, below = (shown["gain"] > 1e-9).sum(), (shown["gain"] < -1e-9).sum()
    assert population.points_sentence(shown).startswith(
        f"{above} of {len(shown)} learners gain consistency (above the line), {below} lose"
    )
    only = shown[shown["gain"] > 1e-9].iloc[:1]
    assert population.points_sentence(only).startswith("1 of 1 learner gains consistency")
    assert population.points_sentence(shown.iloc[:0]) == "No learner has a list."


def test_lam_is_not_called_used_under_a_least_loss_floor(bundle):
    """The λ where the greedy meets the floor is no λ of the lists, and has another name."""
    own = eq.rerank(bundle, "userknn", eq.Policy(lam=0.0, k=5))
    for fields, name in (
        ({"lam": 0.9}, "lam"),
        ({"floor": 0.65, "floor_method": "first-lambda"}, "lam"),
        ({"floor": 0.65}, "greedy_lam"),
    ):
        policy = eq.Policy(k=5, **fields)
        run = eq.rerank(bundle, "userknn", policy)
        measured = (eq.evaluate(bundle, one, policy) for one in (own, run))
        people = population.learner_changes(bundle, own, run, *measured)
        for frame in (
            people,
            population.learner_points(people),
            population.changes_by_tenth(people),
        ):
            assert {"lam", "greedy_lam"} & set(frame.columns) == {name}
        np.testing.assert_array_equal(people[name], run.lam)
