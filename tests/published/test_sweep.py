"""The public call: the same measures as everything else, like with like, errors that say what to
do."""

from __future__ import annotations

import numpy as np
import pytest

import equity_core as eq
from equity_core.published.problem import Problem
from equity_core.published.registry import METHODS, applicable, missing
from tests.helpers import awkward
from tests.helpers.audited import make

POLICY = eq.Policy(k=5, targets={"quality": 0.8})


@pytest.fixture(scope="module")
def bundle() -> eq.Bundle:
    return make()


@pytest.mark.parametrize("name", eq.PUBLISHED_METHODS)
def test_the_rows_are_the_measures_of_the_lists(bundle: eq.Bundle, name: str) -> None:
    frame = eq.published_sweep(bundle, "mine", POLICY, name, values=(0, 0.7), order="greedy")
    names = [principle.name for principle in bundle.principles]
    assert list(frame.columns) == ["method", "value", "ndcg", "consistency", "equality", *names]
    lists = METHODS[name].lists(Problem.of(bundle, "mine", POLICY), 0.7)
    found = eq.evaluate(bundle, lists, POLICY)
    row = frame.iloc[1]
    assert row["ndcg"] == found.ndcg
    assert row["equality"] == found.equality
    assert row[names].tolist() == found.principles["mean"].tolist()
    own = eq.evaluate(bundle, eq.rerank(bundle, "mine", POLICY.but(lam=0.0)), POLICY)
    assert frame.iloc[0]["ndcg"] == own.ndcg
    assert frame.iloc[0]["consistency"] == own.consistency


@pytest.mark.parametrize("name", eq.PUBLISHED_METHODS)
def test_the_order_changes_ndcg_only(bundle: eq.Bundle, name: str) -> None:
    made = {
        order: eq.published_sweep(bundle, "userknn", POLICY, name, (0, 0.9), order=order)
        for order in ("relevance", "greedy")
    }
    plain = eq.published_sweep(bundle, "userknn", POLICY, name, (0, 0.9))
    shown = getattr(POLICY, "order", "greedy")
    np.testing.assert_array_equal(plain["ndcg"], made[shown]["ndcg"])
    assert made["relevance"]["ndcg"][0] == made["greedy"]["ndcg"][0]
    rest = made["greedy"].columns[3:]
    np.testing.assert_allclose(
        made["relevance"][rest].to_numpy(), made["greedy"][rest].to_numpy(), atol=1e-12
    )
    assert made["relevance"]["ndcg"][1] != made["greedy"]["ndcg"][1]


def test_strategy_and_weights_make_no_difference(bundle: eq.Bundle) -> None:
    made = [
        eq.published_sweep(bundle, "userknn", policy, "gini-welfare", (0.9,))
        for policy in (
            POLICY,
            POLICY.but(strategy="pers", floor=0.6),
            POLICY.but(strategy="custom", weights={"quality": 9.0}),
        )
    ]
    assert made[0].equals(made[1])
    assert made[0].equals(made[2])


@pytest.mark.parametrize("name", list(awkward.BUNDLES))
def test_awkward_data(name: str) -> None:
    bundle = awkward.BUNDLES[name]()
    for method in eq.PUBLISHED_METHODS:
        frame = eq.published_sweep(bundle, "userknn", eq.Policy(k=4), method, (0, 0.6, 1))
        assert frame["equality"].between(0, 1).all()
        assert frame["ndcg"].isna().all() == (name == "no_test")


def test_what_a_method_needs() -> None:
    courses, log, scores = awkward.tiny_frames()
    plain = eq.Bundle.from_frames(
        courses.drop(columns=["category", "level"]),
        log,
        relevance=scores,
        principles=[eq.Principle("affordability", "mean", "price", better="low")],
    )
    assert applicable(plain) == ("gini-welfare",)
    assert applicable(make()) == eq.PUBLISHED_METHODS
    for name, word in (("steck-level", "'level'"), ("mmr", "match or balance")):
        with pytest.raises(ValueError, match=word):
            eq.published_sweep(plain, "userknn", POLICY, name)
    with pytest.raises(KeyError, match="known: steck-category"):
        missing(plain, "none")


def test_errors_and_cancelling(bundle: eq.Bundle) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        eq.published_sweep(bundle, "userknn", POLICY, "mmr", (1.5,))
    with pytest.raises(ValueError, match="'relevance' or 'greedy'"):
        eq.published_sweep(bundle, "userknn", POLICY, "mmr", order="any")  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="userknn"):
        eq.published_sweep(bundle, "userknm", POLICY, "mmr")
    seen = []

    def progress(done: int, total: int) -> bool:
        seen.append((done, total))
        return done < 1

    with pytest.raises(eq.Cancelled):
        eq.published_sweep(bundle, "userknn", POLICY, "mmr", (0, 0.5, 1), progress=progress)
    assert seen == [(0, 3), (1, 3)]
