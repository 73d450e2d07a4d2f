"""Who gets what on the Audit screen: figures 7 and 8, slices, and the gap of the worst-off
tenth."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from equity_core.charts.base.marks import (
    AXIS,
    CAPITAL,
    ROW,
    axis_words,
    by_label,
    colour_by_label,
    cut,
    nothing,
    rows_axis,
    tips,
)
from equity_core.charts.base.theme import palette, style

_GROUPS = {"least": "least consistent past", "all": "everybody", "most": "most consistent past"}


def pairs(frame: pd.DataFrame, trend: pd.DataFrame, dark: bool = False) -> Any:
    """Figure 7: a point a pair of learners; the line is the mean of ten groups by the difference of
    their past, the band ±1 sd."""
    if frame.empty:
        return style(nothing("no pair of learners with a list", dark), dark)
    colours = palette(dark)
    x = alt.X(
        "past:Q", title="Difference of the two pasts' consistency", axis=alt.Axis(tickCount=5)
    )
    y = alt.Y("lists:Q", title="Difference of the two lists'", axis=alt.Axis(tickCount=5))
    around = trend.assign(
        below=(trend["lists"] - trend["sd"]).clip(lower=0.0), above=trend["lists"] + trend["sd"]
    )
    dots = alt.Chart(frame).mark_point(size=9, filled=True, opacity=0.22, color=colours.before)
    line = alt.Chart(around).mark_line(
        color=colours.after, strokeWidth=2.4, point=alt.OverlayMarkDef(color=colours.after, size=34)
    )
    return style(
        alt.layer(
            dots.encode(x=x, y=y, tooltip=tips("a||learner", "b||and", "past|.3f", "lists|.3f")),
            alt.Chart(around)
            .mark_area(opacity=0.14, color=colours.after)
            .encode(x=x, y="below:Q", y2="above:Q"),
            line.encode(
                x=x,
                y=y,
                tooltip=tips("past|.3f|mean past", "lists|.3f|mean lists", "sd|.3f", "pairs|,"),
            ),
        ).properties(height=290),
        dark,
    )


def pairs_by_algorithm(frame: pd.DataFrame, chosen: str, dark: bool = False) -> Any:
    """Figure 7 in one number an algorithm: the rank correlation over its pairs."""
    shown = frame.dropna(subset=["rho"])
    if shown.empty:
        return style(nothing("no correlation to be had", dark), dark)
    colours, y = palette(dark), rows_axis("label", frame["label"].tolist(), dark)
    reach = max(0.3, float(shown["rho"].abs().max()) * 1.3)
    x = alt.X(
        "rho:Q",
        title="Rank correlation",
        scale=alt.Scale(domain=[-reach, reach]),
        axis=alt.Axis(tickCount=5),
    )
    base = alt.Chart(shown.assign(zero=0.0)).encode(
        y=y, tooltip=tips("label", "rho|+.2f", "pairs|,")
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


def past_groups(frame: pd.DataFrame, dark: bool = False) -> Any:
    """Figure 8: mean consistency of the lists of the tenths with the least (hollow) and most
    (filled) consistent past; tick: everybody."""
    shown = frame.dropna(subset=["consistency"])
    if shown.empty:
        return style(nothing("no lists", dark), dark)
    colours, domain = palette(dark), cut(shown["consistency"], 0.02)
    labels, groups = list(dict.fromkeys(frame["label"])), list(_GROUPS)
    title = axis_words("Mean consistency of their lists", *domain)
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    x = alt.X("consistency:Q", title=title, scale=scale, axis=alt.Axis(tickCount=5))
    y = rows_axis("label", labels, dark)
    hover = tips(
        "label",
        "group||past",
        "past|.3f|its consistency",
        "consistency|.3f|of the lists",
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


_SLICE = (
    "group",
    "consistency|.3f",
    "ndcg|.3f",
    "learners|,",
    "share|.1%|share of learners",
    "share_of_worst_off|.1%|share of the worst-off",
    "rate|.1%|of the group worst-off",
)


def slices(frame: pd.DataFrame, dark: bool = False) -> Any:
    """Mean consistency of each group with its 95 % interval."""
    shown = frame.dropna(subset=["consistency"])
    if shown.empty:
        return style(nothing("no lists", dark), dark)
    colours, domain = palette(dark), cut(pd.concat([shown["low"], shown["high"]]), 0.02)
    title = axis_words("Mean consistency, 95 % interval", *domain)
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    x = alt.X("consistency:Q", title=title, scale=scale, axis=alt.Axis(tickCount=5))
    base = alt.Chart(shown).encode(
        y=rows_axis("group", frame["group"].tolist(), dark, labelLimit=150), tooltip=tips(*_SLICE)
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


def slices_worst_off(frame: pd.DataFrame, dark: bool = False) -> Any:
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
        y=rows_axis("group", frame["group"].tolist(), dark, labelLimit=150), tooltip=tips(*_SLICE)
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


def gap_parts(frame: pd.DataFrame, dark: bool = False) -> Any:
    """What each principle adds to the gap between the worst-off tenth and the others; the bars add
    up to it."""
    if frame["part"].isna().all():
        return style(nothing("no others to compare with", dark), dark)
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
    hover = tips(
        "principle",
        "worst|.3f|worst-off tenth",
        "others|.3f",
        "part|+.3f|part of the gap",
        "share|.0%|of the gap",
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
