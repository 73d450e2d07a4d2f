"""Charts of the Data screen: splits in time, coverage of the principles, and the nine small
statistics."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from equity_core.charts.base.marks import AXIS, CAPITAL, ROW, empty_chart, rows_axis, tooltips
from equity_core.charts.base.theme import palette, style

HEIGHT = 150
"""Pixels of every small panel, so that a grid of them stays aligned."""


def statistic_bars(frame: pd.DataFrame, kind: str, counted: str, dark: bool = False) -> Any:
    """One statistic as bars: labels from top to bottom, bins from left to right."""
    if frame.empty:
        return style(empty_chart("unknown", dark).properties(height=HEIGHT), dark)
    colours = palette(dark)
    shown_tips = tooltips("range||value", f"count|,|{counted}", "share|.1%")
    order = frame["label"].tolist()
    base = alt.Chart(frame)
    if kind == "labels":
        y = rows_axis("label", order, dark, labelLimit=130)
        shown = base.mark_bar(color=colours.after, opacity=0.75, height={"band": 0.72}).encode(
            x=alt.X(
                "count:Q", axis=None, scale=alt.Scale(domainMax=float(frame["count"].max()) * 1.25)
            ),
            y=y,
            tooltip=shown_tips,
        )
        words = base.mark_text(align="left", dx=4, color=colours.muted, fontSize=10).encode(
            x="count:Q", y=y, text=alt.Text("share:Q", format=".0%")
        )
        return style(alt.layer(shown, words).properties(height=HEIGHT), dark)
    across = alt.Axis(
        labelAngle=0, labelOverlap="parity", labelSeparation=4, labelFontSize=10, ticks=False
    )
    x = alt.X("label:N", sort=order, title=None, axis=across)
    y = alt.Y(
        "count:Q", title=None, axis=alt.Axis(tickCount=3, format="~s", domain=False, ticks=False)
    )
    return style(
        base.mark_bar(color=colours.after, opacity=0.75, width={"band": 0.86})
        .encode(x=x, y=y, tooltip=shown_tips)
        .properties(height=HEIGHT),
        dark,
    )


def coverage_bars(frame: pd.DataFrame, dark: bool = False) -> Any:
    """For what share of the courses each principle is known (solid bar); the rest was filled in
    (outlined)."""
    colours = palette(dark)
    order = frame["principle"].tolist()
    y = rows_axis("principle", order, dark, labelExpr=CAPITAL)
    x = alt.X(
        "share_known:Q",
        title=None,
        scale=alt.Scale(domain=[0, 1.18]),
        axis=alt.Axis(values=[0, 0.5, 1], format=".0%"),
    )
    shown_tips = tooltips(
        "principle",
        "column||course column",
        "known|,|courses known",
        "filled|,|courses unknown",
        "filled_with",
    )
    base = alt.Chart(frame.assign(all=1.0))
    whole = base.mark_bar(
        fill="transparent", stroke=colours.muted, strokeDash=[3, 2], height={"band": 0.6}
    ).encode(x="share_known:Q", x2="all:Q", y=y, tooltip=shown_tips)
    scale = alt.Scale(domain=order, range=colours.principles(order))
    known = base.mark_bar(height={"band": 0.6}).encode(
        x=x, y=y, color=alt.Color("principle:N", scale=scale, legend=None), tooltip=shown_tips
    )
    words = base.mark_text(align="left", dx=4, color=colours.text).encode(
        x="all:Q", y=y, text=alt.Text("share_known:Q", format=".0%")
    )
    return style(
        alt.layer(whole, known, words).properties(height=ROW * len(order) + AXIS // 2), dark
    )


def split_timeline(frame: pd.DataFrame, dark: bool = False) -> Any:
    """When the interactions of each split took place, from first to last, with their number."""
    colours = palette(dark)
    order = frame["split"].tolist()
    y = rows_axis("split", order, dark)
    shown_tips = [
        *tooltips("split", "interactions|,", "learners|,", "courses|,", "used_for||used for"),
        alt.Tooltip("first:T"),
        alt.Tooltip("last:T"),
    ]
    height = 42 * len(order) + AXIS // 2
    words = alt.Chart(frame.assign(words=[_words(row) for _, row in frame.iterrows()]))
    words = words.mark_text(
        align="left", baseline="bottom", dy=-8, color=colours.muted, fontSize=11
    )
    if frame["first"].isna().all():
        x = alt.X("interactions:Q", title=None, axis=alt.Axis(format="~s", tickCount=4))
        shown = alt.Chart(frame).mark_bar(
            color=colours.after, opacity=0.75, height=10, cornerRadius=2
        )
        return style(
            alt.layer(
                shown.encode(x=x, y=y, tooltip=shown_tips),
                words.encode(x=alt.value(0), y=y, text="words:N"),
            ).properties(height=height),
            dark,
        )
    x = alt.X("first:T", title=None, axis=alt.Axis(tickCount=5, labelOverlap=True))
    shown = alt.Chart(frame).mark_bar(color=colours.after, opacity=0.75, height=10, cornerRadius=2)
    return style(
        alt.layer(
            shown.encode(x=x, x2="last:T", y=y, tooltip=shown_tips),
            words.encode(x=alt.value(0), y=y, text="words:N"),
        ).properties(height=height),
        dark,
    )


def _words(row: pd.Series) -> str:
    """A split's numbers and dates in one line."""
    when = "" if pd.isna(row["first"]) else f", {row['first']:%d %b %Y} to {row['last']:%d %b %Y}"
    return f"{row['interactions']:,} interactions, {row['learners']:,} learners{when}"
