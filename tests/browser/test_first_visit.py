"""The guided first visit in Chromium: shown to a fresh browser, gone for good once it is sent away,
reachable again."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from pages.parts.first_visit import COOKIE, STEPS
from tests.browser.conftest import Opened, rest

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PANEL = ".st-key-first_visit"


def test_dismissed_and_reloaded_it_stays_away(server: str, visit: Opened) -> None:
    page = visit(f"{server}/")
    panel = page.locator(PANEL)
    expect(panel).to_contain_text(STEPS[0][0])
    panel.get_by_role("radio", name="3").click()
    expect(panel).to_contain_text(STEPS[2][0])
    page.get_by_role("button", name="Don't show again").click()
    expect(panel).to_have_count(0)
    rest(page)
    page.wait_for_function(f"document.cookie.includes('{COOKIE}=seen')")

    page.reload()
    rest(page)
    expect(page.get_by_role("button", name="Tour")).to_be_visible()
    expect(panel).to_have_count(0)

    # Asked for, it comes back, and leads on.
    page.get_by_role("button", name="Tour").click()
    expect(panel).to_contain_text(STEPS[0][0])
    panel.get_by_role("radio", name="4").click()
    panel.get_by_role("link", name=STEPS[3][3]).click()
    expect(page.get_by_role("heading", name="What changes for a person?")).to_be_visible()
    rest(page)

    # Another browser has not seen it.
    expect(visit(f"{server}/", fresh=True).locator(PANEL)).to_contain_text(STEPS[0][0])
