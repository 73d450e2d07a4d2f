"""The principles before and after, as dumbbells: every principle, in order, on one scale."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from equity_core.charts.base.marks import CAPITAL, tips
from equity_core.charts.base.templates import Spec, filled, named, template
from equity_core.charts.base.theme import palette, style

WHEN = ("own lists", "policy")
ROW = 36
NARROW = 380
"""Pixels below which the values beside the dumbbells are left out (table and tooltips have
them)."""
RIGHT = 1.5
"""Where the words beside the dumbbells end, on the axis of 0 to 1."""


def dumbbells(names: list[str], dark: bool = False) -> Spec:
    """Before (grey) and after (accent), ±1 sd over learners as a line, the mean target as a tick.
    To be filled by :func:`dumbbells_at`."""
    colours = palette(dark)
    scale = alt.Scale(domain=[0, RIGHT], nice=False)
    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f", title=None)
    y = alt.Y(
        "principle:N",
        sort=names,
        title=None,
        axis=alt.Axis(labelExpr=CAPITAL, ticks=False, domain=False, labelColor=colours.text),
    )
    when = alt.YOffset(
        "when:N", scale=alt.Scale(domain=list(WHEN), paddingInner=0.4, paddingOuter=0.5)
    )
    shade = alt.Color(
        "when:N",
        scale=alt.Scale(domain=list(WHEN), range=[colours.before, colours.after]),
        legend=alt.Legend(orient="top", title=None),
    )
    rows, points = named("rows"), named("points")
    x = alt.X("mean:Q", scale=scale, axis=axis)
    right = alt.X("right:Q", scale=scale, axis=axis)
    words: dict[str, Any] = {"align": "right", "baseline": "middle"}
    layers = [
        points.mark_rule(strokeWidth=1.5, opacity=0.7).encode(
            y=y, x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q", yOffset=when, color=shade
        ),
        rows.mark_tick(color=colours.text, thickness=2, height=24).encode(
            y=y, x=alt.X("target:Q", scale=scale, axis=axis)
        ),
        points.mark_point(filled=True, size=70, opacity=1).encode(
            y=y,
            x=x,
            yOffset=when,
            color=shade,
            tooltip=tips("principle", "when", "mean|.3f", "sd|.3f|sd over learners"),
        ),
        rows.mark_text(
            dx=-62, color=colours.muted, opacity=alt.expr(f"width < {NARROW} ? 0 : 1"), **words
        ).encode(y=y, x=right, text="span:N"),
        *(
            rows.transform_filter(alt.datum.tone == tone)
            .mark_text(color=hue, fontWeight=600, **words)
            .encode(y=y, x=right, text="move:N")
            for tone, hue in (("good", colours.good), ("bad", colours.bad), ("same", colours.muted))
        ),
    ]
    return template(style(alt.layer(*layers, height=ROW * max(len(names), 1) + 10), dark))


def dumbbells_at(spec: Spec, frame: pd.DataFrame) -> Spec:
    """The chart with its data: audit.before_after.principles."""
    names, before, after, change = (
        list(map(str, frame.index)),
        *(frame[column].tolist() for column in ("before", "after", "change")),
    )
    arrows = ["=" if abs(move) < 5e-4 else "▼" if move < 0 else "▲" for move in change]
    rows = {
        "principle": names,
        "target": frame["target"].tolist(),
        "right": [RIGHT] * len(names),
        "span": [f"{a:.2f} → {b:.2f}" for a, b in zip(before, after, strict=True)],
        "tone": ["same" if arrow == "=" else "good" if arrow == "▲" else "bad" for arrow in arrows],
        "move": [f"{arrow} {abs(move):.3f}" for arrow, move in zip(arrows, change, strict=True)],
    }
    means, sds = before + after, frame["before_sd"].tolist() + frame["after_sd"].tolist()
    points = {
        "principle": names * 2,
        "when": [WHEN[0]] * len(names) + [WHEN[1]] * len(names),
        "mean": means,
        "sd": sds,
        "low": [max(mean - sd, 0.0) for mean, sd in zip(means, sds, strict=True)],
        "high": [min(mean + sd, 1.0) for mean, sd in zip(means, sds, strict=True)],
    }
    return filled(spec, rows=rows, points=points)
