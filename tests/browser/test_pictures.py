"""The pictures of the documents, taken on the demo: written with EQUITY_PICTURES=1, otherwise only
tried whether they can be taken."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened, rest

pytestmark = pytest.mark.browser

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
WIDTH, HEIGHT = 1440, 900
POLICY = "data=demo&algo=userknn&by=floor&tau=0.65"
SCREENS = ("overview", "audit", "tradeoff", "learners", "decisions")


def still(page: Page) -> bytes:
    """A picture of the window once nothing in it moves any more."""
    before = b""
    for _ in range(20):
        rest(page)
        now = page.screenshot(animations="disabled", caret="hide")
        if now == before:
            return now
        before = now
        page.wait_for_timeout(300)
    pytest.fail("the screen does not come to rest")


@pytest.mark.parametrize("screen", SCREENS)
def test_picture(screen: str, server: str, visit: Opened) -> None:
    page = visit(
        f"{server}/{'' if screen == 'overview' else screen}?{POLICY}", width=WIDTH, height=HEIGHT
    )
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=120_000)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=120_000)
    expect(page.get_by_test_id("stSpinner")).to_have_count(0, timeout=120_000)
    picture = Image.open(io.BytesIO(still(page))).convert("RGB")
    assert picture.size == (WIDTH, HEIGHT)
    main = picture.crop((320, 60, WIDTH, HEIGHT))
    colours = main.getcolors(main.width * main.height)
    assert colours is not None
    background = max(count for count, _ in colours) / (main.width * main.height)
    assert len(colours) > 50, "nothing is drawn"
    assert background < 0.97, "hardly anything is drawn"
    if os.environ.get("EQUITY_PICTURES") == "1":
        FOLDER.mkdir(parents=True, exist_ok=True)
        # 256 colours are plenty for a screen, and a third of the size.
        picture.quantize(256, dither=Image.Dither.NONE).save(
            FOLDER / f"{screen}.png", optimize=True
        )


def test_the_documents_show_these_pictures_and_no_others() -> None:
    assert {path.name for path in FOLDER.glob("*")} == {f"{screen}.png" for screen in SCREENS}
