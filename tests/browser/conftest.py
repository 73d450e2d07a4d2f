"""A live server on a free port, and a page that fails on any exception, console error, failed or
foreign request."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Page,
    Playwright,
    expect,
    sync_playwright,
)

ROOT = Path(__file__).parents[2]
PATIENCE = 90_000
expect.set_options(
    timeout=PATIENCE
)  # a laden machine is slow; what is wrong is wrong after a minute, too
# A deep link makes Streamlit's front end probe two base paths before it finds the right one.
KNOWN_404 = ("/_stcore/health", "/_stcore/host-config")
# The tabs of Audit, and how many charts each has.
AUDIT_TABS = {
    "Who is worst off, and why": 1,
    "Recommenders compared": 2,
    "Which principles matter": 2,
    "Past and lists": 3,
    "Groups of learners": 2,
    "Eight observations": 0,
}


SYSTEM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The names that scripts/chromium.sh looks for, too."""


def chromium_path() -> str | None:
    """The Chromium that CHROMIUM names, else a system one; None: Playwright's own, which it finds
    by itself."""
    found = os.environ.get("CHROMIUM") or next(
        (path for name in SYSTEM if (path := shutil.which(name))), None
    )
    return found or None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def started(
    command: list[str], port: int, folder: Path, environment: dict[str, str]
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A server that answers: its address and its process. Stopped at the end."""
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{url}/_stcore/health", timeout=1)
                break
            except OSError:
                time.sleep(0.1)
        else:
            raise RuntimeError("the server did not come up")
        yield url, process
    finally:
        process.terminate()
        process.wait(10)


def serve(app: str = "app.py", **environment: str) -> Iterator[str]:
    """A server that nobody has opened yet; stopped at the end."""
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        app,
        f"--server.port={port}",
        "--server.address=127.0.0.1",
        "--server.fileWatcherType=none",
    ]
    with started(command, port, ROOT, {**os.environ, **environment}) as (url, _):
        yield url


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    yield from serve()


@pytest.fixture
def fresh_server() -> Iterator[str]:
    """For what happens to the first visitor only."""
    yield from serve()


def launched(player: Playwright) -> Browser:
    """A running Chromium, without a window."""
    path = chromium_path()
    try:
        return player.chromium.launch(executable_path=path, args=["--no-sandbox"])
    except Error as error:
        raise RuntimeError(
            f"{path or 'Playwright’s own Chromium'} does not start: run scripts/chromium.sh"
        ) from error


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as player:
        browser = launched(player)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def shared(chromium: Browser) -> Iterator[BrowserContext]:
    """One browser for all visits but the fresh ones: it fetches and compiles Streamlit's code once,
    which is a fifth of a visit."""
    context = chromium.new_context(accept_downloads=True)
    yield context
    context.close()


Opened = Callable[..., Page]


@pytest.fixture
def visit(chromium: Browser, shared: BrowserContext) -> Iterator[Opened]:
    """visit(url, width=1440, height=900, scheme="light", fresh=False): a page at rest. At the end,
    nothing may have gone wrong on any of them. ``fresh``: in a browser that was never here;
    otherwise without cookies, but with the files of former visits."""
    opened: list[Page | BrowserContext] = []
    problems: list[str] = []
    shared.clear_cookies()

    def start(
        url: str, width: int = 1440, height: int = 900, scheme: str = "light", fresh: bool = False
    ) -> Page:
        context = chromium.new_context(accept_downloads=True) if fresh else shared
        page = context.new_page()
        opened.append(context if fresh else page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_default_timeout(PATIENCE)
        host = url.split("/")[2]

        def asked(request: object) -> None:
            address = request.url  # type: ignore[attr-defined]
            if not address.startswith(("data:", "blob:")) and address.split("/")[2] != host:
                problems.append(f"foreign: {address}")

        page.on("request", asked)
        page.on("requestfailed", lambda r: problems.append(f"failed: {r.url} {r.failure}"))
        page.on("pageerror", lambda e: problems.append(f"uncaught: {e}"))
        page.on(
            "console",
            lambda m: (
                problems.append(f"console: {m.text}")
                if m.type == "error" and "404" not in m.text
                else None
            ),
        )
        page.on(
            "response",
            lambda r: (
                problems.append(f"{r.status} {r.url}")
                if r.status >= 400 and not r.url.endswith(KNOWN_404)
                else None
            ),
        )
        page.add_init_script(TRAFFIC)
        page.goto(url)
        rest(page, 700)  # an arrival may be put right by a second run of the script
        return page

    yield start
    for one in opened:
        one.close()
    # A page that is left while something is on its way aborts it; that is no fault.
    assert [problem for problem in problems if "ERR_ABORTED" not in problem] == []


# Every message to and from the server is noted with its time.
TRAFFIC = """
window.WebSocket = class extends WebSocket {
  constructor(...words) {
    super(...words);
    this.addEventListener('message', () => { window.__traffic = performance.now(); });
  }
  send(data) { window.__traffic = performance.now(); super.send(data); }
};"""
QUIET = """([key, pause]) => {
  window[key] ??= performance.now();
  const app = document.querySelector('[data-testid=stApp]');
  const idle = app?.dataset.testScriptState === 'notRunning';
  const captions = [...document.querySelectorAll('[data-testid=stCaptionContainer]')];
  const waits = captions.some(c => c.textContent.includes('being computed'));
  return idle && !waits && performance.now() - Math.max(window[key], window.__traffic ?? 0) > pause;
}"""


def rest(page: Page, pause: int = 400) -> None:
    """Wait until nothing has been sent or received for a while (one run may be followed by
    another); then there may be no exception."""
    page.wait_for_function(QUIET, arg=[f"__rest_{time.monotonic_ns()}", pause])
    assert page.locator(".stException").count() == 0, page.locator(".stException").all_inner_texts()
