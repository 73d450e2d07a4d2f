"""The Audit screen as a script: what it says is what equity_core measures, on the demo and on
awkward data."""

from __future__ import annotations

import json

import pytest

import equity_core as eq
from equity_core.analysis.audit import rank_discount, recommenders, worst_off
from pages.parts.audit.recommender_table import table_html
from pages.shared.panels import plain
from tests.helpers.audited import make, own
from tests.helpers.awkward import BUNDLES, MARKUP
from tests.helpers.screens import screen, texts

TABS = [
    "Who is worst off, and why",
    "Recommenders compared",
    "Which principles matter",
    "Past and lists",
    "Groups of learners",
]


@pytest.fixture(scope="module")
def bundle() -> eq.Bundle:
    return make(learners=120)


def panel(at):
    """The HTML of Table 1."""
    found = [element for element in at.get("bidi_component") if "table1" in element.proto.id]
    assert len(found) == 1
    return json.loads(found[0].proto.json)["html"]


def test_the_answer_is_that_of_the_figures(bundle, folder, monkeypatch):
    at = screen("audit", folder, monkeypatch, algo="mine", k=5)
    found = own(bundle, k=5)[1]
    head, rest = recommenders.audit_answer(recommenders.table(found), "mine")
    assert at.title[0].value == "How unequal is it today?"
    assert f"**{plain(head)}** {plain(rest)}" in texts(at)


def test_table_1_has_intervals_and_a_reading_by_rank(bundle, folder, monkeypatch):
    runs, found = own(bundle, k=5)
    plain_table = recommenders.table(found)
    at = screen("audit", folder, monkeypatch, algo="mine", k=5)
    row = plain_table.loc["mine"]
    assert f"{row['equality_low']:.3f} – {row['equality_high']:.3f}" in panel(at)
    assert f"{row['equality']:.3f}" in panel(at)
    assert any("With fewer than 200 learners" in text for text in texts(at))
    at.toggle(key="by_rank").set_value(True).run()
    assert not at.exception
    ranked = {
        name: rank_discount.evaluate_discounted(bundle, run, "test") for name, run in runs.items()
    }
    other = recommenders.table(ranked)
    row = other.loc["mine"]
    assert f"{row['consistency_low']:.3f} – {row['consistency_high']:.3f}" in panel(at)
    said = rank_discount.discount_change_sentence(
        rank_discount.discount_change(found["mine"], ranked["mine"]), "mine"
    )
    assert plain(f"{said} {rank_discount.equality_order_sentence(plain_table, other)}") in texts(at)


def test_the_worst_off_tenth_is_described(bundle, folder, monkeypatch):
    at = screen("audit", folder, monkeypatch, algo="userknn", k=5)
    runs, found = own(bundle, k=5)
    courses, evaluation = runs["userknn"].courses, found["userknn"]
    assert plain(worst_off.worst_off_sentence(bundle, courses, evaluation)) in texts(at)
    numbers = worst_off.worst_off_numbers(bundle, courses, evaluation)
    assert [metric.value for metric in at.metric] == [number["value"] for number in numbers]
    shown = at.dataframe[0].value
    assert (
        shown["learner_id"].tolist()
        == worst_off.worst_off_learners(bundle, evaluation)["learner_id"].tolist()
    )


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_draws_and_only_the_open_one(folder, monkeypatch, tab):
    at = screen("audit", folder, monkeypatch, audit_tab=tab)
    shown = " ".join(texts(at))
    marks = [
        "What makes up the gap",
        "Equality against consistency",
        "Which principles correlate with",
        "Similar pasts, similar lists?",
        "Among the worst-off tenth",
    ]
    assert [mark in shown for mark in marks] == [name == tab for name in TABS]


def test_the_papers_values_on_demand(folder, monkeypatch):
    at = screen("audit", folder, monkeypatch)
    assert "Rank correlation with the paper" not in " ".join(texts(at))
    at = screen("audit", folder, monkeypatch, paper=True)
    assert any("paper" in text for text in texts(at))


@pytest.mark.parametrize("name", BUNDLES)
def test_awkward_data(name, tmp_path, monkeypatch):
    BUNDLES[name]().save(tmp_path / name)
    for tab in TABS:
        at = screen("audit", tmp_path / name, monkeypatch, audit_tab=tab, k=3)
        assert not any("nan" in text.split() for text in texts(at))


def test_table_one_escapes_what_is_in_the_data():
    frame = recommenders.table(own(make(learners=20), k=3)[1])
    frame = frame.rename(index={"mine": MARKUP}).assign(
        label=lambda table: [*table["label"][:-1], MARKUP]
    )
    made = table_html(frame, MARKUP, 10, dark=False)
    assert "<script>" not in made
    assert "&lt;script&gt;" in made
    assert made.count("<tr data-algorithm") == 3
    assert made.count('aria-pressed="true"') == 1


def test_table_one_shows_the_papers_figures_beside_ours():
    frame = recommenders.table(own(make(learners=20), k=3)[1])
    made = table_html(frame, "userknn", 3, dark=True, paper=recommenders.with_paper(frame))
    assert "paper 0.885" in made
    assert "paper –" in made  # the paper has no algorithm called mine
    assert f"{frame.loc['userknn', 'equality']:.3f}" in made


def test_plain_leaves_no_markup():
    assert plain("a*b*[c](d) $x$ :red[y] <b>") == r"a\*b\*\[c\](d) \$x\$ \:red\[y\] \<b\>"
