"""A newcomer with three CSV files of a German platform: from the start page to a chosen λ, an
exported policy, and lists made with it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

import equity_core as eq
from equity_core import importers
from tests.browser.conftest import ROOT, Opened, rest
from tests.helpers import platform

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TABLES = ("courses", "interactions", "scores")


def loaded(page: Page, files: tuple[Path, ...]) -> None:
    """Put the files into the dialog, one after the other."""
    page.locator(".st-key-load button").first.click()
    page.get_by_role("tab", name="Your own tables").click()
    for table, file in zip(TABLES, files, strict=False):
        page.locator(f".st-key-load_{table} input[type=file]").set_input_files(file)
        expect(
            page.get_by_text(
                re.compile(f"^{table.capitalize()}: [0-9,]+ rows, [0-9]+ columns recognised$")
            )
        ).to_be_visible()
    rest(page)


def test_from_three_files_to_a_policy_and_its_lists(
    server: str, visit: Opened, tmp_path: Path
) -> None:
    files = platform.write(tmp_path)
    page = visit(f"{server}/")

    # Every column is recognised; a look at what was guessed.
    loaded(page, files)
    expect(page.get_by_text("Courses: 120 rows, 9 columns recognised")).to_be_visible()
    expect(page.get_by_text("Interactions: 2,963 rows, 4 columns recognised")).to_be_visible()
    expect(page.get_by_text("Scores: 15,000 rows, 3 columns recognised")).to_be_visible()
    name = page.get_by_label("Name of the recommender that these scores are from")
    expect(name).to_have_value("Empfehlungen Marz")
    name.fill("Hausmodell")
    name.press("Enter")
    rest(page)
    page.get_by_role("button", name="Use these tables").click()
    expect(page.get_by_text("Your tables, real data")).to_be_visible()
    rest(page)

    # The same tables, imported here: what the screens show is measured on them.
    made = importers.import_tables(files[0], files[1])
    scores = importers.read_table(files[2])
    bundle = made.bundle(
        {"Hausmodell": importers.apply_map(scores, importers.guess_columns(scores, "scores").map())}
    )
    learners = len(bundle.learner_ids)
    expect(page.get_by_text(f"{learners} learners · 120 courses")).to_be_visible()
    assert 250 < learners < platform.LEARNERS
    assert "valid" in bundle.splits

    # A floor for a loss of ten per cent, chosen with one click; then away with the policy.
    page.get_by_role("link", name="Choose on Trade-off").click()
    expect(page.get_by_role("heading", name="Which λ, or which floor?")).to_be_visible()
    rest(page)
    expect(
        page.get_by_text("(no clear difference from the own lists)")
    ).to_be_visible()  # of the best λ here
    page.locator(".st-key-use_safe button").click()
    rest(page)
    expect(page.locator(".st-key-tau")).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download policy").click()
    policy = eq.Policy.from_json(waiting.value.path().read_text(encoding="utf-8"))
    assert policy.floor is not None
    own, now = (
        eq.evaluate(bundle, eq.rerank(bundle, "Hausmodell", p), p, split="valid")
        for p in (policy.but(lam=0.0, floor=None), policy)
    )
    assert now.ndcg >= 0.9 * own.ndcg
    shown = eq.evaluate(bundle, eq.rerank(bundle, "Hausmodell", policy), policy)
    expect(page.locator(".stMain").get_by_text(f"{shown.equality:.3f}").first).to_be_visible()

    # How it was read is on the Data screen.
    page.get_by_role("link", name="Data", exact=True).first.click()
    rest(page)
    expect(page.get_by_text("read as the decimal separator").first).to_be_visible()

    # The nightly job, as the README has it.
    (tmp_path / "policy.json").write_text(policy.to_json(), encoding="utf-8")
    for command in (
        ["import", "tables", *map(str, files[:2]), "--out", "mine"],
        ["import", "relevance", str(files[2]), "mine", "--name", "Hausmodell"],
        ["rerank", "mine", "Hausmodell", "--policy", "policy.json", "--out", "lists.csv"],
    ):
        subprocess.run(
            [sys.executable, "-m", "equity_core", *command],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
        )
    lists = pd.read_csv(tmp_path / "lists.csv", dtype=str)
    assert lists["learner_id"].nunique() == learners
    assert set(lists["course_id"]) <= set(bundle.course_ids)


def test_what_is_wrong_in_any_of_the_three_is_said_at_once(
    server: str, visit: Opened, tmp_path: Path
) -> None:
    files = platform.write(tmp_path)
    prices = files[0].read_text("cp1252").replace("kostenlos", "auf Anfrage")
    files[0].write_text(prices, encoding="cp1252")
    files[2].write_text(files[2].read_text("cp1252").replace("1,6738", "viel"), encoding="cp1252")
    page = visit(f"{server}/")
    loaded(page, files)
    page.get_by_role("button", name="Use these tables").click()
    expect(page.get_by_text("the data set on screen stays")).to_be_visible()
    told = page.locator("[data-testid=stDialog] [data-testid=stCode]")
    expect(told).to_contain_text("auf anfrage", ignore_case=True)
    expect(told).to_contain_text("Preis (brutto)")
    expect(told).to_contain_text("Punktwert")
