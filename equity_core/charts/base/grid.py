"""Small multiples in one view: cells side by side in one coordinate system, so that the grid
stretches with the page.

Vega's facets have a fixed width; a page has not. Here each cell gets its place as an offset:
columns run along x, rows along y (top first), and values are scaled into their cell. The frames
keep the true values beside the places, for tooltips and for reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from equity_core.charts.base.theme import palette

GAP_X, GAP_Y = 0.14, 0.5
NARROW = 480
"""Pixels of a grid below which headings are short."""


@dataclass(frozen=True)
class Grid:
    """Where cells are. ``spans``: low and high end of each row's values."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    spans: tuple[tuple[float, float], ...]
    x_span: tuple[float, float] = (0.0, 1.0)
    empty: int = 0
    """Cells left empty at the end of the last row."""

    def left(self, column: str) -> float:
        return self.columns.index(column) * (1.0 + GAP_X)

    def bottom(self, row: str) -> float:
        return (len(self.rows) - 1 - self.rows.index(row)) * (1.0 + GAP_Y)

    @property
    def width(self) -> float:
        return len(self.columns) * (1.0 + GAP_X) - GAP_X

    @property
    def height(self) -> float:
        return len(self.rows) * (1.0 + GAP_Y) - GAP_Y

    def x(self, column: str, value: float) -> float:
        low, high = self.x_span
        return self.left(column) + (value - low) / (high - low)

    def y(self, row: str, value: float) -> float:
        low, high = self.spans[self.rows.index(row)]
        return self.bottom(row) + (min(max(value, low), high) - low) / (high - low)

    def with_places(
        self, frame: pd.DataFrame, column: str, row: str, x: str, y: str
    ) -> pd.DataFrame:
        """The frame with the places x_at and y_at of its rows; rows without a value are left
        out."""
        known = frame.dropna(subset=[x, y])
        spots = [
            (self.x(str(c), float(a)), self.y(str(r), float(b)))
            for c, r, a, b in zip(known[column], known[row], known[x], known[y], strict=True)
        ]
        return known.assign(x_at=[spot[0] for spot in spots], y_at=[spot[1] for spot in spots])

    def cells(self) -> pd.DataFrame:
        """One row per cell: column, row, and the corners x, x2, y, y2."""
        return pd.DataFrame(
            [
                {
                    "column": c,
                    "row": r,
                    "x": self.left(c),
                    "x2": self.left(c) + 1,
                    "y": self.bottom(r),
                    "y2": self.bottom(r) + 1,
                }
                for r in self.rows
                for c in self.columns
                if self.has_cell(c, r)
            ]
        )

    def has_cell(self, column: str, row: str) -> bool:
        """Whether the grid has a cell there: the last row may be shorter."""
        return row != self.rows[-1] or self.columns.index(column) < len(self.columns) - self.empty


def x_scale(grid: Grid, left: float = 0.0, right: float = 0.0, field: str = "x_at") -> alt.X:
    """The common x of every layer; ``left`` and ``right``: room for text, in cells."""
    return alt.X(
        f"{field}:Q",
        axis=None,
        scale=alt.Scale(domain=[-left, grid.width + right], nice=False, zero=False),
    )


def y_scale(grid: Grid, field: str = "y_at") -> alt.Y:
    """The common y of every layer, with room for headings above each row and ticks below the
    last."""
    return alt.Y(
        f"{field}:Q",
        axis=None,
        scale=alt.Scale(domain=[-0.22, grid.height + 0.3], nice=False, zero=False),
    )


def base_lines(grid: Grid, dark: bool, left: float = 0.0, right: float = 0.0) -> Any:
    """The base line of each cell."""
    frame = grid.cells().rename(columns={"x": "x_at", "y": "y_at"})
    rule = alt.Chart(frame).mark_rule(color=palette(dark).grid, strokeWidth=1.5)
    return rule.encode(x_scale(grid, left, right), y_scale(grid), x2="x2:Q")


def texts(
    rows: Sequence[dict[str, Any]],
    grid: Grid,
    dark: bool,
    left: float = 0.0,
    right: float = 0.0,
    **mark: Any,
) -> Any:
    """Text at places: rows with x_at, y_at and text."""
    mark = {
        "align": "left",
        "baseline": "middle",
        "color": palette(dark).muted,
        "fontSize": 10.5,
        **mark,
    }
    frame = pd.DataFrame(list(rows), columns=["x_at", "y_at", "text"])
    return (
        alt.Chart(frame)
        .mark_text(**mark)
        .encode(x_scale(grid, left, right), y_scale(grid), text="text:N")
    )


def headings(
    grid: Grid, dark: bool, labels: dict[str, str], left: float = 0.0, right: float = 0.0
) -> list[Any]:
    """The columns' names above the top row: in full, or short on a narrow page."""
    spots = [
        {"x_at": grid.left(c), "y_at": grid.bottom(grid.rows[0]) + 1.17, "text": labels.get(c, c)}
        for c in grid.columns
    ]
    short = [{**spot, "text": c} for spot, c in zip(spots, grid.columns, strict=True)]
    mark: dict[str, Any] = {"color": palette(dark).text, "fontWeight": 600, "fontSize": 11.5}
    return [
        texts(
            spots, grid, dark, left, right, opacity=alt.expr(f"width < {NARROW} ? 0 : 1"), **mark
        ),
        texts(
            short, grid, dark, left, right, opacity=alt.expr(f"width < {NARROW} ? 1 : 0"), **mark
        ),
    ]


def x_ticks(
    grid: Grid,
    dark: bool,
    values: Sequence[float],
    prefix: str = "",
    left: float = 0.0,
    right: float = 0.0,
) -> Any:
    """Numbers under the last cell of each column."""
    spots = []
    for c in grid.columns:
        row = grid.rows[-1] if grid.has_cell(c, grid.rows[-1]) else grid.rows[-2]
        for v in values:
            spots.append(
                {
                    "x_at": grid.x(c, v),
                    "y_at": grid.bottom(row) - 0.13,
                    "text": f"{prefix if v == values[0] else ''}{v:g}",
                }
            )
    return texts(spots, grid, dark, left, right, align="center", fontSize=10)


def wrapped_grid(
    names: Sequence[str], across: int, span: tuple[float, float] = (0.0, 1.0)
) -> tuple[Grid, dict[str, tuple[str, str]]]:
    """A grid with a cell for each name, ``across`` to a row; and where each name is: its column and
    row."""
    across = max(1, min(across, len(names)))
    rows = -(-len(names) // across)
    columns, lines = (tuple(str(at) for at in range(count)) for count in (across, rows))
    grid = Grid(columns, lines, (span,) * rows, empty=across * rows - len(names))
    return grid, {name: (str(at % across), str(at // across)) for at, name in enumerate(names)}
