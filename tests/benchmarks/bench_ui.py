"""How long the dashboard keeps one waiting: `make bench-ui` measures it in Chromium against a live
server and prints a table.

    python -m tests.benchmarks.bench_ui                  # the demo
    python -m tests.benchmarks.bench_ui --paper   # and a synthetic bundle of the paper's size
    python -m tests.benchmarks.bench_ui --bundle FOLDER  # the same with a bundle made before

A move is timed in the browser: from the key that moves the slider to the last change of the page
that follows from it. Machines differ, and one machine differs from hour to hour: so the same is
timed with a smallest app, before and after, and both stand in the table.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import chromium_path, serve

MOVES = 30
IDLE = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
# Every change of what the page shows is noted with its time: marks, texts, pictures; not the
# running icon in the header.
WATCH = """() => {
  window.__bench = {last: 0};
  const areas = ['stMain', 'stSidebar'].map(
    (name) => document.querySelector(`[data-testid=${name}]`));
  const marks = ['d', 'transform', 'src', 'x', 'y', 'width'];
  const shown = {subtree: true, childList: true, characterData: true, attributes: true,
    attributeFilter: marks};
  const seen = () => { window.__bench.last = performance.now(); };
  for (const area of areas) new MutationObserver(seen).observe(area, shown);
  const pressed = () => { window.__bench.start = performance.now(); window.__bench.last = 0; };
  window.addEventListener('keydown', pressed, true);
}"""


@contextmanager
def server(app: str = "app.py", **environment: str) -> Iterator[str]:
    yield from serve(app, **environment)


def rest(page: Page) -> None:
    for _ in range(3):
        page.wait_for_function(IDLE)
        page.wait_for_timeout(400)


def first_view(page: Page, url: str, ready: str) -> float:
    """Seconds from opening to a page at rest with its main picture."""
    start = time.perf_counter()
    page.goto(url)
    page.locator(ready).first.wait_for()
    page.wait_for_function(IDLE)
    return time.perf_counter() - start


def moves(page: Page, slider: str, count: int, pause: int) -> list[float]:
    """Milliseconds from each key press on the slider to the last change on the page. Each goes on
    to a value that nobody asked for yet: one that was there before is not computed again."""
    page.evaluate(WATCH)
    page.locator(f".st-key-{slider} input, .st-key-{slider} [role=slider]").first.focus()
    out = []
    for _ in range(count):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(pause)
        page.wait_for_function(IDLE)
        page.wait_for_timeout(150)
        out.append(float(page.evaluate("() => window.__bench.last - window.__bench.start")))
    return out


def paper_size(folder: Path) -> Path:
    """A synthetic bundle of the paper's size: 43,021 learners, 200 candidates."""
    import equity_core as eq
    from equity_core.synth import synthesise

    world = synthesise(43_021, 24_321, 0)
    relevance = eq.precompute(
        world.courses, world.interactions, ["toppopular", "userknn"], candidates=200
    )
    told = {
        "now": world.now,
        "opened": world.opened,
        "name": "Paper's size (synthetic)",
        "synthetic": True,
    }
    eq.Bundle.from_frames(
        world.courses, world.interactions, relevance, learners=world.learners, **told
    ).save(folder)
    return folder


def smallest(count: int) -> list[float]:
    """Moves of the smallest app with a slider, a number and a picture: what Streamlit and this
    machine need for anything at all."""
    with server("tests/benchmarks/smallest_app.py") as url, sync_playwright() as player:
        browser = player.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        first_view(page, url, "[data-testid=stVegaLiteChart] :is(canvas, svg)")
        rest(page)
        times = moves(page, "lam", count, 400)
        browser.close()
    return times


def high(times: list[float]) -> float:
    """The 95th percentile."""
    return sorted(times)[min(len(times) - 1, round(0.95 * len(times)))]


def measure(
    url: str, name: str, query: str = "", count: int = MOVES, pause: int = 600
) -> list[tuple[str, str, str, str]]:
    """Rows of the table: what, median, 95th percentile, goal."""
    rows = []
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])

        def fresh() -> Page:
            page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
            page.set_default_timeout(300_000)
            return page

        cold = first_view(fresh(), f"{url}/?{query}", ".eq-value")
        warm = [first_view(fresh(), f"{url}/?{query}", ".eq-value") for _ in range(3)]
        rows.append((f"{name}: Overview, first visitor of the server", f"{cold:.2f} s", "", ""))
        rows.append(
            (
                f"{name}: Overview, warm server",
                f"{statistics.median(warm):.2f} s",
                f"{max(warm):.2f} s",
                "≤ 4 s",
            )
        )
        for label, slider, words in (
            ("λ", "lam", f"by=lam&lam=0.8&{query}"),
            ("floor", "tau", f"by=floor&tau=0.6&{query}"),
        ):
            page = fresh()
            opened = first_view(page, f"{url}/tradeoff?{words}", ".st-key-chart_front")
            rest(page)
            times = moves(page, slider, count, pause)
            rows.append((f"{name}: Trade-off opened ({label})", f"{opened:.2f} s", "", ""))
            rows.append(
                (
                    f"{name}: {label} moved → all new, n = {count}",
                    f"{statistics.median(times):.0f} ms",
                    f"{high(times):.0f} ms",
                    "≤ 2 s" if query else "≤ 150 / 400 ms",
                )
            )
        browser.close()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--paper", action="store_true", help="also a synthetic bundle of the paper's size"
    )
    parser.add_argument("--moves", type=int, default=MOVES)
    parser.add_argument(
        "--bundle",
        type=Path,
        help="a bundle of the paper's size, made if the folder is not there; implies --paper",
    )
    given = parser.parse_args()
    alone = smallest(given.moves)
    with server() as url:
        rows = measure(url, "demo", count=given.moves)
    alone += smallest(given.moves)
    rows.insert(
        0,
        (
            "smallest app: moved → all new, before and after",
            f"{statistics.median(alone):.0f} ms",
            f"{high(alone):.0f} ms",
            "",
        ),
    )
    if given.paper or given.bundle:
        with tempfile.TemporaryDirectory() as folder:
            path = given.bundle or Path(folder) / "paper"
            if not path.exists():
                paper_size(path)
            with server(EQUITY_DATA=str(path)) as url:
                rows += measure(url, "paper's size", f"data={path.name}", count=7, pause=4000)
    width = max(len(row[0]) for row in rows)
    print(f"{'what':<{width}}  {'median':>10}  {'95 %':>10}  goal")
    for what, median, upper, goal in rows:
        print(f"{what:<{width}}  {median:>10}  {upper:>10}  {goal}")


if __name__ == "__main__":
    main()
