"""A live server on a free port, and a page that fails on any exception, console error, failed or foreign request."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
PATIENCE = 90_000
expect.set_options(timeout=PATIENCE)  # a laden machine is slow; what is wrong is wrong after a minute, too
# A deep link makes Streamlit's front end probe two base paths before it finds the right one.
KNOWN_404 = ("/_stcore/health", "/_stcore/host-config")


def chromium_path() -> str:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "no Chromium is installed: see scripts/chromium.sh"
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def serve(**environment: str) -> Iterator[str]:
    """A server that nobody has opened yet; stopped at the end."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}", "--server.address=127.0.0.1"]
    process = subprocess.Popen(
        [*command, "--server.fileWatcherType=none"], cwd=ROOT, env={**os.environ, **environment},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{url}/_stcore/health", timeout=1)
                break
            except OSError:
                time.sleep(0.1)
        else:
            raise RuntimeError("the server did not come up")
        yield url
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    yield from serve()


@pytest.fixture
def fresh_server() -> Iterator[str]:
    """For what happens to the first visitor only."""
    yield from serve()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        yield browser
        browser.close()


Opened = Callable[..., Page]


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Opened]:
    """visit(url, width=1440, height=900, scheme="light"): a page at rest. At the end, nothing may have gone wrong on any of them."""
    contexts, problems = [], []

    def start(url: str, width: int = 1440, height: int = 900, scheme: str = "light") -> Page:
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, accept_downloads=True)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        host = url.split("/")[2]

        def asked(request: object) -> None:
            address = request.url  # type: ignore[attr-defined]
            if not address.startswith(("data:", "blob:")) and address.split("/")[2] != host:
                problems.append(f"foreign: {address}")

        page.on("request", asked)
        page.on("requestfailed", lambda r: problems.append(f"failed: {r.url} {r.failure}"))
        page.on("pageerror", lambda e: problems.append(f"uncaught: {e}"))
        page.on("console", lambda m: problems.append(f"console: {m.text}") if m.type == "error" and "404" not in m.text else None)
        page.on("response", lambda r: problems.append(f"{r.status} {r.url}") if r.status >= 400 and not r.url.endswith(KNOWN_404) else None)
        page.goto(url)
        rest(page)
        return page

    yield start
    for context in contexts:
        context.close()
    # A page that is left while something is on its way aborts it; that is no fault.
    assert [problem for problem in problems if "ERR_ABORTED" not in problem] == []


def rest(page: Page, pause: int = 350) -> None:
    """Wait until the script has come to rest; then there may be no exception on the page."""
    state = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
    for _ in range(3):  # a run may be followed by another at once
        page.wait_for_function(state)
        page.wait_for_timeout(pause)
    page.wait_for_function(state)
    assert page.locator(".stException").count() == 0, page.locator(".stException").all_inner_texts()
