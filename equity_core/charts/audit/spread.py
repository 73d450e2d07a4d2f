"""Charts of how consistency is distributed over learners and recommenders: figures 3a, 3b, 3c and
the Lorenz curve."""

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
    spread_apart,
    tooltips,
)
from equity_core.charts.base.theme import palette, style

LABEL = 13.0
"""Pixels that a label needs."""


def sorted_curves(frame: pd.DataFrame, chosen: str, dark: bool = False) -> Any:
    """Figure 3a: consistency of every learner's list, worst-off first."""
    domain = axis_range(frame["consistency"])
    return _curves(frame, chosen, "consistency", domain, axis_title("Consistency", *domain), dark)


def lorenz_lines(frame: pd.DataFrame, chosen: str, dark: bool = False) -> Any:
    """The Lorenz curves, with the line of equality."""
    return _curves(frame, chosen, "held", (0.0, 1.0), "Share of total consistency", dark, line=True)


def lorenz_gap_lines(frame: pd.DataFrame, chosen: str, dark: bool = False) -> Any:
    """How far each Lorenz curve is below the line of equality: the same curves, zoomed in. Labels
    stand at the height of each curve's top."""
    top = max(0.0 if frame.empty else float(frame["missing"].max()), 1e-3) * 1.08
    return _curves(
        frame, chosen, "missing", (0.0, top), "Distance below the line of equality", dark
    )


def _curves(
    frame: pd.DataFrame,
    chosen: str,
    field: str,
    domain: tuple[float, float],
    title: str,
    dark: bool,
    line: bool = False,
) -> Any:
    """One line per algorithm over shares of learners, the chosen one thick, each labelled at its
    right end."""
    if frame.empty:
        return style(empty_chart("no lists", dark), dark)
    colours, colour = palette(dark), colour_by_label(frame, dark)
    x = alt.X(
        "share:Q",
        title="Learners, worst-off to best-off",
        scale=alt.Scale(domain=[0, 1.36], nice=False),
        axis=alt.Axis(values=[0.1, 0.5, 1], format=".0%", grid=False),
    )
    y = alt.Y(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(domain=domain, nice=False),
        axis=alt.Axis(tickCount=5),
    )
    words = {"held": "share of total consistency", "missing": "below the line of equality"}
    hover = tooltips(
        "label||recommender",
        "share|.1%|share of learners",
        f"{field}|.3f|{words.get(field, field)}",
    )
    tenth = (
        alt.Chart(pd.DataFrame({"from": [0.0], "to": [0.1]}))
        .mark_rect(color=colours.bad, opacity=0.09)
        .encode(x="from:Q", x2="to:Q")
    )
    layers = [
        tenth,
        alt.Chart(frame)
        .mark_line(strokeWidth=1.4, opacity=0.85)
        .encode(x=x, y=y, color=colour, tooltip=hover),
        alt.Chart(frame[frame["algorithm"] == chosen])
        .mark_line(strokeWidth=3.4)
        .encode(x=x, y=y, color=colour, tooltip=hover),
        *_names(frame, chosen, field, domain, colour),
        alt.Chart(pd.DataFrame({"share": [0.012], "text": ["worst-off tenth"]}))
        .mark_text(align="left", baseline="top", dy=3, color=colours.bad, fontSize=11)
        .encode(x="share:Q", y=alt.value(0), text="text:N"),
    ]
    if line:
        ends = alt.Chart(pd.DataFrame({"share": [0.0, 1.0], field: [0.0, 1.0]}))
        layers.insert(
            1,
            ends.mark_line(color=colours.muted, strokeDash=[4, 3]).encode(
                x="share:Q", y=f"{field}:Q"
            ),
        )
    return style(alt.layer(*layers).properties(height=_height(frame)), dark)


def _height(frame: pd.DataFrame) -> int:
    """As tall as Table 1 beside it, which has one row per algorithm."""
    return max(300, 37 * frame["algorithm"].nunique() + 10)


def _names(
    frame: pd.DataFrame, chosen: str, field: str, domain: tuple[float, float], colour: alt.Color
) -> list[Any]:
    """The labels of the curves, at their highest value unless they would overlap."""
    ends = (
        frame.groupby("algorithm", sort=False)
        .agg(label=("label", "first"), share=("share", "last"), at=(field, "max"))
        .reset_index()
    )
    room = LABEL / (_height(frame) - AXIS) * (domain[1] - domain[0])
    places = spread_apart(ends["at"].tolist(), room)
    ends["at"] = [place - max(0.0, max(places) - domain[1]) for place in places]
    base = alt.Chart(ends).encode(x="share:Q", y=alt.Y("at:Q"), text="label:N", color=colour)
    return [
        base.mark_text(align="left", dx=6, fontSize=11).transform_filter(
            alt.datum.algorithm != chosen
        ),
        base.mark_text(align="left", dx=6, fontSize=11, fontWeight="bold").transform_filter(
            alt.datum.algorithm == chosen
        ),
    ]


