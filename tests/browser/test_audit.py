"""A policy reviewer in a real browser: finds the worst-off learners, reads why, and downloads the
table. Data and Audit in both modes."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import expect

import equity_core as eq
from equity_core.analysis.audit import recommenders, worst_off
from tests.browser.conftest import AUDIT_TABS, Opened, rest

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TABLE = "Recommenders before any re-ranking"


@pytest.fixture(scope="module")
def demo() -> eq.Bundle:
    return eq.load_bundle(Path(__file__).parents[2] / "data" / "demo")


def own(bundle: eq.Bundle, algorithm: str) -> tuple[eq.Run, eq.Evaluation]:
    policy = eq.Policy(lam=0.0)
    run = eq.rerank(bundle, algorithm, policy)
    return run, eq.evaluate(bundle, run, policy)


def test_a_reviewer_finds_the_worst_off_and_reads_why(
    server: str, visit: Opened, demo: eq.Bundle
) -> None:
    page = visit(f"{server}/audit")
    table = page.get_by_role("table", name=TABLE)
    expect(table.get_by_role("row")).to_have_count(len(demo.algorithms) + 1)

    # The figures are those of equity_core; the row that is clicked becomes the recommender of the
    # whole screen.
    run, measured = own(demo, "p3alpha")
    row = table.get_by_role("row").filter(has_text="P3Alpha")
    for value in (measured.ndcg, measured.consistency, measured.equality):
        expect(row).to_contain_text(f"{value:.3f}")
    row.get_by_role("button", name="P3Alpha").click()
    expect(row.get_by_role("button")).to_have_attribute("aria-pressed", "true")
    rest(page)
    assert "algo=p3alpha" in page.url.lower()

    # Why the worst-off are worst off: the gap, the principles behind it, the learners one by one.
    said = worst_off.worst_off_sentence(demo, run.courses, measured)
    expect(page.get_by_text(said.split(". ")[0])).to_be_visible()
    expect(page.get_by_text(said.split(". ")[1].rstrip("."))).to_be_visible()
    page.get_by_role("tab", name=next(iter(AUDIT_TABS))).click()
    expect(page.get_by_text("What makes up the gap")).to_be_visible()
    worst = worst_off.worst_off_learners(demo, measured)

    # The whole tenth as a file.
    page.locator(".st-key-corner_worst_off_learners").get_by_role("button").click()
    with page.expect_download() as download:
        page.locator(".st-key-csv_worst_off_learners").get_by_role("button").click()
    kept = pd.read_csv(StringIO(Path(download.value.path()).read_text()))
    assert kept["learner_id"].tolist() == worst["learner_id"].tolist()
    assert kept["furthest_behind"].tolist() == worst["furthest_behind"].tolist()
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-csv_worst_off_learners")).to_have_count(0)
    rest(page)

    # And on to the first of them.
    first = str(worst["learner_id"].iloc[0])
    page.get_by_role("button", name=f"See the list of {first}").click()
    expect(page.get_by_role("heading", name="What changes for a person?", level=1)).to_be_visible()
    rest(page)
    expect(page.locator(".st-key-learner input")).to_have_value(first)
    expect(page.get_by_text(f"Learner {first}").first).to_be_visible()


def test_a_recommender_is_chosen_by_keyboard(server: str, visit: Opened) -> None:
    page = visit(f"{server}/audit?algo=UserKNN")
    button = page.get_by_role("table", name=TABLE).get_by_role("button", name="ItemKNN-CB")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(button).to_be_focused()


def test_the_papers_values_on_demand(server: str, visit: Opened, demo: eq.Bundle) -> None:
    page = visit(f"{server}/audit")
    page.get_by_text("The paper's values").click()
    expect(page.get_by_role("table", name=TABLE)).to_contain_text("paper 0.885")
    frame = recommenders.table({name: own(demo, name)[1] for name in demo.algorithms})
    expect(page.get_by_text(recommenders.paper_sentence(frame)[:40])).to_be_visible()


def test_every_curve_and_every_arrangement_is_drawn(server: str, visit: Opened) -> None:
    page = visit(f"{server}/audit")
    for choice, title in (
        ("Lorenz", "Lorenz curve of consistency"),
        ("Zoomed in", "Lorenz curve, zoomed in"),
        ("By principle", "Where the gap comes from"),
    ):
        page.get_by_role("radio", name=choice).or_(
            page.get_by_role("button", name=choice, exact=True)
        ).first.click()
        expect(page.get_by_role("heading", name=title)).to_be_visible()
        rest(page)
