"""The installed package in Chromium: all seven screens, without the repository."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from app import SCREENS
from tests.browser.conftest import Opened, free_port, started
from tests.helpers.installed import Installed, built, install

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    return install(built("wheel", folder / "wheel"), folder)


@pytest.fixture(scope="module")
def dashboard(installed: Installed) -> Iterator[str]:
    """The server as ``learning-equity`` starts it on a small bundle of one's own. Ctrl+C ends it
    without a complaint."""
    words = ["--learners", "40", "--courses", "125", "--algorithms", "toppopular"]
    installed.run("learning-equity", "synth", *words, "--candidates", "30", "--out", "small")
    port = free_port()
    command = [installed.program, "dashboard", "small", "--port", str(port)]
    with started(command, port, installed.folder, installed.variables) as (url, process):
        yield url
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


def test_the_bundle_on_the_command_line_is_shown_first(dashboard: str, visit: Opened) -> None:
    page = visit(dashboard)
    expect(page.locator(".eq-status")).to_contain_text("40 learners")
    page.get_by_role("combobox", name="Data set", exact=True).click()
    expect(page.get_by_role("option")).to_have_count(2)


@pytest.mark.parametrize(("screen", "title", "question"), SCREENS)
def test_every_screen_is_drawn_on_the_demo(
    dashboard: str, visit: Opened, screen: str, title: str, question: str
) -> None:
    page = visit(f"{dashboard}/{'' if screen == 'overview' else screen}?data=demo")
    expect(page.get_by_role("heading", name=question, level=1)).to_be_visible()
    expect(page.get_by_role("link", name=title, exact=True)).to_be_visible()
    expect(page.locator(".eq-status")).to_contain_text("Demo, synthetic data · 2,000 learners")
    # The settings of .streamlit/config.toml hold.
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "14px"
    if screen == "methods":
        expect(
            page.get_by_role("radio").or_(page.locator(".st-key-methods h2")).first
        ).to_be_visible()
