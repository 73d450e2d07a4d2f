"""The chooser on screen: three questions, the answer in a sentence, a button that sets it, and what
to be careful about."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import equity_core as eq
from equity_core.analysis.choosing import limits
from equity_core.reranker import search as lam_search
from pages.shared.links import FORMER_WORDS
from tests.helpers import awkward
from tests.helpers.audited import make
from tests.pages.conftest import Opened, wrong

BELOW, EACH = "Minimum for every learner", "Minimum per principle"


def said(app: AppTest, words: str) -> bool:
    return any(words in element.value for element in (*app.markdown, *app.caption))


def policy_of(app: AppTest) -> eq.Policy:
    policy: eq.Policy = app.session_state["_current"].policy
    return policy


def test_the_answers_are_the_core_s_and_their_buttons_set_them(opened: Opened) -> None:
    bundle = make(learners=200, seed=3)
    app = opened(bundle, "tradeoff", loss="25", algo="userknn", k="5")
    found = limits.maximum_loss(lam_search.search(bundle, "userknn", eq.Policy(k=5)), 0.25)
    safe, bold = found.answers
    assert safe.kind == bold.kind == "floor"
    assert said(
        app,
        f"**Floor {safe.value:g} is the most equal policy that keeps the loss within 25 % with 95 %"
        " confidence** for learners like these; later behaviour may differ",
    )
    assert said(app, f"Bold, without that confidence: Floor {bold.value:g}: equality")
    assert said(app, f"λ = {found.safe_lam.value:g}: equality {found.safe_lam.equality:.3f}")
    for key, answer in (("use_safe", safe), ("use_bold", bold)):
        app.button(key=key).click().run()
        assert wrong(app) == []
        assert policy_of(app).floor == answer.value
        assert app.button(key=key).disabled
        assert f"Floor {answer.value:g}, {key[4:]}" in app.button(key=key).label
    # There is no validation part in this world, and that is said.
    assert any("no validation part" in element.value for element in app.warning)


def test_where_nothing_is_sure_the_own_lists_are_safe(opened: Opened) -> None:
    bundle = make(learners=30, seed=3)
    app = opened(bundle, "tradeoff", loss="1", algo="userknn", k="5", by="lam", lam="0.5")
    found = limits.maximum_loss(lam_search.search(bundle, "userknn", eq.Policy(k=5)), 0.01)
    assert (found.safe.kind, found.safe.value) == ("lam", 0.0)
    assert found.bold.policy != found.safe.policy
    assert said(
        app, "**No policy that keeps the loss within 1 % with 95 % confidence is more equal"
    )
    app.button(key="use_safe").click().run()
    assert wrong(app) == []
    assert (policy_of(app).lam, policy_of(app).floor) == (0.0, None)


def test_on_the_demo_it_is_chosen_on_the_validation_part(opened: Opened) -> None:
    app = opened(page="tradeoff", k="3")
    assert said(app, "Chosen on the validation part, reported on the test part")
    assert said(app, "The test part is later than the validation part: what changed in between is")
    assert not any("no validation part" in element.value for element in app.warning)


def test_nobody_below(opened: Opened) -> None:
    bundle = make(seed=3)
    app = opened(bundle, "tradeoff", ask=BELOW, below="0.6", algo="userknn", k="5")
    found = limits.learner_minimum(lam_search.search(bundle, "userknn", eq.Policy(k=5)), 0.6)
    assert said(app, f"The highest floor that everybody reaches is {found.highest_floor:g}")
    assert said(app, f"One λ for all needs λ = {found.lam.value:g} for that")
    assert said(app, "the loss of NDCG is not limited")  # so there is nothing to be sure of
    app.button(key="use_floor").click().run()
    assert policy_of(app).floor == 0.6
    app.number_input(key="below").set_value(0.99).run()
    assert wrong(app) == []
    assert said(app, "stay below 0.99")
    assert "use_lam" not in [button.key for button in app.button]


def ask_for(app: AppTest, value: float) -> None:
    """So much affordability, and the form's button: the search takes long, so that fields do
    nothing by themselves."""
    app.number_input(key="least_affordability").set_value(value)
    next(
        button for button in app.button if button.label == "Find the cheapest policy"
    ).click().run()
    assert wrong(app) == []


def test_each_at_least_sets_strategy_and_weights(opened: Opened) -> None:
    app = opened(make(seed=3), "tradeoff", ask=EACH, algo="userknn", k="5")
    assert said(app, "fields left empty do not count")
    ask_for(app, 0.9)
    assert said(app, "policies with affordability ≥ 0.9 is")
    button = next(button for button in app.button if button.key in ("use_floor", "use_lam"))
    button.click().run()
    cur = app.session_state["_current"]
    assert cur.policy != eq.Policy(k=5)
    reached = eq.evaluate(
        cur.bundle, eq.rerank(cur.bundle, cur.algorithm, cur.policy), cur.policy
    ).principles.loc["affordability", "mean"]
    assert reached >= 0.9 - 1e-9
    ask_for(app, 1.0)
    assert said(app, "policies has affordability ≥ 1")
    assert said(app, "at most")


def test_the_slider_does_not_search_again(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = lam_search.search

    @functools.wraps(real)
    def counted(*arguments: Any, **named: Any) -> Any:
        calls.append(arguments)
        return real(*arguments, **named)

    monkeypatch.setattr(lam_search, "search", counted)
    app = opened(make(seed=11), "tradeoff", algo="userknn", k="5", by="lam", lam="0.5")
    assert len(calls) == 1
    app.slider(key="lam").set_value(0.9).run()
    app.number_input(key="loss").set_value(33).run()
    assert wrong(app) == []
    assert said(app, "33 %")
    assert len(calls) == 1


@pytest.mark.parametrize("ask", [BELOW, EACH])
@pytest.mark.parametrize("name", list(awkward.BUNDLES))
def test_awkward_data_are_answered(opened: Opened, name: str, ask: str) -> None:
    bundle = awkward.BUNDLES[name]()
    app = opened(bundle, "tradeoff", ask=ask, **{f"least_{bundle.principles[-1].name}": "0.5"})
    assert app.segmented_control(key="ask").value == ask
    assert said(app, "**")


def test_nonsense_in_the_link_is_the_default(opened: Opened) -> None:
    app = opened(make(seed=3), "tradeoff", loss="many", below="nan", ask="Nothing")
    assert said(app, "the loss within 10 %")


@pytest.mark.parametrize(("old", "new"), list(FORMER_WORDS["ask"].items()))
def test_a_link_of_an_earlier_version_asks_the_same(opened: Opened, old: str, new: str) -> None:
    app = opened(make(seed=3), "tradeoff", ask=old, algo="userknn", k="5")
    assert app.segmented_control(key="ask").value == new
    label = {
        "Maximum loss": "Maximum loss of NDCG, in per cent",
        "Minimum for every learner": "Minimum consistency of every list",
        "Minimum per principle": "Quality",
    }[new]
    assert label in [field.label for field in app.number_input]
