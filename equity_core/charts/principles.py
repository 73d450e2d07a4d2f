"""The principles before and after, as dumbbells: every principle, in order, on one scale."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from equity_core.charts.live import Spec, filled, named, template
from equity_core.charts.marks import CAPITAL, tips
from equity_core.charts.theme import palette, style

WHEN = ("own lists", "policy")
ROW = 36
NARROW = 380
"""Pixels below which the values beside the dumbbells are left out (table and tooltips have them)."""
RIGHT = 1.5
"""Where the words beside the dumbbells end, on the axis of 0 to 1."""


def dumbbells(names: list[str], dark: bool = False) -> Spec:
    """Before (grey) and after (accent), ±1 sd over learners as a line, the mean target as a tick. To be filled by :func:`dumbbells_at`."""
    colours = palette(dark)
    scale = alt.Scale(domain=[0, RIGHT], nice=False)
    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f", title=None)
    y = alt.Y("principle:N", sort=names, title=None, axis=alt.Axis(labelExpr=CAPITAL, ticks=False, domain=False, labelColor=colours.text))
    when = alt.YOffset("when:N", scale=alt.Scale(domain=list(WHEN), paddingInner=0.4, paddingOuter=0.5))
    shade = alt.Color(
        "when:N", scale=alt.Scale(domain=list(WHEN), range=[colours.before, colours.after]), legend=alt.Legend(orient="top", title=None)
    )
    rows, points = named("rows"), named("points")
    x = alt.X("mean:Q", scale=scale, axis=axis)
    right = alt.X("right:Q", scale=scale, axis=axis)
    words: dict[str, Any] = {"align": "right", "baseline": "middle"}
    layers = [
        points.mark_rule(strokeWidth=1.5, opacity=0.7).encode(
            y=y, x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q", yOffset=when, color=shade
        ),
        rows.mark_tick(color=colours.text, thickness=2, height=24).encode(y=y, x=alt.X("target:Q", scale=scale, axis=axis)),
        points.mark_point(filled=True, size=70, opacity=1).encode(
            y=y, x=x, yOffset=when, color=shade, tooltip=tips("principle", "when", "mean|.3f", "sd|.3f|sd over learners")
        ),
        rows.mark_text(dx=-62, color=colours.muted, opacity=alt.expr(f"width < {NARROW} ? 0 : 1"), **words).encode(
            y=y, x=right, text="span:N"
        ),
        *(
            rows.transform_filter(alt.datum.tone == tone).mark_text(color=hue, fontWeight=600, **words).encode(y=y, x=right, text="move:N")
            for tone, hue in (("good", colours.good), ("bad", colours.bad), ("same", colours.muted))
        ),
    ]
    return template(style(alt.layer(*layers, height=ROW * max(len(names), 1) + 10), dark))


def dumbbells_at(spec: Spec, frame: pd.DataFrame) -> Spec:
    """The chart with its data: audit.before_after.principles."""
    rows = frame.reset_index()
    small = rows["change"].abs() < 5e-4
    arrows = ["=" if flat else "▲" if change > 0 else "▼" for flat, change in zip(small, rows["change"], strict=True)]
    rows = rows.assign(
        right=RIGHT,
        span=[f"{a:.2f} → {b:.2f}" for a, b in zip(rows["before"], rows["after"], strict=True)],
        tone=["same" if arrow == "=" else "good" if arrow == "▲" else "bad" for arrow in arrows],
        move=[f"{arrow} {abs(change):.3f}" for arrow, change in zip(arrows, rows["change"], strict=True)],
    )
    parts = []
    for when, column in zip(WHEN, ("before", "after"), strict=True):
        part = pd.DataFrame({"principle": rows["principle"], "when": when, "mean": rows[column], "sd": rows[f"{column}_sd"]})
        parts.append(part.assign(low=(part["mean"] - part["sd"]).clip(lower=0), high=(part["mean"] + part["sd"]).clip(upper=1)))
    return filled(spec, rows=rows, points=pd.concat(parts, ignore_index=True))
