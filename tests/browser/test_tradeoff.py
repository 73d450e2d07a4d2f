"""In Chromium, what a designer does: choose a policy under a loss limit, and download it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import equity_core as eq
from tests.browser.conftest import ROOT, Opened, rest

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_choose_under_a_loss_limit_and_take_the_policy_away(server: str, visit: Opened) -> None:
    page = visit(f"{server}/")
    page.get_by_role("link", name="Choose on Trade-off").click()
    rest(page)
    limit = page.get_by_label("Maximum loss of NDCG")
    limit.fill("5")
    limit.press("Enter")
    rest(page)
    page.locator(".st-key-use_safe button").click()
    rest(page)
    expect(page.locator(".st-key-use_safe button")).to_contain_text("In use")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download policy (JSON)").click()
    policy = eq.Policy.from_json(waiting.value.path().read_text(encoding="utf-8"))
    assert policy.floor is not None
    bundle = eq.load_bundle(ROOT / "data" / "demo")
    own, now = (
        eq.evaluate(bundle, eq.rerank(bundle, "userknn", p), p, split="valid")
        for p in (policy.but(lam=0.0, floor=None), policy)
    )
    assert now.ndcg >= own.ndcg * 0.95
    shown = eq.evaluate(bundle, eq.rerank(bundle, "userknn", policy), policy)
    expect(page.get_by_text(f"{shown.equality:.3f}").first).to_be_visible()


def test_a_click_on_a_point_sets_the_slider(server: str, visit: Opened) -> None:
    page = visit(f"{server}/tradeoff?tau=0.6")
    chart = page.locator(".st-key-chart_front")
    # The hit areas are the last marks; the twentieth of them is a point of the λ path.
    points = chart.locator("g.mark-symbol").last.locator("path")
    expect(points.nth(30)).to_be_attached()
    points.nth(15).click(force=True)
    rest(page)
    expect(page.locator(".st-key-lam")).to_be_visible()
    assert "by=One" in page.url


def test_the_slider_moves_everything(server: str, visit: Opened) -> None:
    page = visit(f"{server}/tradeoff?by=lam&lam=0.9")
    before = page.locator(".eq-value").all_inner_texts()
    page.locator(".st-key-lam input, .st-key-lam [role=slider]").first.focus()
    page.keyboard.press("PageUp")
    rest(page)
    assert page.locator(".eq-value").all_inner_texts() != before
    assert (
        "lam=0.9" not in page.url.replace("lam=0.90", "").replace("lam=0.91", "")
        or "lam=0.9&" not in page.url
    )
    expect(page.locator(".st-key-chart_front")).to_contain_text("chosen")


def test_after_a_move_nothing_is_left_behind(server: str, visit: Opened) -> None:
    """Only parts of the screen are drawn at a move; what stays must still speak of the policy of
    the moment."""
    page = visit(f"{server}/tradeoff?by=lam&lam=0.8")
    page.locator(".st-key-lam input, .st-key-lam [role=slider]").first.focus()
    page.keyboard.press("ArrowRight")
    rest(page)
    bundle, policy = eq.load_bundle(ROOT / "data" / "demo"), eq.Policy(lam=0.801)
    own, now = (
        eq.evaluate(bundle, eq.rerank(bundle, "userknn", p), p)
        for p in (policy.but(lam=0.0, floor=None), policy)
    )
    answer = page.locator("[data-testid=stMarkdownContainer]", has_text="λ = 0.801").first
    expect(answer).to_contain_text(
        f"mean consistency rises by {now.consistency - own.consistency:.3f}"
    )
    assert page.locator(".eq-value").all_inner_texts() == [
        f"{now.ndcg:.4f}",
        f"{now.consistency:.3f}",
        f"{now.equality:.3f}",
    ]
    expect(page.locator(".st-key-chart_front")).to_contain_text("λ = 0.801")
    expect(page.get_by_text("UserKNN at λ = 0.801")).to_be_visible()
    expect(page.locator("[data-testid=stSidebar]")).to_contain_text(f"equality {now.equality:.3f}")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download policy (JSON)").click()
    assert eq.Policy.from_json(waiting.value.path().read_text(encoding="utf-8")).lam == 0.801
    assert "lam=0.801" in page.url
    page.get_by_role("button", name="Pin", exact=True).click()
    rest(page)
    expect(page.locator("[data-testid=stSidebar]")).to_contain_text("UserKNN: λ = 0.801")
    page.get_by_role("link", name="Learners", exact=True).click()
    rest(page)
    expect(page.locator("[data-testid=stMain]")).to_contain_text("λ = 0.801")


def test_tables_open_with_their_csv(server: str, visit: Opened) -> None:
    page = visit(f"{server}/tradeoff")
    page.locator(".st-key-corner_front button").first.click()
    rest(page)
    with page.expect_download() as waiting:
        page.locator(".st-key-csv_front button").click()
    text = waiting.value.path().read_text(encoding="utf-8")
    assert text.splitlines()[0].startswith(",kind,value,ndcg")
    assert len(text.splitlines()) > 30
