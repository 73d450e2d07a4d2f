"""Every figure of a screen as the browser gets it: title, sentence, alternative text,
specification, data sets, table and CSV."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import pyarrow as pa
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.shared import panels
from tests.helpers.screens import go_to

ROOT = Path(__file__).parents[2]
TIMEOUT = 300


@dataclass(frozen=True)
class Figure:
    """A chart (or, without a specification, a table) under its heading. ``name`` is the key of its
    table."""

    name: str
    title: str
    sentence: str
    alt: str
    spec: dict[str, Any]
    sets: dict[str, pd.DataFrame]
    table: pd.DataFrame | None
    """What its button opens."""
    csv: bool

    def layers(self) -> Iterator[tuple[str, pd.DataFrame, dict[str, Any]]]:
        """Mark, data and encoding of every layer."""

        def walk(
            part: dict[str, Any], inherited: Any
        ) -> Iterator[tuple[str, pd.DataFrame, dict[str, Any]]]:
            data = part.get("data", inherited)
            for inner in part.get("layer", ()):
                yield from walk(inner, data)
            if "mark" in part:
                mark = part["mark"]
                rows = (
                    pd.DataFrame(data["values"])
                    if data and "values" in data
                    else self.sets[data["name"]]
                    if data
                    else pd.DataFrame()
                )
                yield (
                    mark["type"] if isinstance(mark, dict) else mark,
                    rows,
                    part.get("encoding", {}),
                )

        yield from walk(self.spec, self.spec.get("data"))

    def rows(self, mark: str, field: str) -> pd.DataFrame:
        """The data of the first layer with this mark that draws the field."""
        for kind, rows, encoding in self.layers():
            if kind == mark and any(
                isinstance(channel, dict) and channel.get("field") == field
                for channel in encoding.values()
            ):
                return rows
        raise AssertionError(f"{self.name}: no {mark} draws {field}")


class Screen:
    """What a screen of the app showed in one run; its figures by name."""

    def __init__(self, app: AppTest) -> None:
        self.figures = {figure.name: figure for figure in _found(app.main)}
        self.charts = len(app.get("vega_lite_chart"))
        self.html = unescape(" ".join(str(element.proto.body) for element in app.get("html")))
        self._panels = {
            element.proto.id: json.loads(element.proto.json)
            for element in app.get("bidi_component")
            if element.proto.json
        }

    def panel(self, key: str) -> str:
        """The HTML that a component was given, as it is read."""
        found = [data["html"] for name, data in self._panels.items() if name.endswith(key)]
        assert len(found) == 1, (key, list(self._panels))
        return unescape(found[0])


class _Open:
    """Streamlit as pages/shared/panels.py sees it, with the button of every table pressed and what
    it opens drawn in its place: a person opens one table at a time."""

    def __getattr__(self, name: str) -> Any:
        return getattr(st, name)

    class session_state:  # noqa: N801
        @staticmethod
        def get(key: str) -> bool:
            return key.startswith(("corner_", "table_"))

    def dialog(self, title: str, **settings: Any) -> Any:
        assert title

        def drawn(contents: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
            def draw(frame: Any, name: str) -> None:
                with st.container(key=f"open_{name}"):
                    contents(frame, name)

            return draw

        return drawn


class Demo:
    """The app on the demo, screen after screen in one session, with every table open."""

    def __init__(self, **query: str) -> None:
        self.app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=TIMEOUT)
        for name, value in {"data": "demo", **query}.items():
            self.app.query_params[name] = value

    def open(self, page: str, **state: Any) -> Screen:
        """The screen with this state; fails on any exception."""
        for key, value in state.items():
            self.app.session_state[key] = value
        with patch.object(panels, "st", _Open()):
            go_to(self.app, page)
        assert not self.app.exception, [error.value for error in self.app.exception]
        return Screen(self.app)


class _Head:
    """A heading that waits for its table and its chart."""

    def __init__(self, title: str = "", name: str = "") -> None:
        self.title, self.name, self.sentence = title, name, ""
        self.table: pd.DataFrame | None = None
        self.csv = False

    def figure(self, chart: Any = None) -> Figure:
        sets = {} if chart is None else {one.name: _frame(one.data.data) for one in chart.datasets}
        spec = {} if chart is None else json.loads(chart.spec)
        return Figure(
            self.name,
            self.title,
            self.sentence,
            "" if chart is None else chart.alt,
            spec,
            sets,
            self.table,
            self.csv,
        )


def _frame(arrow: bytes) -> pd.DataFrame:
    frame: pd.DataFrame = pa.ipc.open_stream(arrow).read_all().to_pandas()
    return frame


def _found(main: Any) -> Iterator[Figure]:
    """Figures in the order of the page, as pages/shared/panels.py builds them: title, table,
    sentence, chart."""
    head, used = _Head(), True
    for node in _walk(main):
        table = re.search(r"open_(\w+)$", getattr(node, "_block_id", ""))
        if node.type == "markdown" and node.value.startswith("## "):
            if not used and head.name:
                yield head.figure()
            head, used = _Head(node.value.removeprefix("## ")), False
        elif table:
            if used or head.name:  # a table of its own, beside a figure or a panel
                alone = _Head(name=table[1])
                alone.table, alone.csv = _inside(node)
                yield alone.figure()
            else:
                head.name = table[1]
                head.table, head.csv = _inside(node)
        elif node.type == "caption" and not head.sentence:
            head.sentence = node.value
        elif node.type == "vega_lite_chart":
            # A chart under a heading that has one already has none of its own.
            yield (_Head() if used else head).figure(node.proto)
            used = True
    if not used and head.name:
        yield head.figure()


def _walk(node: Any) -> Iterator[Any]:
    for _, child in sorted(node.children.items()):
        yield child
        if getattr(child, "children", None):
            yield from _walk(child)


def _inside(opened: Any) -> tuple[pd.DataFrame | None, bool]:
    """The table that is open, and whether there is a CSV of it."""
    nodes = list(_walk(opened))
    frames = [node.value for node in nodes if node.type == "dataframe"]
    return frames[0] if frames else None, any(
        node.type == "download_button" and node.label == "CSV" for node in nodes
    )


def complete(screen: Screen, least: int) -> None:
    """Every chart of a screen has what it needs; there are at least so many."""
    charts = [one for one in screen.figures.values() if one.spec]
    assert len(charts) >= least
    assert len(charts) == screen.charts, "a chart has no heading with a table, or two share one"
    for one in charts:
        assert one.name, one.title
        assert len(one.title) > 3, one.name
        assert len(one.sentence) > 20, one.name
        assert len(one.alt) > 20, one.name
    for one in screen.figures.values():
        assert one.table is not None, one.name
        assert one.csv, one.name
