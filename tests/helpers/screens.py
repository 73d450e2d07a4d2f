"""A screen run as a script, without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

ROOT = Path(__file__).parents[2]


def screen(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **state: Any) -> AppTest:
    """A screen on the bundle in a folder, with the given state; fails on any exception."""
    monkeypatch.setenv("EQUITY_DATA", str(folder))
    monkeypatch.chdir(ROOT)
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"data": folder.name, **state}.items():
        at.session_state[key] = value
    at.switch_page(f"pages/{page}.py")
    at.run()
    assert not at.exception, [error.value for error in at.exception]
    return at


def go_to(at: AppTest, page: str) -> AppTest:
    """From the screen that is open to another one, as the row of screens does.

    ``AppTest.switch_page`` knows pages by their files; ours are functions, known by their address.
    """
    at._page_hash = calc_hash(page)
    return at.run()


def texts(at: AppTest) -> list[str]:
    """Everything that is written on the screen as Markdown or caption; a heading and its sentence
    apart."""
    written = [element.value for element in (*at.markdown, *at.caption)]
    return [
        part
        for text in written
        for part in (text.split("\n\n", 1) if text.startswith("## ") else [text])
    ]
