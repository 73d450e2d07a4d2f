"""Charts of who gets what: groups of learners, and the gap between the worst-off tenth and the
others."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from equity_core.charts.base.marks import (
    AXIS,
    CAPITAL,
    ROW,
    axis_range,
    axis_title,
    empty_chart,
    rows_axis,
    tooltips,
)
from equity_core.charts.base.theme import palette, style

_TOOLTIP = (
    "group",
    "consistency|.3f",
    "ndcg|.3f",
    "learners|,",
    "share|.1%|share of learners",
    "share_of_worst_off|.1%|share of the worst-off tenth",
    "rate|.1%|of the group in the worst-off tenth",
)


def group_consistency_dots(frame: pd.DataFrame, dark: bool = False) -> Any:
    """Mean consistency of each group, with its 95 % interval."""
    shown = frame.dropna(subset=["consistency"])
    if shown.empty:
        return style(empty_chart("no lists", dark), dark)
    colours, domain = palette(dark), axis_range(pd.concat([shown["low"], shown["high"]]), 0.02)
    title = axis_title("Mean consistency, 95 % interval", *domain)
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    x = alt.X("consistency:Q", title=title, scale=scale, axis=alt.Axis(tickCount=5))
    base = alt.Chart(shown).encode(
        y=rows_axis("group", frame["group"].tolist(), dark, labelLimit=150),
        tooltip=tooltips(*_TOOLTIP),
    )
    return style(
        alt.layer(
            base.mark_rule(strokeWidth=2.2, color=colours.after, opacity=0.6).encode(
                x=alt.X("low:Q", scale=scale), x2="high:Q"
            ),
            base.mark_point(size=64, filled=True, opacity=1, color=colours.after).encode(x=x),
        ).properties(height=max(60, ROW * len(frame)) + AXIS),
        dark,
    )


def group_worst_off_dots(frame: pd.DataFrame, dark: bool = False) -> Any:
    """Each group's share of all learners (tick) and of the worst-off tenth (dot)."""
    colours = palette(dark)
    top = max(0.1, float(frame[["share", "share_of_worst_off"]].max().max()) * 1.08)
    title, percent = (
        "Tick: share of all learners; dot: of the worst-off tenth",
        alt.Axis(format=".0%", tickCount=4),
    )
    x = alt.X(
        "share_of_worst_off:Q",
        title=title,
        scale=alt.Scale(domain=[0, min(1.0, top)]),
        axis=percent,
    )
    base = alt.Chart(frame).encode(
        y=rows_axis("group", frame["group"].tolist(), dark, labelLimit=150),
        tooltip=tooltips(*_TOOLTIP),
    )
    return style(
        alt.layer(
            base.mark_rule(strokeWidth=3, opacity=0.3, color=colours.bad).encode(
                x="share:Q", x2="share_of_worst_off:Q"
            ),
            base.mark_tick(thickness=2.4, size=14, color=colours.text).encode(x="share:Q"),
            base.mark_point(size=64, filled=True, opacity=1, color=colours.bad).encode(x=x),
        ).properties(height=max(60, ROW * len(frame)) + AXIS),
        dark,
    )


def gap_bars(frame: pd.DataFrame, dark: bool = False) -> Any:
    """The part of each principle in the gap between the worst-off tenth and the others; the bars
    add up to the gap."""
    if frame["part"].isna().all():
        return style(empty_chart("no others to compare with", dark), dark)
    colours, order = palette(dark), frame["principle"].tolist()
    reach = 1.35 * float(frame["part"].abs().max()) or 0.01
    domain = [
        -reach
        if frame["part"].min() < 0 and -frame["part"].min() > 0.3 * reach
        else min(0.0, frame["part"].min() - 0.22 * reach),
        reach,
    ]
    x = alt.X(
        "part:Q",
        title="Part of the gap in consistency",
        scale=alt.Scale(domain=domain, nice=False),
        axis=alt.Axis(tickCount=4),
    )
    hover = tooltips(
        "principle",
        "worst|.3f|mean of the worst-off tenth",
        "others|.3f|mean of the others",
        "part|+.3f|part of the gap",
        "share|.0%|share of the gap",
        "measure",
        "worst_measured||worst-off",
        "others_measured||others",
    )
    base = alt.Chart(frame).encode(
        y=rows_axis("principle", order, dark, labelExpr=CAPITAL), tooltip=hover
    )
    colour = alt.Color(
        "principle:N", scale=alt.Scale(domain=order, range=colours.principles(order)), legend=None
    )
    words = base.encode(x="part:Q", text=alt.Text("part:Q", format="+.3f"))
    return style(
        alt.layer(
            base.mark_bar(height={"band": 0.62}).encode(x=x, color=colour),
            words.mark_text(align="left", dx=4, color=colours.text).transform_filter(
                alt.datum.part >= 0
            ),
            words.mark_text(align="right", dx=-4, color=colours.text).transform_filter(
                alt.datum.part < 0
            ),
        ).properties(height=ROW * len(order) + AXIS),
        dark,
    )
