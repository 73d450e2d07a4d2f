"""Who gains and who pays, against the measures and a count by hand."""

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.learners import population as gains


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
    frame = gains.learners(bundle, *pair)
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
    frame = gains.learners(
        bundle, own, run, eq.evaluate(bundle, own, policy), eq.evaluate(bundle, run, policy)
    )
    expected = [
        len((set(a) - set(b)) - {-1}) for a, b in zip(run.courses, own.courses, strict=True)
    ]
    assert frame["new"].tolist() == expected


def test_tenths_cover_everybody_once(bundle, pair):
    frame = gains.learners(bundle, *pair)
    table = gains.by_tenth(frame)
    assert table["learners"].sum() == len(frame)
    assert table["learners"].max() - table["learners"].min() <= 1
    assert table["consistency_before"].is_monotonic_increasing
    assert table["hits_lost"].sum() == frame["hits_lost"].sum()
    assert (table["gain"] * table["learners"]).sum() == pytest.approx(frame["gain"].sum())


def test_fewer_than_ten_learners_and_nobody():
    assert gains.tenth_of(np.array([0.3, np.nan, 0.1])).tolist() == [2, 0, 1]
    assert gains.tenth_of(np.array([np.nan])).tolist() == [0]


def test_orders(bundle, pair):
    frame = gains.learners(bundle, *pair)
    worst = frame.iloc[gains.order(frame, "worst")]
    assert worst["consistency_before"].is_monotonic_increasing
    changed = frame.iloc[gains.order(frame, "changed")]
    assert changed["new"].is_monotonic_decreasing
    pays = frame.iloc[gains.order(frame, "pays")]["price"].dropna()
    assert pays.is_monotonic_increasing
    for by in gains.ORDERS:
        assert sorted(gains.order(frame, by)) == list(range(len(frame)))


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
    for by in gains.ORDERS:
        assert gains.order(frame, by).tolist() == [1, 0]


def test_find(bundle):
    ids = bundle.learner_ids.astype(str)
    assert gains.find(bundle, str(ids[4])).tolist() == [4]
    assert gains.find(bundle, "  ").size == 0
    assert gains.find(bundle, "no such learner").size == 0
    some = gains.find(bundle, str(ids[4])[:-1])
    assert 4 in some
    assert all(str(ids[4])[:-1].lower() in ids[at].lower() for at in some)


def test_sentences_say_the_counts(bundle, pair):
    frame = gains.learners(bundle, *pair)
    assert gains.sentence(frame).startswith(
        f"{int((frame['gain'] > 1e-9).sum()):,} of {len(frame):,} learners gain"
    )
    assert f"{frame['hits_lost'].sum():,} hit" in gains.hits_sentence(frame, "test")
    same = frame.assign(gain=0.0)
    assert gains.sentence(same) == "Nobody's consistency changes."
