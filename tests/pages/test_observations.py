"""The tab of the eight observations on the Audit screen, as a script: on random and on awkward
data."""

from __future__ import annotations

import pytest

import equity_core as eq
from equity_core.analysis.observations import (
    basis_sentence,
    check_observations,
    verdicts_sentence,
)
from pages.parts import observations
from pages.parts.audit import tabs as audit_tabs
from pages.parts.tradeoff import tabs as tradeoff_tabs
from pages.shared.panels import plain
from tests.helpers.audited import make
from tests.helpers.awkward import BUNDLES
from tests.helpers.screens import screen, texts

TAB = "Eight observations"


@pytest.fixture(scope="module")
def bundle() -> eq.Bundle:
    return make(learners=80)


@pytest.fixture(scope="module")
def eight(bundle):
    return check_observations(bundle, eq.Policy(k=5))


def rows(at) -> list[str]:
    return [
        element.proto.body
        for element in at.get("html")
        if element.proto.body.startswith('<div class="eq ob">')
    ]


def test_the_sentence_and_eight_rows(folder, eight, monkeypatch):
    at = screen("audit", folder, monkeypatch, audit_tab=TAB, k=5)
    told = " ".join(texts(at))
    assert plain(verdicts_sentence(eight)) in told
    assert plain(basis_sentence(eight)) in told
    shown = rows(at)
    assert len(shown) == 8
    for made, one in zip(shown, eight.observations, strict=True):
        assert f"<b>{one.number}</b>" in made
        assert one.verdict in made


def test_it_is_computed_only_when_its_tab_is_open(folder, monkeypatch):
    def never(*_, **__):
        raise AssertionError("computed although the tab is closed")

    monkeypatch.setattr(observations, "check_observations", never)
    assert rows(screen("audit", folder, monkeypatch, k=5)) == []


def test_details_on_demand(folder, eight, monkeypatch):
    at = screen("audit", folder, monkeypatch, audit_tab=TAB, k=5, observation_6=True)
    sixth = eight.observations[5]
    assert any(plain(sixth.sentence) in text for text in texts(at))
    assert not any(plain(eight.observations[4].sentence) in text for text in texts(at))
    frame = next(element.value for element in at.dataframe if "consistency_gain" in element.value)
    assert len(frame) == len(sixth.frame)
    assert (
        at.button(key="see_observation_6").label
        == "See the figure (Trade-off: One λ for all, by strategy)"
    )


def test_the_way_to_a_figure_on_the_same_screen(folder, monkeypatch):
    at = screen("audit", folder, monkeypatch, audit_tab=TAB, k=5, observation_5=True)
    at.button(key="see_observation_5").click().run()
    assert not at.exception
    assert at.session_state["audit_tab"] == "Past and lists"
    assert any("Similar pasts, similar lists?" in text for text in texts(at))


def test_every_figure_is_on_the_tab_that_is_named(eight):
    for one in eight.observations:
        tabs = {"audit": list(audit_tabs.TABS), "tradeoff": list(tradeoff_tabs.NAMES)}[
            one.figure.screen
        ]
        assert one.figure.tab in ["", *tabs]


def test_every_figure_has_the_title_that_is_named(folder, eight, monkeypatch):
    for one in eight.observations:
        key = observations.TABS[one.figure.screen]
        at = screen(
            one.figure.screen,
            folder,
            monkeypatch,
            k=5,
            **({key: one.figure.tab} if one.figure.tab else {}),
        )
        assert any(text == f"## {one.figure.title}" for text in texts(at)), one.figure


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name, tmp_path, monkeypatch):
    BUNDLES[name]().save(tmp_path / name)
    opened = {f"observation_{number}": True for number in range(1, 9)}
    at = screen("audit", tmp_path / name, monkeypatch, audit_tab=TAB, k=3, **opened)
    told = [*texts(at), *rows(at)]
    assert "none holds on these data, 8 cannot be checked" in " ".join(told)
    assert len(rows(at)) == 8
    assert not any("nan" in text.split() for text in told)
