"""Trade-off and Overview on the demo and on awkward data: the figures on the page are those of
eq.evaluate."""

from __future__ import annotations

import pytest

import equity_core as eq
from equity_core.analysis.tradeoff import orders, published
from tests.helpers import awkward
from tests.pages.conftest import Opened, wrong


@pytest.mark.parametrize("page", ["overview", "tradeoff"])
@pytest.mark.parametrize("name", list(awkward.BUNDLES))
def test_awkward_data_are_drawn(opened: Opened, name: str, page: str) -> None:
    app = opened(awkward.BUNDLES[name](), page)
    assert app.session_state["_current"].key != ""
    assert len(app.title) == 1


@pytest.mark.parametrize(
    "tab", ["What a loss buys", "Principles over λ", "Relevance density", "List order"]
)
def test_tabs_draw_when_opened(opened: Opened, tab: str) -> None:
    app = opened(awkward.three_learners(), "tradeoff")
    app.session_state["tradeoff_tabs"] = tab
    app.run()
    assert wrong(app) == []
    words = {
        "What a loss buys": "What a loss of NDCG buys",
        "Principles over λ": "Each principle over λ",
        "Relevance density": "How close together",
        "List order": "Order of the lists",
    }
    assert any(words[tab] in element.value for element in app.markdown)


def test_the_sentence_has_the_figures_of_evaluate(opened: Opened) -> None:
    app = opened(page="tradeoff", by="floor", tau="0.65")
    cur = app.session_state["_current"]
    found = eq.evaluate(cur.bundle, eq.rerank(cur.bundle, cur.algorithm, cur.policy), cur.policy)
    assert any(f"to {found.equality:.3f}" in element.value for element in app.markdown)


def test_the_chooser_sets_the_policy(opened: Opened) -> None:
    app = opened(page="tradeoff", loss="1")
    for key in ("use_safe", "use_bold"):
        app.button(key=key).click().run()
        assert wrong(app) == []
        policy = app.session_state["_current"].policy
        assert policy.floor is not None
        assert f"Floor {policy.floor:g}" in app.button(key=key).label


def test_without_a_test_part_nothing_is_promised(opened: Opened) -> None:
    app = opened(awkward.no_test(), "tradeoff")
    assert any("NDCG is unknown" in element.value for element in app.info)


def test_the_order_is_computed_when_its_tab_is_open(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    made = orders.orders

    def counted(*arguments: object, **named: object) -> object:
        asked.append(arguments[2])
        return made(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(orders, "orders", counted)
    app = opened(awkward.three_learners(), "tradeoff", by="lam", lam="0.9")
    assert asked == []
    app.session_state["tradeoff_tabs"] = "List order"
    app.run()
    assert wrong(app) == []
    assert len(asked) == 1
    assert any("in both orders" in one.value or "No list" in one.value for one in app.caption)
    app.button(key="corner_orders").click().run()
    assert wrong(app) == []
    assert app.dataframe[0].value["lists"].tolist()[0] == "Own lists"


@pytest.mark.parametrize("name", ["three_learners", "no_test", "two_candidates"])
def test_published_methods_are_drawn_on_demand(
    opened: Opened, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    made = published.published_paths

    def counted(*arguments: object, **named: object) -> object:
        asked.append(arguments[1])
        return made(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(published, "published_paths", counted)
    app = opened(awkward.BUNDLES[name](), "tradeoff", by="floor", tau="0.7")
    assert asked == []
    app.toggle(key="published").set_value(True).run()
    assert wrong(app) == []
    assert len(asked) == 1
    word = "nothing can be compared" if name == "no_test" else "the most equal"
    assert any(word in element.value for element in app.caption)
    app.button(key="corner_front").click().run()
    assert wrong(app) == []
    shown = app.dataframe[0].value
    assert set(eq.PUBLISHED_METHODS) <= set(shown["kind"])
    app.toggle(key="published").set_value(False).run()
    assert not any(word in element.value for element in app.caption)
