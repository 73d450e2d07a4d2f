"""The labels of the main picture of the trade-off, placed so that none overlaps another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from equity_core.charts.base import labels
from equity_core.charts.base.labels import Boxes, Label, Place, View
from equity_core.charts.base.theme import Palette

KINDS = {"floor": "A floor τ for each learner", "lam": "One λ for all"}
SHORT = {"floor": "Floor τ", "lam": "One λ"}
"""Their names in the small picture."""
APART = 0.07
"""Least distance between two values written along a path, as a share of the picture."""
NAME_AT = 0.36
"""Where along the width a path's name stands, if there is room."""
NAME_PLACES: tuple[Place, ...] = (
    (0, 24, "center"),
    (12, 18, "left"),
    (-12, -18, "right"),
    (0, -24, "center"),
)


@dataclass(frozen=True)
class FixedLabels:
    """What does not follow the slider, and the labels of the current policy keep clear of: labels,
    values along the paths (which may give way), marks."""

    view: View
    kept: list[dict[str, Any]]
    kept_boxes: Boxes
    steady: int
    """How many of ``kept``, from the first, never give way to the current point's label."""
    values: list[dict[str, Any]]
    value_boxes: Boxes
    marks: Boxes
    points: Boxes
    text: str
    """The colour of words that belong to no path."""
    small: bool


def place_fixed_labels(
    view: View,
    known: pd.DataFrame,
    own: pd.DataFrame,
    answers: pd.DataFrame,
    region: tuple[float, str] | None,
    colours: Palette,
    small: bool,
    published: pd.DataFrame,
) -> FixedLabels:
    """Place the labels that do not follow the slider: own lists, limit, answers, the paths' names,
    those of published methods, and the values along the paths."""
    marks = labels.stack(
        labels.mark_box(view, a, b)
        for a, b in _pairs(pd.concat([own, answers]) if len(answers) else own)
    )
    points = _wide(labels.stack(labels.mark_box(view, a, b, 4) for a, b in _pairs(known)))
    kept: list[dict[str, Any]] = []
    boxes: list[Boxes] = list(marks)

    def put(
        options: Sequence[Label],
        places: Sequence[Place] = labels.AROUND,
        better_not: Boxes = points,
    ) -> bool:
        for obstacles in (np.concatenate([labels.stack(boxes), better_not]), labels.stack(boxes)):
            for label in options:
                found = labels.free_place(label, view, obstacles, places)
                if found:
                    kept.append(label.row(found[0]))
                    boxes.append(found[1])
                    return True
        return False

    for a, b, text, kind in zip(
        *(answers[name] for name in ("ndcg", "equality", "text", "kind")), strict=True
    ):
        put([Label(float(a), float(b), str(text), getattr(colours, kind), 12, 700)])
    put(
        [
            Label(
                float(own["ndcg"].iloc[0]),
                float(own["equality"].iloc[0]),
                "own lists",
                colours.text,
                11,
                600,
            )
        ],
        labels.AROUND[1:],
    )
    steady = len(kept)
    if region is not None:
        foot = view.height - 12
        sides: list[Place] = [
            (6, 10, "left"),
            (-6, 10, "right"),
            (6, 26, "left"),
            (-6, 26, "right"),
            (6, foot, "left"),
            (-6, foot, "right"),
        ]
        put([Label(region[0], view.y[1], region[1], colours.region, 11, 600)], sides)
    values: list[dict[str, Any]] = []
    value_boxes: list[Boxes] = []
    for kind, name in (SHORT if small else KINDS).items():
        path = known[known["kind"] == kind]
        middle = view.x[0] + (view.x[1] - view.x[0]) * NAME_AT
        near = _pairs(path.loc[(path["ndcg"] - middle).abs().sort_values(kind="stable").index])
        # Not where it would seem to be the other one's name.
        others = _along(known[known["kind"] != kind], view, 14)
        put(
            [Label(a, b, name, getattr(colours, kind), 12, 700) for a, b in near],
            NAME_PLACES,
            np.concatenate([points, others]),
        )
    for method, path in published.groupby("name", sort=False):
        # Close to its own line, clear of the others', and as far as it goes from the own lists,
        # with which all of them begin.
        words = [
            Label(a, b, str(method), colours.muted, 11, 600, wide=True)
            for a, b in reversed(_pairs(path))
        ]
        rest = [known[known["kind"] == kind] for kind in KINDS]
        rest += [other for key, other in published.groupby("name", sort=False) if key != method]
        lines = [_along(line, view, 4) for line in rest]
        put(words, labels.AROUND[:8], np.concatenate([points, *lines])) or put(words)
    if not small:
        for kind in KINDS:
            for label, places in _values(known[known["kind"] == kind], kind, view, colours):
                found = labels.free_place(label, view, labels.stack([*boxes, *value_boxes]), places)
                if found:
                    values.append(label.row(found[0]))
                    value_boxes.append(found[1])
    return FixedLabels(
        view=view,
        kept=kept,
        kept_boxes=labels.stack(boxes[len(marks) :]),
        steady=steady,
        values=values,
        value_boxes=labels.stack(value_boxes),
        marks=marks,
        points=points,
        text=colours.text,
        small=small,
    )


