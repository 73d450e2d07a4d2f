"""Both orders and both procedures: the frame's figures are those of the policies themselves, and
the sentence is true."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import equity_core as eq
from equity_core.analysis.tradeoff import orders
from equity_core.charts.tradeoff.orders import orders_panel
from tests.helpers import awkward
from tests.helpers.audited import make

POLICIES = {
    "lam": eq.Policy(lam=0.9, k=5),
    "floor": eq.Policy(floor=0.65, k=5),
    "the paper's": eq.Policy(
        floor=0.65, k=5, order="greedy", floor_method="first-lambda", method="greedy"
    ),
}
MEASURES = ["consistency", "equality"]


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_every_row_is_a_policy_of_its_own(policy: eq.Policy) -> None:
    bundle = make()
    found = orders.orders(bundle, "userknn", policy)
    field, names = orders.PROCEDURES[found.kind]
    ways = [policy.but(floor=None, lam=0.0)]
    ways += [
        policy.but(order=order, **{field: procedure})
        for procedure, order in itertools.product(names, orders.ORDERS)
    ]
    assert len(found.frame) == len(ways)
    for (_, row), way in zip(found.frame.iterrows(), ways, strict=True):
        run = eq.rerank(bundle, "userknn", way)
        plain = eq.evaluate(bundle, run, way)
        ranked = eq.evaluate(bundle, run, way, position=True)
        assert row["ndcg"] == plain.ndcg
        np.testing.assert_allclose(
            [row[name] for name in MEASURES], [plain.consistency, plain.equality], rtol=1e-12
        )
        assert row["ranked_consistency"] == ranked.consistency
        assert row["ranked_equality"] == ranked.equality
        assert row["unreached"] == (~run.reached).sum()
        assert bool(row["in_use"]) == (way == policy)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_the_order_changes_what_looks_at_ranks_and_nothing_else(policy: eq.Policy) -> None:
    found = orders.orders(make(), "userknn", policy)
    assert found.order is not None
    for _, both in found.frame.iloc[1:].groupby("lists"):
        np.testing.assert_allclose(both[MEASURES].iloc[0], both[MEASURES].iloc[1], rtol=1e-12)
        assert both["ranked_consistency"].nunique() == 2


def test_the_own_lists_have_one_order() -> None:
    found = orders.orders(make(), "userknn", eq.Policy(lam=0.0))
    assert (found.kind, found.frame["in_use"].tolist()) == ("own", [True])
    assert "both orders are the same" in orders.orders_sentence(found)


def test_a_list_of_one_course_has_one_order() -> None:
    text = orders.orders_sentence(orders.orders(make(), "userknn", eq.Policy(lam=0.9, k=1)))
    assert text.startswith("No list differs between the two orders.")


def test_what_changes_nothing_is_said_to() -> None:
    """A floor that every own list meets."""
    text = orders.orders_sentence(orders.orders(make(), "userknn", eq.Policy(floor=0.0, k=5)))
    assert text == "No list differs between the two orders. The least loss changes no list."
    text = orders.orders_sentence(orders.orders(make(), "userknn", eq.Policy(lam=1e-9, k=5)))
    assert text == "No list differs between the two orders. Swaps change no list."


def made(ndcg: tuple[float, float], ranked: tuple[float, float], change: float) -> orders.Orders:
    """Two orders of least-loss lists: first the recommender's, then as picked."""
    frame = pd.DataFrame(
        {
            "lists": ["Own lists", "Least loss", "Least loss"],
            "order": [orders.ORDERS[order] for order in ("relevance", "relevance", "greedy")],
            "in_use": [False, True, False],
            "ndcg": [0.1, *ndcg],
            "ranked_consistency": [0.5, *ranked],
            "ranked_equality": [0.9, 0.95, 0.95],
        }
    )
    row = {"change": change, "change_low": change - 0.001, "change_high": change + 0.001}
    compared = pd.DataFrame([row], index=["ndcg"])
    compared.attrs["changed"] = 500
    return orders.Orders("floor", frame, compared, None, 2000)


def test_the_sentence_names_gain_and_price() -> None:
    assert orders.orders_sentence(made((0.09, 0.08), (0.61, 0.65), 0.01)) == (
        "The recommender's order has a higher NDCG than the order picked (0.0900 instead of"
        " 0.0800); with a rank discount, consistency is lower (0.610 instead of 0.650) and equality"
        " stays at 0.950. Without one, consistency and equality are the same in both"
        " orders. The least loss changes no list."
    )
    assert "has a lower NDCG" in orders.orders_sentence(made((0.08, 0.09), (0.61, 0.65), -0.01))
    text = orders.orders_sentence(made((0.09, 0.0899), (0.66, 0.65), 0.0001))
    assert text.startswith("The order makes no clear difference to NDCG (0.0900 in the")
    assert "consistency is higher (0.660 instead of 0.650)" in text


@pytest.mark.parametrize("policy", [eq.Policy(lam=0.9, k=4), eq.Policy(floor=0.7, k=4)])
@pytest.mark.parametrize("name", list(awkward.BUNDLES))
def test_awkward_data_have_a_sentence_and_a_panel(name: str, policy: eq.Policy) -> None:
    found = orders.orders(awkward.BUNDLES[name](), "userknn", policy)
    text, panel = orders.orders_sentence(found), orders_panel(found.frame)
    assert "nan" not in text + panel
    assert text.endswith(".")
    assert panel.count("<tr") == 1 + len(found.frame)
    assert panel.count("(in use)") == 1
    if name == "no_test":
        assert "unknown" in text or "No list differs" in text
        assert "unknown" in panel


def test_it_reports_progress_and_can_be_cancelled() -> None:
    seen: list[tuple[int, int]] = []

    def count(done: int, total: int) -> bool:
        seen.append((done, total))
        return True

    orders.orders(make(), "userknn", POLICIES["lam"], progress=count)
    assert seen == [(done, 5) for done in range(1, 6)]
    with pytest.raises(eq.Cancelled):
        orders.orders(make(), "userknn", POLICIES["lam"], progress=lambda done, total: done < 3)
