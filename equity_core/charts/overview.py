"""The worst-off tenth, principle by principle: arrows from today to the policy, and ticks for the
others."""

from __future__ import annotations

import altair as alt
import pandas as pd

from equity_core.charts.base.marks import CAPITAL, tooltips
from equity_core.charts.base.templates import Spec, named_layer, specification, with_data
from equity_core.charts.base.theme import palette, style

ROW = 30
GROUPS = ("worst-off today", "the same learners under the policy")


def worst_off_template(names: list[str], dark: bool = False) -> Spec:
    """One row per principle: the worst-off tenth today (grey) and under the policy (accent), the
    others today (tick). :func:`worst_off_chart` puts the data in."""
    colours = palette(dark)
    scale, axis = (
        alt.Scale(domain=[0, 1]),
        alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f", title=None),
    )
    y = alt.Y(
        "principle:N",
        sort=names,
        title=None,
        axis=alt.Axis(labelExpr=CAPITAL, ticks=False, domain=False, labelColor=colours.text),
    )
    hues = alt.Scale(domain=list(GROUPS), range=[colours.before, colours.after])
    hue = alt.Color(
        "group:N", scale=hues, legend=alt.Legend(orient="top", title=None, labelLimit=220)
    )
    shape = alt.Shape(
        "group:N", scale=alt.Scale(domain=list(GROUPS), range=["circle", "triangle-right"])
    )
    spans = named_layer("spans")
    dots = named_layer("points").mark_point(filled=True, size=80, opacity=1)
    layers = [
        spans.mark_tick(color=colours.text, thickness=2, height=16).encode(
            x=alt.X("others:Q", scale=scale, axis=axis), y=y
        ),
        spans.mark_rule(color=colours.after, strokeWidth=2, opacity=0.6).encode(
            x=alt.X("before:Q", scale=scale, axis=axis), x2="after:Q", y=y
        ),
        dots.encode(
            x=alt.X("value:Q", scale=scale, axis=axis),
            y=y,
            color=hue,
            shape=shape,
            tooltip=tooltips("principle", "group", "value|.3f|mean"),
        ),
    ]
    return specification(style(alt.layer(*layers, height=ROW * max(len(names), 1) + 8), dark))


def worst_off_chart(spec: Spec, frame: pd.DataFrame) -> Spec:
    """The chart with its data. ``frame``:
    :func:`equity_core.analysis.overview.worst_off_principles`."""
    rows = frame.reset_index()
    columns = dict(zip(("before", "after"), GROUPS, strict=True))
    points = rows.melt("principle", list(columns), "column", "value")
    return with_data(
        spec,
        spans=rows,
        points=points.assign(group=points["column"].map(columns)).drop(columns="column"),
    )
