"""The app in a test: on the demo, or on a bundle of its own that is found through EQUITY_DATA."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

import equity_core as eq

ROOT = Path(__file__).parents[2]
TIMEOUT = 300

Opened = Callable[..., AppTest]


@pytest.fixture(scope="session", autouse=True)
def packages_read_once() -> Iterator[None]:
    """Every app reads the description of every installed package, half a second of a test: they are
    the same for all."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            manifest_scanner,
            "scan_component_manifests",
            cache(manifest_scanner.scan_component_manifests),
        )
        yield


def wrong(app: AppTest) -> list[str]:
    """Exceptions on the page."""
    return [f"{element.message}\n{''.join(element.stack_trace)}" for element in app.exception]


@pytest.fixture(scope="module")
def folder(bundle: eq.Bundle, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The module's ``bundle`` on disk."""
    path = tmp_path_factory.mktemp("bundles") / "random-world"
    bundle.save(path)
    return path


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """opened(bundle=None, page="overview", **query): the app at a page, on the demo or on the
    bundle; no exception on it."""

    def start(bundle: eq.Bundle | None = None, page: str = "overview", **query: Any) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=TIMEOUT)
        if bundle is not None:
            bundle.save(tmp_path / "mine")
            monkeypatch.setenv("EQUITY_DATA", str(tmp_path / "mine"))
            query = {"data": "mine", **query}
        for name, value in query.items():
            app.query_params[name] = value
        if page != "overview":
            app.switch_page(f"pages/{page}.py")
        app.run()
        assert wrong(app) == []
        return app

    return start
