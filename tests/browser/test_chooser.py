"""In Chromium, because only a browser knows how wide words are: nothing written in the main picture
lies on anything else."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened, rest

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WORDS = """() => [...document.querySelectorAll('.st-key-chart_front g.mark-text.role-mark text')]
    .filter(text => text.textContent && !text.getAttribute('stroke'))
    .filter(text => text.getAttribute('opacity') !== '0')
    .map(text => [text.textContent, text.getBoundingClientRect()])
    .map(([words, box]) => [words, box.left, box.top, box.right, box.bottom])"""


def on_each_other(page: Page) -> list[tuple[str, str]]:
    """Pairs of words that share more than a pixel."""
    expect(page.locator(".st-key-chart_front")).to_contain_text(
        "own lists"
    )  # drawn, after the library that draws it was fetched
    found = page.evaluate(WORDS)
    assert {"own lists"} < {text for text, *_ in found}
    return [
        (a, b)
        for at, (a, left, top, right, bottom) in enumerate(found)
        for b, left_b, top_b, right_b, bottom_b in found[:at]
        if min(right, right_b) - max(left, left_b) > 1
        and min(bottom, bottom_b) - max(top, top_b) > 1
    ]


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (900, "light"), (390, "dark")])
def test_words_of_the_main_picture_keep_apart(
    server: str, visit: Opened, width: int, scheme: str
) -> None:
    page = visit(f"{server}/tradeoff?loss=10", width=width, scheme=scheme)
    assert on_each_other(page) == []
    for limit in ("1", "25", "2"):  # each has another answer, so that there is one to use
        page.get_by_label("Maximum loss of NDCG").fill(limit)
        page.get_by_label("Maximum loss of NDCG").press("Enter")
        rest(page)
        assert on_each_other(page) == [], limit
        page.locator(".st-key-use_safe button").click()
        rest(page)
        assert on_each_other(page) == [], f"{limit}, in use"
