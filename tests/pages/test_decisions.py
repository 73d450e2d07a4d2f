"""The Decisions screen as a script: scenarios compared, exported and imported."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

import equity_core as eq
from equity_core.metrics.intervals import intervals
from pages.shared.scenarios import Scenario
from tests.helpers.audited import make
from tests.helpers.awkward import BUNDLES, MARKUP
from tests.helpers.screens import go_to, screen, texts

POLICY = {"algo": "userknn", "k": 5, "by": "floor", "tau": 0.7}


@pytest.fixture(scope="module")
def bundle() -> eq.Bundle:
    return make(learners=80)


def saved(bundle, *policies):
    return [
        Scenario(name, algorithm, policy, bundle.fingerprint)
        for name, algorithm, policy in policies
    ]


def test_own_lists_and_current_policy_are_compared(bundle, folder, monkeypatch):
    at = screen("decisions", folder, monkeypatch, **POLICY)
    assert at.title[0].value == "What did we choose, and why?"
    told = " ".join(texts(at))
    assert "is the most equal" in told
    assert "compared with UserKNN’s own lists" in told
    policy = eq.Policy(floor=0.7, k=5)
    now, own = (
        eq.evaluate(bundle, eq.rerank(bundle, "userknn", one), one)
        for one in (policy, policy.but(floor=None, lam=0.0))
    )
    sure = intervals(now, own).loc["equality"]
    assert (
        f"[{sure['low']:.3f}, {sure['high']:.3f}]" in at.get("bidi_component")[1].proto.json
    )  # the first is the row of screens
    assert "With fewer than 200 learners" in told


def test_saved_scenarios_join_and_the_best_is_named(bundle, folder, monkeypatch):
    policies = [
        ("strong", "userknn", eq.Policy(lam=1.0, k=5)),
        (MARKUP, "mine", eq.Policy(floor=0.6, k=5)),
    ]
    at = screen("decisions", folder, monkeypatch, **POLICY, _scenarios=saved(bundle, *policies))
    found = {
        name: eq.evaluate(bundle, eq.rerank(bundle, algorithm, policy), policy).equality
        for name, algorithm, policy in policies
    }
    assert at.session_state["compared"] == ["own", "current", "saved strong", f"saved {MARKUP}"]
    current = eq.Policy(floor=0.7, k=5)
    found["Current: floor 0.7, k = 5, same for all (glob)"] = eq.evaluate(
        bundle, eq.rerank(bundle, "userknn", current), current
    ).equality
    best = max(found, key=found.__getitem__)
    told = " ".join(texts(at)).replace("\\", "")
    assert f"{best} is the most equal ({found[best]:.3f}" in told


def test_a_scenario_is_put_into_the_sidebar(bundle, folder, monkeypatch):
    policy = eq.Policy(
        lam=0.35, k=7, strategy="custom", weights={"quality": 2.0}, targets={"variety": 0.5}
    )
    at = screen(
        "decisions",
        folder,
        monkeypatch,
        **POLICY,
        _scenarios=saved(bundle, ("other", "mine", policy)),
        taken="saved other",
    )
    at.button(key="use_scenario").click().run()
    assert not at.exception
    state = at.session_state
    assert (state["algo"], state["by"], state["lam"], state["k"], state["strategy"]) == (
        "mine",
        "lam",
        0.35,
        7,
        "custom",
    )
    assert (state["weights"], state["targets"]) == ("quality=2", "variety=0.5")


def test_the_link_names_the_scenario(bundle, folder, monkeypatch):
    policy = eq.Policy(lam=0.35, k=7, targets={"variety": 0.5})
    at = screen(
        "decisions",
        folder,
        monkeypatch,
        **POLICY,
        _scenarios=saved(bundle, ("other", "mine", policy)),
        taken="saved other",
    )
    asked = {key: value[0] for key, value in parse_qs(urlsplit(at.code[0].value).query).items()}
    assert asked["data"] == folder.name
    assert {
        "algo": "mine",
        "by": "lam",
        "lam": "0.35",
        "k": "7",
        "targets": "variety=0.5",
    }.items() <= asked.items()
    assert "tau" not in asked


def test_removing_and_renaming(bundle, folder, monkeypatch):
    at = screen(
        "decisions",
        folder,
        monkeypatch,
        **POLICY,
        _scenarios=saved(bundle, ("one", "mine", eq.Policy(k=5))),
        taken="saved one",
    )
    at.text_input(key="new_name").set_value("two").run()
    at.button(key="rename").click().run()
    assert [one.name for one in at.session_state["_scenarios"]] == ["two"]
    at.selectbox(key="taken").set_value("saved two").run()
    at.button(key="remove").click().run()
    assert at.session_state["_scenarios"] == []
    assert not at.exception


def test_the_selection_is_there_on_the_way_back_and_a_saved_scenario_joins_it(
    bundle, folder, monkeypatch
):
    policies = [(name, "mine", eq.Policy(lam=lam, k=5)) for name, lam in (("a", 0.5), ("b", 0.9))]
    at = screen("decisions", folder, monkeypatch, **POLICY, _scenarios=saved(bundle, *policies))
    at.button_group(key="compared").set_value(["current", "saved b"]).run()
    go_to(at, "audit")
    go_to(at, "decisions")
    assert at.session_state["compared"] == ["current", "saved b"]
    go_to(at, "audit")
    at.button(key="save").click().run()
    at.text_input(key="scenario_name").set_value("c")
    at.button(key="save_scenario").click().run()
    go_to(at, "decisions")
    assert at.session_state["compared"] == ["current", "saved b", "saved c"]
    # While the current policy is the own lists, it is not offered; it stays chosen.
    at.button_group(key="by").set_value("lam").run()
    at.slider(key="lam").set_value(0.0).run()
    assert at.session_state["compared"] == ["saved b", "saved c"]
    at.button_group(key="compared").set_value(["saved c"]).run()
    at.slider(key="lam").set_value(0.4).run()
    assert not at.exception
    assert at.session_state["compared"] == ["saved c", "current"]


def test_scenarios_judged_by_other_principles_are_compared_and_said(bundle, folder, monkeypatch):
    other = eq.Policy(floor=0.6, k=5, principles=bundle.principles[:2])
    at = screen(
        "decisions", folder, monkeypatch, **POLICY, _scenarios=saved(bundle, ("two", "mine", other))
    )
    assert any("Principles differ" in warning.value for warning in at.warning)
    drawn = at.get("bidi_component")[1].proto.json
    found = eq.evaluate(bundle, eq.rerank(bundle, "mine", other), other)
    assert f"<b>{found.equality:.3f}</b>" in drawn
    assert "not judged by it" in drawn
    at.selectbox(key="taken").set_value("saved two").run()
    at.button(key="use_scenario").click().run()
    assert not at.exception
    assert at.session_state["_current"].policy.principles == bundle.principles[:2]
    asked = parse_qs(urlsplit(at.code[0].value).query)
    assert asked["principles"] == [principle.name for principle in bundle.principles[:2]]


def test_nothing_chosen_is_explained(folder, monkeypatch):
    at = screen("decisions", folder, monkeypatch, **POLICY)
    at.button_group(key="compared").set_value([]).run()
    assert not at.exception
    assert "No scenario is chosen." in texts(at)
    assert at.info


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name, tmp_path, monkeypatch):
    BUNDLES[name]().save(tmp_path / name)
    at = screen("decisions", tmp_path / name, monkeypatch, k=3)
    assert not any("nan" in text.split() for text in texts(at))
