"""Labels in a picture that never overlap.

A label stands at a point of the picture, moved by some pixels. How many pixels lie between two
points depends on the width of the browser's window, which nobody knows beforehand: so a label's
place is taken only if it is free at every width of WIDTHS. Labels are data: the drawing reads
offset, alignment, size and colour from its rows (:func:`label_layers`), so that they can be placed
again without building the picture again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt

from equity_core.charts.base.templates import named_layer
from equity_core.charts.base.theme import Palette

Boxes = npt.NDArray[np.float64]
Place = tuple[float, float, str]
"""Pixels to the right and down from the point, and the alignment."""

NARROW = 420
"""Pixels of the picture below which only the most important words are shown."""
WIDTHS = np.concatenate(
    [
        np.arange(205.0, NARROW, 18.0),
        np.arange(NARROW + 2, 800.0, 36.0),
        np.arange(800.0, 1500.0, 100.0),
    ]
)
"""From a phone's to a wide screen's, close enough together that no two words collide in between."""
EM = 0.51
"""The mean width of a character, as a share of the font size: on the safe side."""
COLUMNS = ["ndcg", "equality", "text", "dx", "dy", "align", "size", "weight", "colour", "wide"]

AROUND: tuple[Place, ...] = (
    (0, -16, "center"),
    (0, 17, "center"),
    (13, 0, "left"),
    (-13, 0, "right"),
    (11, -13, "left"),
    (-11, -13, "right"),
    (11, 14, "left"),
    (-11, 14, "right"),
    (0, -31, "center"),
    (0, 32, "center"),
    (11, -28, "left"),
    (-11, -28, "right"),
    (11, 29, "left"),
    (-11, 29, "right"),
    (16, -43, "left"),
    (-16, -43, "right"),
    (16, 44, "left"),
    (-16, 44, "right"),
    (16, -60, "left"),
    (-16, -60, "right"),
    (16, 62, "left"),
    (-16, 62, "right"),
)
"""Places around a point, the nearest first."""


@dataclass(frozen=True)
class View:
    """The ends of both axes and the height of the picture in pixels."""

    x: tuple[float, float]
    y: tuple[float, float]
    height: float

    def at(self, ndcg: float, equality: float) -> tuple[float, float]:
        """A point as a share of the width, and in pixels from the top."""
        across = (ndcg - self.x[0]) / (self.x[1] - self.x[0])
        return across, (self.y[1] - equality) / (self.y[1] - self.y[0]) * self.height


@dataclass(frozen=True)
class Label:
    """Words at a point. ``wide``: only where there is room."""

    ndcg: float
    equality: float
    text: str
    colour: str
    size: float = 11
    weight: int = 400
    wide: bool = False

    def box(self, view: View, place: Place) -> Boxes:
        """(widths, 4): left, top, right and bottom in pixels at each width; NaN where the label is
        not shown."""
        lines = self.text.split("\n")
        width, height = max(map(len, lines)) * self.size * EM + 4, len(lines) * self.size * 1.25 + 2
        across, down = view.at(self.ndcg, self.equality)
        start = (
            across * WIDTHS
            + place[0]
            - {"left": 2.0, "center": width / 2, "right": width - 2.0}[place[2]]
        )
        top = down + place[1] - height / 2
        out = np.stack(
            [start, np.full_like(start, top), start + width, np.full_like(start, top + height)],
            axis=1,
        )
        if self.wide:
            out[WIDTHS < NARROW] = np.nan
        return out

    def row(self, place: Place) -> dict[str, Any]:
        """As data for :func:`label_layers`."""
        values = (
            self.ndcg,
            self.equality,
            self.text,
            *place,
            self.size,
            self.weight,
            self.colour,
            self.wide,
        )
        return dict(zip(COLUMNS, values, strict=True))


def mark_box(view: View, ndcg: float, equality: float, size: float = 7) -> Boxes:
    """The box that a mark takes up."""
    across, down = view.at(ndcg, equality)
    middle = across * WIDTHS
    return np.stack(
        [
            middle - size,
            np.full_like(middle, down - size),
            middle + size,
            np.full_like(middle, down + size),
        ],
        axis=1,
    )


def overlap(box: Boxes, others: Boxes) -> npt.NDArray[np.bool_]:
    """Which of the others (n, widths, 4) a box overlaps, at any width."""
    if not len(others):
        return np.zeros(0, dtype=np.bool_)
    apart = (
        (box[:, 0] >= others[:, :, 2])
        | (box[:, 2] <= others[:, :, 0])
        | (box[:, 1] >= others[:, :, 3])
        | (box[:, 3] <= others[:, :, 1])
        | np.isnan(box[:, 0])
        | np.isnan(others[:, :, 0])
    )
    return np.asarray(~apart.all(axis=1))


def is_inside(box: Boxes, view: View) -> bool:
    """Whether a box stays within the picture at every width."""
    good = (box[:, 0] >= 0) & (box[:, 2] <= WIDTHS) & (box[:, 1] >= 0) & (box[:, 3] <= view.height)
    return bool((good | np.isnan(box[:, 0])).all())


def stack(boxes: Iterable[Boxes]) -> Boxes:
    """Boxes as one array, even if there are none."""
    found = list(boxes)
    return np.stack(found) if found else np.empty((0, len(WIDTHS), 4))


def free_place(
    label: Label, view: View, taken: Boxes, places: Sequence[Place] = AROUND
) -> tuple[Place, Boxes] | None:
    """The first place inside the picture that is free, with its box; None if there is none."""
    for one in places:
        box = label.box(view, one)
        if is_inside(box, view) and not overlap(box, taken).any():
            return one, box
    return None


def label_layers(x: alt.X, y: alt.Y, colours: Palette, name: str = "labels") -> list[alt.Chart]:
    """Every label of the data set of that name, outlined in the page's colour so that lines do not
    cross the words."""
    shown = alt.expr(f"datum.wide && width < {NARROW} ? 0 : 1")
    common: dict[str, Any] = {
        "baseline": "middle",
        "lineBreak": "\n",
        "align": alt.expr("datum.align"),
        "dx": alt.expr("datum.dx"),
        "dy": alt.expr("datum.dy"),
        "fontSize": alt.expr("datum.size"),
        "fontWeight": alt.expr("datum.weight"),
        "opacity": shown,
    }
    chart = named_layer(name).encode(x=x, y=y, text="text:N")
    under = chart.mark_text(
        stroke=colours.background,
        strokeWidth=4,
        strokeJoin="round",
        color=colours.background,
        **common,
    )
    return [under, chart.mark_text(color=alt.expr("datum.colour"), **common)]


def covered(boxes: Boxes, taken: Iterable[Boxes]) -> npt.NDArray[np.bool_]:
    """Which boxes overlap something in ``taken``."""
    out = np.zeros(len(boxes), dtype=np.bool_)
    for box in taken:
        out |= overlap(box, boxes)
    return out


def are_apart(a: tuple[float, float], b: tuple[float, float], least: float) -> bool:
    """Whether two points (as shares of the picture) are at least so far apart."""
    return math.dist(a, b) >= least
