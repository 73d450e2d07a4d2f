"""In Chromium: links, one's own data, and that screens can be read by everybody."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened, rest
from tests.helpers import awkward

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_deep_link_on_a_fresh_server_lands_in_the_shell(fresh_server: str, visit: Opened) -> None:
    page = visit(
        f"{fresh_server}/tradeoff?by=lam&lam=0.9&algo=itemknn&strategy=pers&k=5&targets=quality%3D0.8"
    )
    expect(page.get_by_role("heading", name="Which λ, or which floor?")).to_be_visible()
    expect(page.get_by_role("link", name="Overview")).to_be_visible()
    expect(page.get_by_role("combobox", name="Recommender", exact=True)).to_have_value("ItemKNN")
    expect(page.locator(".st-key-lam")).to_contain_text("0.9")
    expect(page.get_by_text("NDCG@5").first).to_be_visible()
    expect(page.get_by_text("Targets: quality 0.8")).to_be_visible()
    for part in ("lam=0.9", "strategy=Learner", "k=5", "by="):
        assert part in page.url, (part, page.url)
    # The link as it now stands brings the same scenario in another browser.
    again = visit(page.url, fresh=True)
    expect(again.locator(".st-key-lam")).to_contain_text("0.9")
    expect(again.get_by_role("combobox", name="Recommender", exact=True)).to_have_value("ItemKNN")
    expect(again.get_by_role("combobox", name="Strategy", exact=True)).to_have_value(
        "Learner's gaps (pers)"
    )


def test_the_policy_goes_along_from_page_to_page(server: str, visit: Opened) -> None:
    page = visit(f"{server}/?tau=0.7")
    page.get_by_role("link", name="Trade-off").first.click()
    rest(page)
    expect(page.locator(".st-key-tau")).to_contain_text("0.7")
    assert "tau=0.7" in page.url


def test_buttons_lead_to_other_screens_with_a_policy_in_the_link(
    server: str, visit: Opened
) -> None:
    page = visit(f"{server}/audit?tau=0.7&algo=userknn")
    page.locator(".st-key-see_list button").click()
    expect(page.get_by_role("heading", name="What changes for a person?", level=1)).to_be_visible()
    rest(page)
    learner = page.locator(".st-key-learner input").input_value()
    assert learner
    assert f"learner={learner}" in page.url
    assert "tau=0.7" in page.url
    expect(page.locator(".st-key-tau")).to_contain_text("0.7")
    # Back, and forward by the row; a reload finds the same.
    page.go_back()
    expect(page.get_by_role("heading", name="How unequal is it today?", level=1)).to_be_visible()
    rest(page)
    page.get_by_role("link", name="Methods", exact=True).click()
    expect(page.get_by_role("heading", name="What do these numbers mean?", level=1)).to_be_visible()
    rest(page)
    page.reload()
    expect(page.get_by_role("heading", name="What do these numbers mean?", level=1)).to_be_visible()
    rest(page)
    expect(page.locator(".st-key-tau")).to_contain_text("0.7")


def test_what_belongs_to_a_screen_is_there_on_the_way_back(server: str, visit: Opened) -> None:
    page = visit(f"{server}/tradeoff?tau=0.7&loss=7")
    for name in ("Overview", "Audit"):
        page.get_by_role("link", name=name, exact=True).click()
        rest(page)
        assert "tau=0.7" in page.url
        assert "loss" not in page.url
    page.go_back()
    rest(page)
    page.get_by_role("link", name="Choose on Trade-off").click()
    expect(page.get_by_role("heading", name="Which λ, or which floor?")).to_be_visible()
    rest(page)
    expect(page.locator(".st-key-loss input")).to_have_value("7")
    expect(page.locator(".st-key-tau")).to_contain_text("0.7")


def test_a_link_opens_in_another_tab_with_the_policy(server: str, visit: Opened) -> None:
    page = visit(f"{server}/?tau=0.7")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Audit", exact=True).click(modifiers=["Control"])
    other = opened.value
    expect(other.get_by_role("heading", name="How unequal is it today?", level=1)).to_be_visible(
        timeout=30_000
    )
    expect(other.locator(".st-key-tau")).to_contain_text("0.7")
    expect(
        page.get_by_role("heading", name="Is it worth changing, and to what?", level=1)
    ).to_be_visible()
    other.close()


def test_bad_values_in_a_link_are_said(server: str, visit: Opened) -> None:
    page = visit(f"{server}/?k=5000&algo=oracle")
    expect(page.get_by_text("recommender “oracle”")).to_be_visible()
    page.get_by_role("button", name="OK").click()
    rest(page)
    expect(page.get_by_text("recommender “oracle”")).to_have_count(0)


def load(page: Page, file: Path) -> None:
    page.locator(".st-key-load button").first.click()
    page.get_by_role("tab", name="A bundle (zip)").click()
    page.locator(".st-key-load_zip input[type=file]").set_input_files(file)


def test_load_ones_own_bundle(server: str, visit: Opened, tmp_path: Path) -> None:
    awkward.markup().save(tmp_path / "mine.zip")
    page = visit(f"{server}/")
    load(page, tmp_path / "mine.zip")
    expect(page.get_by_text("6 learners · 12 courses")).to_be_visible()
    rest(page)
    page.get_by_role("link", name="Trade-off").first.click()
    rest(page)
    expect(page.get_by_role("heading", name="Which λ, or which floor?")).to_be_visible()
    # Another visitor does not see it.
    other = visit(f"{server}/", fresh=True)
    expect(other.get_by_text("· 2,000 learners ·")).to_be_visible()


def test_a_bad_zip_is_explained_and_the_former_data_set_stays(
    server: str, visit: Opened, tmp_path: Path
) -> None:
    awkward.three_learners().save(tmp_path / "good")
    bad = tmp_path / "bad.zip"
    with zipfile.ZipFile(bad, "w") as archive:
        for path in sorted((tmp_path / "good").rglob("*")):
            if path.is_file() and path.name != "interactions.parquet":
                archive.write(path, path.relative_to(tmp_path / "good"))
    page = visit(f"{server}/")
    load(page, bad)
    expect(page.get_by_text("cannot be used; the data set on screen stays")).to_be_visible()
    expect(page.get_by_text("interactions").last).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("· 2,000 learners ·")).to_be_visible()


def test_load_ones_own_tables(server: str, visit: Opened, tmp_path: Path) -> None:
    bundle = awkward.three_learners()
    courses = bundle.courses.assign(course_id=bundle.course_ids, assets="video|article")
    courses.to_csv(tmp_path / "kurse.csv", index=False)
    log = bundle.interactions
    log = log.assign(
        learner_id=bundle.learner_ids[log["learner"]], course_id=bundle.course_ids[log["course"]]
    ).drop(columns=["learner", "course"])
    log.to_csv(tmp_path / "log.csv", index=False)
    page = visit(f"{server}/")
    page.locator(".st-key-load button").first.click()
    page.get_by_role("tab", name="Your own tables").click()
    page.locator(".st-key-load_courses input[type=file]").set_input_files(tmp_path / "kurse.csv")
    expect(page.get_by_text("Courses: 12 rows")).to_be_visible()
    page.locator(".st-key-load_interactions input[type=file]").set_input_files(tmp_path / "log.csv")
    expect(page.get_by_text("Interactions:").last).to_be_visible()
    page.get_by_role("button", name="Use these tables").click()
    expect(page.get_by_text("3 learners · 12 courses")).to_be_visible()
    rest(page)


def test_targets_are_applied_and_changes_not_applied_are_said(server: str, visit: Opened) -> None:
    page = visit(f"{server}/")
    page.locator(".st-key-aims button").first.click()
    field = page.get_by_label("Target of quality")
    field.fill("0.8")
    field.press("Enter")
    expect(page.get_by_text("changes not applied")).to_be_visible()
    assert "targets" not in page.url
    page.get_by_role("button", name="Apply").click()
    rest(page)
    assert "targets=quality%3D0.8" in page.url
    expect(page.get_by_text("changes not applied")).to_have_count(0)
    expect(field).to_have_value("0.80")
    expect(page.get_by_text("Targets: quality 0.8")).to_be_visible()


def test_reset_leaves_nothing_behind_and_a_link_keeps_the_principles(
    server: str, visit: Opened
) -> None:
    page = visit(f"{server}/")
    answer = page.locator(".stMainBlockContainer [data-testid=stMarkdownContainer]").nth(1)
    before = answer.inner_text()
    page.locator(".st-key-aims button").first.click()
    field = page.get_by_label("Target of quality")
    field.fill("0.3")
    field.press("Enter")
    page.get_by_role("button", name="Apply").click()
    rest(page)
    principles = page.locator(".st-key-shown_principles input")
    principles.focus()
    page.keyboard.press("Backspace")  # the last one goes: affordability
    rest(page)
    assert "principles=manageability" in page.url
    assert "affordability" not in page.url
    page.keyboard.press("Escape")
    changed = answer.inner_text()
    assert changed != before
    # The link as it now stands brings the same in another browser.
    again = visit(page.url, fresh=True)
    expect(again.get_by_text("Targets: quality 0.3")).to_be_visible()
    assert (
        again.locator(".stMainBlockContainer [data-testid=stMarkdownContainer]")
        .nth(1)
        .inner_text()
        .startswith(changed.split(".")[0])
    )
    page.locator(".st-key-reset_all button").click()
    rest(page)
    assert "?" not in page.url
    assert answer.inner_text() == before
    # What the browser still sends of the closed panel changes nothing.
    page.locator(".st-key-save button").click()
    rest(page)
    page.keyboard.press("Escape")
    rest(page)
    assert "?" not in page.url
    assert answer.inner_text() == before
