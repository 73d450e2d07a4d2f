"""The reading with a rank discount, in words that the figures bear out."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.audit import rank_discount, recommenders
from equity_core.metrics.intervals import intervals
from tests.helpers.awkward import BUNDLES


@pytest.fixture(scope="module")
def measured(bundle):
    policy = eq.Policy(lam=0.9)
    runs = {lam: eq.rerank(bundle, "userknn", policy.but(lam=lam)) for lam in (0.0, 0.9)}
    return {
        lam: (
            eq.evaluate(bundle, run, run.policy),
            rank_discount.evaluate_discounted(bundle, run, "test"),
        )
        for lam, run in runs.items()
    }


def test_only_what_depends_on_the_order_differs(measured):
    plain, other = measured[0.9]
    assert other.position
    assert not plain.position
    np.testing.assert_array_equal(plain.per_learner_ndcg, other.per_learner_ndcg)
    assert np.abs(plain.per_learner_consistency - other.per_learner_consistency).max() > 0.001


def test_one_learner_in_words(measured):
    text = rank_discount.learner_discount_sentence(measured[0.0], measured[0.9], 5)
    plain, other = (one.per_learner_consistency[5] for one in measured[0.9])
    assert f"is {other:.3f} instead of {plain:.3f}" in text
    assert "from the recommender's own list" in text


def test_the_difference_is_clear_or_called_not_clear(measured):
    plain, other = measured[0.9]
    found = rank_discount.discount_change(plain, other)
    expected = intervals(other, plain).loc[["consistency", "equality"]]
    assert found.equals(expected)
    text = rank_discount.discount_change_sentence(found, "UserKNN")
    for name, row in found.iterrows():
        surely = row["change_low"] > 0 or row["change_high"] < 0
        assert (f"{name} is {row['value']:.3f} instead of {row['before']:.3f}" in text) == surely
    same = rank_discount.discount_change_sentence(
        rank_discount.discount_change(plain, plain), "UserKNN"
    )
    assert (
        same
        == "With top positions weighted more, for UserKNN: no clear difference in consistency and"
        " equality."
    )


def test_the_order_of_the_recommenders(measured):
    table = recommenders.table({"userknn": measured[0.0][0], "mine": measured[0.9][0]})
    assert (
        rank_discount.equality_order_sentence(table, table)
        == "The order by equality stays the same."
    )
    turned = table.assign(equality=table["equality"].to_numpy()[::-1])
    assert rank_discount.equality_order_sentence(table, turned).startswith(
        "The order by equality changes for UserKNN and mine"
    )
    four = pd.concat([table, table.set_axis(["a", "b"])]).assign(equality=[0.9, 0.8, 0.7, 0.6])
    assert "changes for 4 of 4" in rank_discount.equality_order_sentence(
        four, four.assign(equality=[0.6, 0.7, 0.8, 0.9])
    )
    assert rank_discount.equality_order_sentence(table.iloc[:1], table.iloc[:1]) == ""


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name):
    bundle = BUNDLES[name]()
    run = eq.rerank(bundle, bundle.algorithms[0], eq.Policy(lam=0.9, k=3))
    plain, other = (
        eq.evaluate(bundle, run, run.policy),
        rank_discount.evaluate_discounted(bundle, run, "test"),
    )
    assert np.isnan(plain.values).sum() == np.isnan(other.values).sum()
    assert np.nanmin(other.values) >= 0
    assert np.nanmax(other.values) <= 1 + 1e-12
    assert not math.isnan(other.equality)
    for learner in range(len(bundle.learner_ids)):
        assert "nan" not in rank_discount.learner_discount_sentence(
            (plain, other), (plain, other), learner
        )
    assert "nan" not in rank_discount.discount_change_sentence(
        rank_discount.discount_change(plain, other), "x"
    )
