"""Every learner before and after: who gains and who pays, by tenth, and a cloud of points to draw
around.

The cloud is drawn by Plotly, which has a lasso and can draw tens of thousands of points on the
graphics card. It is imported only when needed: no other library of the screens is as large.
"""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from equity_core.analysis.learners.population import OUTCOMES
from equity_core.analysis.words import signed
from equity_core.charts.base.marks import empty_chart, tooltips
from equity_core.charts.base.theme import palette, style

_HEIGHT = 250
_GAP = 0.3
"""The space between the bars of the gain and those of the price, for the numbers of the tenths, as
a share of the longest bar."""
MANY_POINTS = 3000
"""More points than this are drawn on the graphics card (WebGL), fewer as shapes, which every
browser can do."""
_SYMBOLS = dict(
    zip(
        OUTCOMES,
        ("circle-open", "circle", "triangle-up", "triangle-down", "x-thin-open"),
        strict=True,
    )
)


def _placed(frame: pd.DataFrame) -> tuple[pd.DataFrame, float, float]:
    """The frame with the ends of all bars, the base of the price's bars, and the lowest point. Gain
    and price have their own scales."""
    gain, price = (
        frame["gain"].to_numpy(dtype=np.float64),
        frame["price"].fillna(0.0).to_numpy(dtype=np.float64),
    )
    up, down = gain / max(np.abs(gain).max(), 1e-9), price / max(np.abs(price).max(), 1e-9)
    base = float(
        min(up.min(), 0.0) - _GAP - max(down.max(), 0.0) - (0.2 if (down > 0).any() else 0.0)
    )
    known = frame["price"].notna()
    data = frame.assign(
        zero=0.0,
        base=base,
        gain_at=up,
        price_at=np.where(known, base + down, np.nan),
        gain_text=[signed(value, 3) for value in gain],
        price_text=[
            signed(value, 3) if there else "" for value, there in zip(price, known, strict=True)
        ],
    )
    return data, base, float(base + min(down.min(), 0.0))


def gains_by_tenth(frame: pd.DataFrame, chosen: int = 0, dark: bool = False) -> Any:
    """Bars, one column per tenth (1 is the worst-off before): mean gain in consistency above, mean
    change in NDCG below. The ``chosen`` tenth is tinted.

    ``frame``: analysis.learners.population.changes_by_tenth. Gain and price have their own scales,
    so each bar is labelled with its value.
    """
    if frame.empty:
        return style(empty_chart("No learner has a list.", dark), dark)
    colours = palette(dark)
    data, _, lowest = _placed(frame)
    scale = alt.Scale(domain=[lowest - 0.2, 1.2], nice=False)
    chart = alt.Chart(data).encode(
        x=alt.X("tenth:O", axis=None, scale=alt.Scale(paddingInner=0.1, paddingOuter=0.05))
    )
    shown = tooltips(
        "tenth|d",
        "learners|,",
        "consistency_before|.3f|consistency before",
        "gain|+.3f|gain in consistency",
        "price|+.4f|change in NDCG",
        "unchanged|.0%|keep their list",
        "hits_lost|,|hits lost",
        "hits_found|,|hits found",
    )
    tint = chart.transform_filter(alt.datum.tenth == chosen).mark_bar(
        color=colours.after, opacity=0.13
    )
    layers = [tint.encode(y=alt.value(0), y2=alt.value(_HEIGHT))]
    for name, start, colour in (("gain", "zero", colours.after), ("price", "base", colours.before)):
        y, at = alt.Y(f"{name}_at:Q", scale=scale, axis=None), f"{name}_at"
        layers.append(
            chart.mark_bar(color=colour, width=alt.RelativeBandSize(0.55)).encode(
                y=y, y2=start, tooltip=shown
            )
        )
        for up in (True, False):
            side = alt.datum[at] >= alt.datum[start] if up else alt.datum[at] < alt.datum[start]
            figures = chart.transform_filter(side).mark_text(
                dy=-7 if up else 8, fontSize=alt.expr("width < 420 ? 8 : 10.5")
            )
            layers.append(figures.encode(y=y, text=f"{name}_text:N"))
    names = alt.Chart(data.assign(at=min(float(data["gain_at"].min()), 0.0) - 0.16)).mark_text(
        color=colours.muted, fontSize=11
    )
    layers.append(
        names.encode(x="tenth:O", y=alt.Y("at:Q", scale=scale, axis=None), text="tenth:O")
    )
    top = alt.Chart(pd.DataFrame({"text": ["Mean gain in consistency"]})).mark_text(
        align="right", baseline="top", color=colours.after, fontWeight=600
    )
    low = alt.Chart(pd.DataFrame({"text": ["Mean change in NDCG"]})).mark_text(
        align="right", baseline="bottom", color=colours.muted, fontWeight=600
    )
    layers += [
        words.encode(x=alt.value("width"), y=alt.value(at), text="text:N")
        for words, at in ((top, 2), (low, _HEIGHT - 2))
    ]
    return style(alt.layer(*layers).properties(height=_HEIGHT), dark)


def learner_cloud(shown: pd.DataFrame, here: int | None = None, dark: bool = False) -> Any:
    """One point per learner: consistency before against after, with colour and shape for what
    happens to the NDCG.

    ``shown``: analysis.learners.population.learner_points. ``here``: the position of the learner in
    view, who gets a ring. Each point carries its learner's position.
    """
    import plotly.graph_objects as go

    colours = palette(dark)
    hues = dict(
        zip(
            OUTCOMES,
            (colours.before, colours.text, colours.good, colours.bad, colours.muted),
            strict=True,
        )
    )
    draw = go.Scattergl if len(shown) > MANY_POINTS else go.Scatter
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
    for group in OUTCOMES:
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


def selected_learners(selection: Any) -> list[int]:
    """The positions of the learners in a selection, as Streamlit reports it."""
    points = (selection or {}).get("selection", {}).get("points", [])
    return sorted({int(point["customdata"][0]) for point in points if point.get("customdata")})
