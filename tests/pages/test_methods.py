"""The Methods screen as a script: every section of the text, with the live parts of the data set in
view."""

from __future__ import annotations

import re

import pytest

import equity_core as eq
from equity_core.analysis.data import provenance
from equity_core.analysis.methods import (
    bounds_frame,
    bounds_sentence,
    reach_frame,
    reach_sentence,
)
from pages.parts.methods import METHODS, TABLE_1, sections
from pages.shared.panels import plain
from tests.helpers.awkward import BUNDLES
from tests.helpers.screens import screen, texts

TITLES = [title for title in sections() if title]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("bundles") / "tiny"
    BUNDLES["one_algorithm"]().save(path)
    return path


def test_the_text_is_whole():
    parts = sections()
    assert "Marras" in parts[""]
    whole = METHODS.read_text(encoding="utf-8")
    assert all(body in whole for body in parts.values())
    assert {"Principles", "Measures", "Re-ranking", "The floor", "Limits", "Glossary"} <= set(
        TITLES
    )
    for principle in eq.SEVEN:
        assert f"| {principle.name} ({principle.kind}) |" in parts["Principles"]
    assert re.findall(r"^\d\.", parts["The paper's observations"], re.MULTILINE) == [
        f"{at}." for at in range(1, 9)
    ]


def test_no_word_that_promises_too_much():
    lower = METHODS.read_text(encoding="utf-8").lower()
    for word in ("debiased", "guaranteed to"):
        assert word not in lower
    for title in ("individual fairness", "indices for fairness in rankings"):  # others' words
        lower = lower.replace(title, "")
    for line in lower.splitlines():
        if "fair" in line:
            assert "do not say" in line


@pytest.mark.parametrize("title", TITLES)
def test_every_section_is_drawn(folder, monkeypatch, title):
    at = screen("methods", folder, monkeypatch, section=title)
    assert at.title[0].value == "What do these numbers mean?"
    assert f"## {title}" in texts(at)
    assert sections()[title] in texts(at)


def test_live_parts_follow_data_and_policy(folder, monkeypatch):
    bundle = eq.load_bundle(folder)
    at = screen("methods", folder, monkeypatch, section="Limits", k=4)
    frame = reach_frame(bundle, eq.Policy(k=4))
    assert plain(reach_sentence(frame, 4)) in texts(at)
    assert at.dataframe[0].value["best"].tolist() == pytest.approx(
        frame["best"].tolist(), nan_ok=True
    )
    at = screen("methods", folder, monkeypatch, section="Principles")
    assert (
        at.dataframe[0].value["scores_1"].tolist()
        == provenance.principle_scales(bundle)["scores_1"].tolist()
    )


def test_the_bounds_are_those_of_the_loaded_data(folder, monkeypatch):
    bundle = eq.load_bundle(folder)
    policy = eq.Policy(k=4, lam=0.0)
    runs = {name: eq.rerank(bundle, name, policy) for name in bundle.algorithms}
    frame = bounds_frame(
        bundle,
        {name: run.courses for name, run in runs.items()},
        {name: eq.evaluate(bundle, run, policy) for name, run in runs.items()},
    )
    at = screen("methods", folder, monkeypatch, section=TABLE_1, k=4)
    assert plain(bounds_sentence(frame, 4)) in texts(at)
    assert at.dataframe[0].value["least_by_values"].tolist() == pytest.approx(
        frame["least_by_values"].tolist(), nan_ok=True
    )


def test_an_unknown_section_falls_back(folder, monkeypatch):
    at = screen("methods", folder, monkeypatch, section="Nonsense")
    assert f"## {TITLES[0]}" in texts(at)


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name, tmp_path, monkeypatch):
    BUNDLES[name]().save(tmp_path / name)
    for title in ("Principles", "Limits", TABLE_1):
        screen("methods", tmp_path / name, monkeypatch, section=title, k=3)