def _wide(boxes: Boxes) -> Boxes:
    """Boxes that count only where there is room: in a narrow picture, words have to stand on a
    path."""
    boxes[:, labels.WIDTHS < labels.NARROW] = np.nan
    return boxes


def _along(path: pd.DataFrame, view: View, size: float) -> Boxes:
    """The room along a path, including between its points."""
    x, y = path["ndcg"].to_numpy(dtype=float), path["equality"].to_numpy(dtype=float)
    steps = np.linspace(0, max(len(path) - 1, 0), 4 * len(path))
    dense = (
        zip(
            np.interp(steps, np.arange(len(path)), x),
            np.interp(steps, np.arange(len(path)), y),
            strict=True,
        )
        if len(path)
        else ()
    )
    return _wide(labels.stack(labels.mark_box(view, float(a), float(b), size) for a, b in dense))


def _pairs(rows: pd.DataFrame) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a, b in zip(rows["ndcg"], rows["equality"], strict=True)]


def _values(
    path: pd.DataFrame, kind: str, view: View, colours: Palette
) -> list[tuple[Label, Sequence[Place]]]:
    """The values to write along a path, none too near another, each with the side that has room:
    above or right of the floor's, below or left of λ's."""
    places = [(view.at(a, b)[0], view.at(a, b)[1] / view.height) for a, b in _pairs(path)]
    kept: list[int] = []
    for at in reversed(range(len(path))):
        if all(labels.are_apart(places[at], places[other], APART) for other in kept):
            kept.append(at)
    up, out = kind == "floor", list[tuple[Label, Sequence[Place]]]()
    for at in kept:
        before, after = places[max(at - 1, 0)], places[min(at + 1, len(places) - 1)]
        flat = abs(after[0] - before[0]) >= abs(after[1] - before[1])
        row = path.iloc[at]
        label = Label(
            float(row["ndcg"]),
            float(row["equality"]),
            f"{row['value']:g}",
            getattr(colours, kind),
            10.5,
            wide=True,
        )
        side: Place = (9, 0, "left") if up else (-9, 0, "right")
        above: Place = (0, -11, "center") if up else (0, 12, "center")
        below: Place = (0, 12, "center") if up else (0, -11, "center")
        out.append((label, (above, below, side) if flat else (side, above, below)))
    return out


MARGIN = np.array([-5.0, -5.0, 5.0, 5.0])
"""Pixels around words that follow the slider."""


def label_columns(
    fixed: FixedLabels, here: Mapping[str, Any] | None, line: Mapping[str, Any] | None
) -> dict[str, list[Any]]:
    """All labels, as columns: those of the current point and of its gap to the other path first,
    then what is clear of them."""
    view, boxes = fixed.view, fixed.kept_boxes
    rows: list[dict[str, Any]] = []
    taken: list[Boxes] = []
    given_way = np.zeros(len(boxes), dtype=np.bool_)
    if here is not None and not fixed.small:
        label = Label(
            float(here["ndcg"]), float(here["equality"]), str(here["text"]), fixed.text, 12, 700
        )
        clear = np.concatenate([boxes, fixed.marks])
        steady = np.concatenate([boxes[: fixed.steady], fixed.marks])
        # Best where nothing is; else on a point of a path; else in the place of a name, which gives
        # way; else only where there is room.
        tries = (
            (label, np.concatenate([clear, fixed.points])),
            (label, clear),
            (label, steady),
            (replace(label, wide=True), steady),
        )
        label, found = next(
            ((one, place) for one, used in tries if (place := labels.free_place(one, view, used))),
            (label, None),
        )
        if found:
            rows.append(label.row(found[0]))
            taken.append(found[1])
            given_way = labels.overlap(found[1], boxes)
        taken.append(labels.mark_box(view, label.ndcg, label.equality, 9))
        if line is not None:
            note = Label(
                label.ndcg, float(line["middle"]), str(line["text"]), fixed.text, 11, wide=True
            )
            found = labels.free_place(
                note,
                view,
                np.concatenate([clear, labels.stack(taken)]),
                ((-7, 0, "right"), (7, 0, "left")),
            )
            if found:
                rows.append(note.row(found[0]))
                taken.append(found[1])
    elif here is not None:
        given_way = labels.overlap(
            labels.mark_box(view, float(here["ndcg"]), float(here["equality"]), 9), boxes
        )
        given_way[: fixed.steady] = False
    # Text is measured by guess: a value has to be clear of the moving words by a few pixels.
    covered = labels.covered(fixed.value_boxes, [box + MARGIN for box in taken])
    rows += [row for row, gone in zip(fixed.kept, given_way, strict=True) if not gone]
    rows += [row for row, gone in zip(fixed.values, covered, strict=True) if not gone]
    return {column: [row[column] for row in rows] for column in labels.COLUMNS}