def error_bars(frame: pd.DataFrame, chosen: str, dark: bool = False) -> Any:
    """Figure 3b: consistency over learners, dot mean, thick ±1 sd, thin min to max; the chosen
    algorithm tinted."""
    frame = frame.reset_index().dropna(subset=["consistency"])
    if frame.empty:
        return style(empty_chart("no lists", dark), dark)
    frame = frame.assign(
        below=frame["consistency"] - frame["sd"], above=frame["consistency"] + frame["sd"]
    )
    domain = axis_range(pd.concat([frame["min"], frame["max"], frame["below"], frame["above"]]))
    colour, y = colour_by_label(frame, dark), rows_axis("label", frame["label"].tolist(), dark)
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    x = alt.X("consistency:Q", title=axis_title("Consistency", *domain), scale=scale)
    base = alt.Chart(frame).encode(
        y=y,
        tooltip=tooltips("label", "consistency|.3f", "sd|.3f", "min|.3f", "max|.3f", "learners|,"),
    )
    tint = alt.Chart(frame[frame["algorithm"] == chosen]).mark_bar(
        color=palette(dark).surface, height={"band": 1}
    )
    return style(
        alt.layer(
            tint.encode(x=alt.value(0), x2=alt.value("width"), y=y),
            base.mark_rule(strokeWidth=1.2, opacity=0.6).encode(
                x=alt.X("min:Q", scale=scale), x2="max:Q", color=colour
            ),
            base.mark_rule(strokeWidth=6, opacity=0.45).encode(
                x=alt.X("below:Q", scale=scale), x2="above:Q", color=colour
            ),
            base.mark_point(size=70, opacity=1, strokeWidth=1.8).encode(
                x=x, **by_label(frame, dark)
            ),
        ).properties(height=ROW * len(frame) + AXIS),
        dark,
    )


def equality_consistency_scatter(frame: pd.DataFrame, chosen: str, dark: bool = False) -> Any:
    """Figure 3c: equality against mean consistency, one labelled point per recommender, with the 95
    % intervals of both."""
    frame = frame.reset_index().dropna(subset=["consistency", "equality"])
    if frame.empty:
        return style(empty_chart("no lists", dark), dark)
    height = max(190, ROW * len(frame)) + AXIS
    left, bottom = (
        axis_range(pd.concat([frame[name], frame[f"{name}_low"], frame[f"{name}_high"]]), step)
        for name, step in (("consistency", 0.02), ("equality", 0.005))
    )
    across = alt.Scale(domain=[left[0], left[1] + 0.3 * (left[1] - left[0])], nice=False)
    x = alt.X(
        "consistency:Q",
        title=axis_title("Mean consistency", *left),
        scale=across,
        axis=alt.Axis(tickCount=5),
    )
    upwards = alt.Scale(domain=bottom, nice=False)
    y = alt.Y(
        "equality:Q",
        title=axis_title("Equality", *bottom),
        scale=upwards,
        axis=alt.Axis(tickCount=5),
    )
    frame = frame.assign(
        at=spread_apart(frame["equality"].tolist(), LABEL / height * (bottom[1] - bottom[0]))
    )
    hover = tooltips(
        "label",
        "consistency|.3f",
        "consistency_low|.3f|95 % interval from",
        "consistency_high|.3f|to",
        "equality|.3f",
        "equality_low|.3f|95 % interval from",
        "equality_high|.3f|to",
        "ndcg|.3f",
    )
    thin, hue = (
        alt.Chart(frame).mark_rule(strokeWidth=1.4, opacity=0.7),
        colour_by_label(frame, dark),
    )
    wide = thin.encode(
        x=alt.X("consistency_low:Q", scale=across), x2="consistency_high:Q", y=y, color=hue
    )
    tall = thin.encode(
        x=x, y=alt.Y("equality_low:Q", scale=upwards), y2="equality_high:Q", color=hue
    )
    points = (
        alt.Chart(frame)
        .mark_point(size=90, opacity=1, strokeWidth=1.8)
        .encode(x=x, y=y, tooltip=hover, **by_label(frame, dark))
    )
    words = alt.Chart(frame).encode(
        x=x, y=alt.Y("at:Q"), text="label:N", color=colour_by_label(frame, dark)
    )
    halo = words.mark_text(align="left", dx=9, stroke=palette(dark).background, strokeWidth=3)
    plain = words.mark_text(align="left", dx=9).transform_filter(alt.datum.algorithm != chosen)
    bold = words.mark_text(align="left", dx=9, fontWeight="bold").transform_filter(
        alt.datum.algorithm == chosen
    )
    return style(alt.layer(wide, tall, halo, plain, bold, points).properties(height=height), dark)
