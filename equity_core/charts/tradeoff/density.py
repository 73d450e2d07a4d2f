"""Relevance density by recommender (the paper's Fig. 13), in small multiples."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from equity_core.algorithms import label
from equity_core.charts.base import grid as grids
from equity_core.charts.base.marks import empty_chart, tooltips
from equity_core.charts.base.theme import palette, style


def density_chart(frame: pd.DataFrame, chosen: str, dark: bool = False) -> Any:
    """Fig. 13: how the candidates' relevance is spread, one cell per algorithm; the chosen one
    stands out.

    ``frame``: :func:`equity_core.analysis.tradeoff.density.density`.
    """
    colours = palette(dark)
    names = list(dict.fromkeys(frame["algorithm"]))
    if not names:
        return style(empty_chart("No recommender has candidates.", dark), dark)
    grid, where = grids.wrapped_grid(names, 5, (0.0, max(float(frame["share"].max()), 1e-6)))
    cells = frame.assign(
        column=[where[a][0] for a in frame["algorithm"]],
        row=[where[a][1] for a in frame["algorithm"]],
    )
    placed = grid.with_places(cells, "column", "row", "low", "share")
    placed = placed.assign(
        x2=[grid.x(c, v) for c, v in zip(placed["column"], placed["high"], strict=True)],
        foot=[grid.bottom(r) for r in placed["row"]],
        label=[label(a) for a in placed["algorithm"]],
        strong=[a == chosen for a in placed["algorithm"]],
    )
    scale = alt.Scale(domain=[label(a) for a in names], range=[colours.algorithm(a) for a in names])
    x, y = grids.x_scale(grid), grids.y_scale(grid)
    bars = (
        alt.Chart(placed.drop(columns=["column", "row"]))
        .mark_rect()
        .encode(
            x=x,
            x2="x2:Q",
            y=y,
            y2="foot:Q",
            color=alt.Color("label:N", scale=scale, legend=None),
            opacity=alt.condition(alt.datum.strong, alt.value(1.0), alt.value(0.5)),
            tooltip=tooltips(
                "label||recommender",
                "low|.2f|relevance from",
                "high|.2f|to",
                "share|.1%|share of candidates",
            ),
        )
    )
    spots = [
        {"x_at": grid.left(c), "y_at": grid.bottom(r) + 1.15, "text": label(name)}
        for name, (c, r) in where.items()
    ]
    layers = [
        grids.base_lines(grid, dark),
        bars,
        grids.texts(spots, grid, dark, color=colours.text, fontWeight=600, fontSize=11.5),
        grids.x_ticks(grid, dark, (0, 1)),
    ]
    return style(alt.layer(*layers, height=120 * len(grid.rows)), dark)
