"""Every learner as a point to draw around. Plotly: it picks points out by lasso, and draws tens of
thousands on the graphics card."""

from __future__ import annotations

from typing import Any

import pandas as pd

from equity_core.analysis.learners.explorer import GROUPS
from equity_core.charts.base.theme import palette

MANY = 3000
"""Points from which they are drawn by the graphics card (WebGL); fewer are drawn as shapes, which
any browser does."""
_SYMBOLS = dict(
    zip(
        GROUPS,
        ("circle-open", "circle", "triangle-up", "triangle-down", "x-thin-open"),
        strict=True,
    )
)


def cloud(shown: pd.DataFrame, here: int | None = None, dark: bool = False) -> Any:
    """Consistency before against after, a point a learner, by what happens to its NDCG (colour and
    shape).

    ``shown``: audit.explorer.points. ``here``: the position of the learner in view, ringed. Points
    carry the learner's position.
    """
    import plotly.graph_objects as go

    colours = palette(dark)
    hues = dict(
        zip(
            GROUPS,
            (colours.before, colours.text, colours.good, colours.bad, colours.muted),
            strict=True,
        )
    )
    draw = go.Scattergl if len(shown) > MANY else go.Scatter
    ends = [
        shown[["consistency_before", "consistency"]].min().min(),
        shown[["consistency_before", "consistency"]].max().max(),
    ]
    if shown.empty:
        ends = [0.0, 1.0]
    room = max((ends[1] - ends[0]) * 0.04, 0.01)
    low, high = float(ends[0]) - room, float(ends[1]) + room
    figure = go.Figure()
    figure.add_shape(
        type="line",
        x0=low,
        y0=low,
        x1=high,
        y1=high,
        line={"color": colours.before, "dash": "dot", "width": 1},
        layer="below",
    )
    for group in GROUPS:
        rows = shown[shown["group"] == group]
        if rows.empty:
            continue
        figure.add_trace(
            draw(
                x=rows["consistency_before"],
                y=rows["consistency"],
                mode="markers",
                name=f"{group} ({len(rows):,})",
                marker={"color": hues[group], "symbol": _SYMBOLS[group], "size": 7, "opacity": 0.6},
                customdata=[
                    [int(at), str(one), float(price)]
                    for at, one, price in zip(
                        rows.index, rows["learner_id"], rows["price"], strict=True
                    )
                ],
                hovertemplate=(
                    "%{customdata[1]}<br>%{x:.3f} → %{y:.3f}<br>NDCG"
                    " %{customdata[2]:+.3f}<extra></extra>"
                ),
            )
        )
    if here is not None and here in shown.index:
        spot = shown.loc[[here]]
        ring = {
            "color": "rgba(0,0,0,0)",
            "size": 15,
            "line": {"color": colours.after, "width": 2.5},
        }
        x, y = spot["consistency_before"], spot["consistency"]
        figure.add_trace(
            go.Scatter(x=x, y=y, mode="markers", name="in view", marker=ring, hoverinfo="skip")
        )
    axis = {
        "range": [low, high],
        "gridcolor": colours.grid,
        "zeroline": False,
        "linecolor": colours.grid,
        "tickformat": ".2f",
    }
    figure.update_layout(
        height=440,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        dragmode="lasso",
        font={"color": colours.text, "size": 12},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "y": -0.16, "yanchor": "top", "x": 0, "title": None},
        xaxis={**axis, "title": {"text": "Consistency of the recommender's own list"}},
        yaxis={**axis, "title": {"text": "Consistency under the policy"}},
    )
    return figure


def picked(selection: Any) -> list[int]:
    """The positions of the learners in a selection as Streamlit reports it."""
    points = (selection or {}).get("selection", {}).get("points", [])
    return sorted({int(point["customdata"][0]) for point in points if point.get("customdata")})
