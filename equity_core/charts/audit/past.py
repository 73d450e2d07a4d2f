"""Charts of learners' pasts against their lists: over pairs of learners (figure 7) and for the
tenths with the most and least consistent past (figure 8)."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from equity_core.charts.base.marks import (
    AXIS,
    ROW,
    axis_range,
    axis_title,
    by_label,
    colour_by_label,
    empty_chart,
    rows_axis,
    tooltips,
)
from equity_core.charts.base.theme import palette, style

_GROUPS = {"least": "least consistent past", "all": "all learners", "most": "most consistent past"}


def pairs_scatter(frame: pd.DataFrame, trend: pd.DataFrame, dark: bool = False) -> Any:
    """Figure 7: one point per pair of learners; the line is the mean of ten groups by the
    difference of their pasts, the band ±1 sd."""
    if frame.empty:
        return style(empty_chart("no pair of learners with a list", dark), dark)
    colours = palette(dark)
    x = alt.X("past:Q", title="Difference in consistency of pasts", axis=alt.Axis(tickCount=5))
    y = alt.Y("lists:Q", title="Difference in consistency of lists", axis=alt.Axis(tickCount=5))
    around = trend.assign(
        below=(trend["lists"] - trend["sd"]).clip(lower=0.0), above=trend["lists"] + trend["sd"]
    )
    dots = alt.Chart(frame).mark_point(size=9, filled=True, opacity=0.22, color=colours.before)
    line = alt.Chart(around).mark_line(
        color=colours.after, strokeWidth=2.4, point=alt.OverlayMarkDef(color=colours.after, size=34)
    )
    return style(
        alt.layer(
            dots.encode(
                x=x, y=y, tooltip=tooltips("a||learner", "b||and", "past|.3f", "lists|.3f")
            ),
            alt.Chart(around)
            .mark_area(opacity=0.14, color=colours.after)
            .encode(x=x, y="below:Q", y2="above:Q"),
            line.encode(
                x=x,
                y=y,
                tooltip=tooltips(
                    "past|.3f|mean of pasts", "lists|.3f|mean of lists", "sd|.3f", "pairs|,"
                ),
            ),
        ).properties(height=290),
        dark,
    )


def pair_correlation_dots(frame: pd.DataFrame, chosen: str, dark: bool = False) -> Any:
    """Figure 7 as one number per algorithm: the rank correlation over its pairs."""
    shown = frame.dropna(subset=["rho"])
    if shown.empty:
        return style(empty_chart("no correlation", dark), dark)
    colours, y = palette(dark), rows_axis("label", frame["label"].tolist(), dark)
    reach = max(0.3, float(shown["rho"].abs().max()) * 1.3)
    x = alt.X(
        "rho:Q",
        title="Rank correlation",
        scale=alt.Scale(domain=[-reach, reach]),
        axis=alt.Axis(tickCount=5),
    )
    base = alt.Chart(shown.assign(zero=0.0)).encode(
        y=y, tooltip=tooltips("label", "rho|+.2f", "pairs|,")
    )
    tint = alt.Chart(shown[shown["algorithm"] == chosen]).mark_bar(
        color=colours.surface, height={"band": 1}
    )
    return style(
        alt.layer(
            tint.encode(x=alt.value(0), x2=alt.value("width"), y=y),
            alt.Chart(pd.DataFrame({"rho": [0.0]}))
            .mark_rule(color=colours.muted)
            .encode(x="rho:Q"),
            base.mark_rule(strokeWidth=2).encode(
                x="zero:Q", x2="rho:Q", color=colour_by_label(frame, dark)
            ),
            base.mark_point(size=70, opacity=1, strokeWidth=1.8).encode(
                x=x, **by_label(frame, dark)
            ),
        ).properties(height=ROW * len(frame) + AXIS),
        dark,
    )


def past_tenths_dots(frame: pd.DataFrame, dark: bool = False) -> Any:
    """Figure 8: mean consistency of the lists of the tenths with the least (hollow) and the most
    (filled) consistent past; tick: all learners."""
    shown = frame.dropna(subset=["consistency"])
    if shown.empty:
        return style(empty_chart("no lists", dark), dark)
    colours, domain = palette(dark), axis_range(shown["consistency"], 0.02)
    labels, groups = list(dict.fromkeys(frame["label"])), list(_GROUPS)
    title = axis_title("Mean consistency of their lists", *domain)
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    x = alt.X("consistency:Q", title=title, scale=scale, axis=alt.Axis(tickCount=5))
    y = rows_axis("label", labels, dark)
    hover = tooltips(
        "label",
        "group||past",
        "past|.3f|consistency of the pasts",
        "consistency|.3f|consistency of the lists",
        "sd|.3f",
        "learners|,",
    )
    words = alt.Legend(
        title=None, orient="top", labelExpr=f"{_GROUPS}[datum.label]", labelLimit=200
    )
    shape = alt.Shape(
        "group:N",
        scale=alt.Scale(domain=groups, range=["circle", "stroke", "circle"]),
        legend=words,
    )
    fill = alt.Fill(
        "group:N",
        scale=alt.Scale(domain=groups, range=[colours.background, colours.text, colours.after]),
        legend=words,
    )
    wide = shown.pivot_table(
        index="label", columns="group", values="consistency", sort=False
    ).reset_index()
    lines = alt.Chart(wide).mark_rule(strokeWidth=3, opacity=0.35, color=colours.after)
    dots = alt.Chart(shown).mark_point(size=80, opacity=1, strokeWidth=2, stroke=colours.after)
    return style(
        alt.layer(
            lines.encode(x=alt.X("least:Q", scale=scale), x2="most:Q", y=y),
            dots.encode(x=x, y=y, shape=shape, fill=fill, tooltip=hover),
        ).properties(height=ROW * len(labels) + AXIS + 26),
        dark,
    )
