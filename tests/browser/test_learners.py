"""In a real browser: a designer reads why each course is in a worst-off learner's list, and exports
a policy and imports it again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

import equity_core as eq
from equity_core.analysis.learners import lists, population
from equity_core.analysis.learners.reasons import reasons
from tests.browser.conftest import Opened, rest, serve
from tests.helpers.awkward import BUNDLES, MARKUP, RIGHT_TO_LEFT

pytestmark = pytest.mark.browser

POLICY = eq.Policy(floor=0.66)
QUERY = "data=demo&algo=userknn&by=floor&tau=0.66"


@pytest.fixture(scope="module")
def demo() -> eq.Bundle:
    return eq.load_bundle(Path(__file__).parents[2] / "data" / "demo")


@pytest.fixture(scope="module")
def measured(demo: eq.Bundle) -> tuple[eq.Run, eq.Run, eq.Evaluation, eq.Evaluation]:
    own, run = (
        eq.rerank(demo, "userknn", POLICY.but(floor=None, lam=0.0)),
        eq.rerank(demo, "userknn", POLICY),
    )
    return own, run, eq.evaluate(demo, own, POLICY), eq.evaluate(demo, run, POLICY)


def after(page: Page) -> list[str]:
    """The rows of the new list, as they are read."""
    rows = page.get_by_role("table", name="After: ").get_by_role("row")
    return rows.all_inner_texts()[1:]


def test_a_designer_opens_a_worst_off_learner_and_reads_why(server, visit, demo, measured):
    own, run, before, now = measured
    page = visit(f"{server}/learners?{QUERY}")
    worst = int(np.argmin(before.per_learner_consistency))
    head, rest_of_it = lists.learner_sentence(demo, own, run, (before, now), worst)
    expect(page.get_by_text(head)).to_be_visible()
    expect(page.get_by_text(rest_of_it.split(". ")[0])).to_be_visible()

    found = reasons(demo, own, run, worst)
    shown = after(page)
    assert len(shown) == len(found.picked) == 10
    for row, text in zip(found.picked.to_dict("records"), shown, strict=True):
        assert demo.courses["title"].iloc[row["course"]] in text
        assert row["why"] in text
    old = page.get_by_role("table", name="Before: ")
    for row in found.left.to_dict("records"):
        expect(
            old.get_by_text(f"replaced by no. {row['replaced_at']} of the new list: {row['why']}")
        ).to_be_visible()

    # The next one in the line, then one by id; the link keeps the learner.
    line = population.learner_order(population.learner_changes(demo, *measured), "worst")
    page.get_by_role("button", name="Next").click()
    expect(
        page.get_by_text(f"Learner {demo.learner_ids[line[1]]}, one of the worst-off tenth")
    ).to_be_visible()
    rest(page)
    page.get_by_placeholder("Find by id").fill(str(demo.learner_ids[77]))
    page.get_by_placeholder("Find by id").press("Enter")
    expect(
        page.get_by_text(lists.learner_sentence(demo, own, run, (before, now), 77)[0])
    ).to_be_visible()
    rest(page)
    assert f"learner={demo.learner_ids[77]}" in page.url

    page.get_by_role("button", name="After, with reasons").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    kept = pd.read_csv(StringIO(Path(download.value.path()).read_text(encoding="utf-8")))
    expected = reasons(demo, own, run, 77)
    np.testing.assert_allclose(
        kept.filter(like="part of ").sum(axis=1), expected.picked["increment"], atol=1e-9
    )


def test_a_policy_is_exported_and_imported(server, visit, tmp_path, demo):
    page = visit(f"{server}/decisions?{QUERY}&strategy=user")
    expect(page.get_by_role("table", name="Scenarios side by side")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download policy (JSON)").click()
    file = tmp_path / "taken.json"
    download.value.save_as(file)
    # A downloaded policy names its principles.
    assert eq.Policy.from_json(file.read_text(encoding="utf-8")) == POLICY.but(
        strategy="user", lam=json.loads(file.read_text())["lam"], principles=demo.principles
    )
    link = page.locator("[data-testid=stCode]").inner_text().replace("\n", "").strip()

    # Another policy; a file that is none changes nothing and says why; the real one puts it back.
    page.goto(f"{server}/decisions?data=demo&algo=userknn&by=lam&lam=0.3")
    rest(page)
    page.get_by_role("button", name="From a file").click()
    (tmp_path / "wrong.json").write_text('{"lam": 7}')
    page.locator(".st-key-policy_file input[type=file]").set_input_files(tmp_path / "wrong.json")
    expect(page.get_by_text("cannot be used: λ must be between 0 and 1")).to_be_visible()
    assert "lam=0.3" in page.url
    page.locator(".st-key-policy_file input[type=file]").set_input_files(file)
    page.locator(".st-key-use_file_0").get_by_role("button", name="Use it").click()
    rest(page)
    assert "tau=0.66" in page.url
    assert "strategy=Population" in page.url
    expect(
        page.get_by_text("Current: floor 0.66, k = 10, population's gaps (user)").first
    ).to_be_visible()

    other = visit(link)
    expect(
        other.get_by_text("Current: floor 0.66, k = 10, population's gaps (user)").first
    ).to_be_visible()


def test_a_saved_scenario_is_compared(server, visit):
    page = visit(f"{server}/decisions?{QUERY}")
    page.locator(".st-key-save button").first.click()
    page.get_by_label("Name of the scenario").fill("<b>Ours</b>")
    page.get_by_label("Name of the scenario").press("Enter")
    page.get_by_role("button", name="Save scenario").click()
    rest(page)
    expect(page.get_by_text("Saved as “<b>Ours</b>”.")).to_be_visible()
    expect(page.get_by_role("columnheader", name="<b>Ours</b>")).to_be_visible()
    expect(
        page.get_by_role("table", name="Scenarios side by side").get_by_role("columnheader")
    ).to_have_count(4)


@pytest.fixture(scope="module")
def awkward_server(tmp_path_factory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("bundles") / "markup"
    BUNDLES["markup"]().save(folder)
    yield from serve(EQUITY_DATA=str(folder))


def test_markup_in_titles_is_shown_as_text(awkward_server: str, visit: Opened):
    page = visit(f"{awkward_server}/learners?data=markup&k=4&by=lam&lam=0.9")
    said = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    shown = " ".join(after(page))
    assert MARKUP in shown
    assert RIGHT_TO_LEFT in shown
    assert page.locator(".stMain b b, .stMain script").count() == 0
    rest(page)
    assert said == []
