"""What several charts share: an algorithm's colour and marker, labels that do not overlap,
axes that say where they begin and end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from equity_core.charts.base.theme import algorithm_scale, palette

ROW = 24
"""Height in pixels of a row, in a chart with one row per name."""
AXIS = 42
"""Pixels of an axis with its title: on screen, a chart's height includes them."""


def algorithms_of(frame: pd.DataFrame) -> list[str]:
    """The algorithms of a frame, in its order."""
    return list(dict.fromkeys(frame["algorithm"]))


def by_label(frame: pd.DataFrame, dark: bool) -> dict[str, Any]:
    """The encodings of an algorithm by its label: colour, marker, and the fill that tells two of a
    family apart. Without a legend: label the marks directly."""
    scale = algorithm_scale(algorithms_of(frame), dark)
    domain = scale["domain"]
    return {
        "stroke": alt.Stroke(
            "label:N", scale=alt.Scale(domain=domain, range=scale["range"]), legend=None
        ),
        "shape": alt.Shape(
            "label:N", scale=alt.Scale(domain=domain, range=scale["shapes"]), legend=None
        ),
        "fill": alt.Fill(
            "label:N", scale=alt.Scale(domain=domain, range=scale["fills"]), legend=None
        ),
    }


def colour_by_label(frame: pd.DataFrame, dark: bool) -> alt.Color:
    """An algorithm's colour alone, for lines and texts."""
    scale = algorithm_scale(algorithms_of(frame), dark)
    return alt.Color(
        "label:N", scale=alt.Scale(domain=scale["domain"], range=scale["range"]), legend=None
    )


def spread_apart(values: Sequence[float], least: float) -> list[float]:
    """The values moved as little as needed for any two to be ``least`` apart; their order stays."""
    order = sorted(range(len(values)), key=lambda at: values[at])
    groups: list[
        tuple[float, list[int]]
    ] = []  # (centre, members); members of a group are least apart around the centre
    for at in order:
        groups.append((values[at], [at]))
        while len(groups) > 1:
            (a, first), (b, second) = groups[-2], groups[-1]
            if (
                b - least * (len(second) - 1) / 2 - (a + least * (len(first) - 1) / 2)
                >= least - 1e-12
            ):
                break
            both = [*first, *second]
            groups[-2:] = [((a * len(first) + b * len(second)) / len(both), both)]
    out = [0.0] * len(values)
    for centre, members in groups:
        for place, at in enumerate(members):
            out[at] = centre + least * (place - (len(members) - 1) / 2)
    return out


def axis_range(
    values: pd.Series, step: float = 0.1, whole: tuple[float, float] = (0.0, 1.0)
) -> tuple[float, float]:
    """The ends of an axis around some values, on multiples of a step, within the measure's whole
    range."""
    known = values.dropna()
    if known.empty:
        return whole
    low = max(whole[0], math.floor(float(known.min()) / step + 1e-9) * step)
    high = min(whole[1], math.ceil(float(known.max()) / step - 1e-9) * step)
    return (round(low, 10), round(max(high, low + step), 10))


def axis_title(name: str, low: float, high: float) -> str:
    """An axis title that says where the axis begins and ends, if that is not 0 and 1."""
    return name if (low, high) == (0.0, 1.0) else f"{name}, axis {low:g} to {high:g}"


def tooltips(*fields: str) -> list[alt.Tooltip]:
    """Tooltips from short notes: ``name``, ``name|format`` (a number) or ``name|format|title``."""
    out = []
    for field in fields:
        name, form, title = (*field.split("|"), "", "")[:3]
        options: dict[str, Any] = {"format": form} if form else {}
        out.append(
            alt.Tooltip(
                f"{name}:Q" if form else f"{name}:N",
                title=title or name.replace("_", " "),
                **options,
            )
        )
    return out


def rows_axis(field: str, names: Sequence[str], dark: bool, **options: Any) -> alt.Y:
    """A row for each name, in the order given."""
    axis = alt.Axis(
        **{
            "ticks": False,
            "domain": False,
            "labelColor": palette(dark).text,
            "labelPadding": 7,
            **options,
        }
    )
    return alt.Y(f"{field}:N", sort=list(names), title=None, axis=axis)


CAPITAL = "upper(slice(datum.label, 0, 1)) + slice(datum.label, 1)"
"""A Vega expression for axis labels: principles are in lower case in the data, and start with a
capital on screen."""


def empty_chart(text: str, dark: bool) -> Any:
    """In place of a chart where there is nothing to draw: the reason, in words."""
    return (
        alt.Chart(pd.DataFrame({"text": [text]}))
        .mark_text(color=palette(dark).muted, fontSize=12)
        .encode(text="text:N")
        .properties(height=80)
    )
