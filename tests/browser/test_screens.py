"""Every screen in Chromium, part by part, can be read by everybody: axe in light and dark, and no
sideways scroll on a phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from pages.parts.methods import sections
from tests.browser.conftest import AUDIT_TABS, Opened, rest

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SCREENS = ["", "data", "audit", "tradeoff", "learners", "decisions", "methods"]
POLICY = "data=demo&algo=userknn&by=floor&tau=0.66"
PANEL = "[role=tabpanel]:not([hidden])"
MAIN = "[data-testid=stMain]"
CHARTS = f"{PANEL} [data-testid=stVegaLiteChart] :is(canvas, svg)"
SIDEWAYS = (
    f"Math.max(document.documentElement.scrollWidth, document.querySelector('{MAIN}').scrollWidth)"
)


def parts(page: Page, screen: str) -> Iterator[tuple[str, str | None]]:
    """Open one part of a screen after the other: its name, and what is new to be looked at (None:
    the whole page)."""
    yield screen, None
    if screen == "audit":
        for tab, charts in AUDIT_TABS.items():
            page.get_by_role("tab", name=tab).click()
            expect(page.locator(CHARTS)).to_have_count(charts)
            rest(page)
            yield tab, PANEL
    if screen == "methods":
        for title in (title for title in sections() if title):
            page.get_by_role("radio", name=title).or_(
                page.get_by_role("button", name=title, exact=True)
            ).first.click()
            expect(page.get_by_role("heading", name=title, level=2)).to_be_visible()
            rest(page)
            yield title, MAIN


def lit(page: Page, scheme: str) -> None:
    """Switch the page that is open to light or dark, as a reader or the evening does."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", scheme)
    rest(page)


def upright(page: Page) -> list[str]:
    """Titles that are not read across: one without a table's button beside it once stood in a
    column of single letters."""
    measured = (
        "all => all.filter(h => h.checkVisibility()).map(h => [h.textContent, h.clientWidth,"
        " h.clientHeight])"
    )
    sizes = page.locator(f"{MAIN} h2").evaluate_all(measured)
    return [words for words, across, down in sizes if across < 100 or down > 90]


def faults(page: Page, where: str, area: str | None = None) -> list[tuple[str, str, str]]:
    rules = Axe().run(page, context=area).response["violations"]
    return [(where, rule["id"], rule["nodes"][0]["html"][:160]) for rule in rules]


@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing(server: str, visit: Opened, screen: str) -> None:
    page = visit(f"{server}/{screen}?{POLICY}")
    found = []
    for where, area in parts(page, screen):
        found += faults(page, f"{where}, light", area)
        assert upright(page) == [], where
    lit(page, "dark")
    found += [
        fault
        for where, area in parts(page, screen)
        for fault in faults(page, f"{where}, dark", area)
    ]
    if screen == "":  # the guided first visit was open until now
        page.get_by_role("button", name="Don't show again").click()
        expect(page.locator(".st-key-first_visit")).to_have_count(0)
        rest(page)
        found += faults(page, "without the guide, dark", MAIN)
        lit(page, "light")
        found += faults(page, "without the guide, light", MAIN)
    assert found == []


@pytest.mark.parametrize("screen", SCREENS)
def test_a_phone_shows_it_without_sideways_scroll(server: str, visit: Opened, screen: str) -> None:
    page = visit(f"{server}/{screen}?{POLICY}", width=390, height=844, scheme="dark")
    for where, _ in parts(page, screen):
        assert page.evaluate(SIDEWAYS) <= 390, where
        assert upright(page) == [], where
