"""Figs. 11 to 13: what a loss buys, principles over λ, relevance density."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import altair as alt
import pandas as pd

from equity_core.algorithms import label
from equity_core.charts.base import grid as grids
from equity_core.charts.base.grid import Grid
from equity_core.charts.base.marks import nothing, tips
from equity_core.charts.base.templates import Spec, named, template
from equity_core.charts.base.theme import palette, style


def _ends_placed(frame: pd.DataFrame, grid: Grid, column: str, row: str, x: str) -> pd.DataFrame:
    """The frame with the places of the ends of its intervals, low_at and high_at; rows without an
    interval are left out."""
    known = frame.dropna(subset=["low", "high"])
    low, high = (grid.place(known, column, row, x, end) for end in ("low", "high"))
    return low.assign(low_at=low["y_at"], high_at=high["y_at"])


def _band(placed: pd.DataFrame, x: alt.X, y: alt.Y, hue: Any) -> Any:
    """The intervals along a line."""
    low = y.copy()
    low.shorthand = "low_at:Q"
    known = alt.Chart(placed).transform_filter("isValid(datum.low_at) && isValid(datum.high_at)")
    return known.mark_area(opacity=0.2).encode(
        x=x, y=low, y2="high_at:Q", color=hue, detail="principle:N"
    )


def bought(frame: pd.DataFrame, gain: str, dark: bool = False) -> Any:
    """Fig. 11: the loss of NDCG against a gain. ``frame``: audit.curves.bought; ``gain``:
    "gain_consistency" or "gain_equality".

    Thin lines through the points: 95 % intervals of loss and gain.
    """
    colours, known = palette(dark), frame.dropna(subset=["loss", gain])
    if known.empty:
        return style(nothing("NDCG is unknown here, so that no loss can be drawn.", dark), dark)
    several = len(set(known["algorithm"])) > 1
    names = list(dict.fromkeys(known["algorithm"] if several else known["line"]))
    known = known.assign(
        name=[
            label(a) if several else line
            for a, line in zip(known["algorithm"], known["line"], strict=True)
        ]
    )
    ranges = (
        [colours.algorithm(n) for n in names]
        if several
        else [colours.floor if n == "floor" else colours.lam for n in names]
    )
    dashes = {
        "glob": [1, 0],
        "user": [6, 3],
        "pers": [2, 2],
        "custom": [6, 2, 2, 2],
        "floor": [1, 0],
    }
    domain = [label(n) if several else n for n in names]
    hue = alt.Color(
        "name:N",
        scale=alt.Scale(domain=domain, range=ranges),
        legend=alt.Legend(orient="top", title=None),
    )
    dash = alt.StrokeDash(
        "name:N",
        scale=alt.Scale(
            domain=domain,
            range=[[1, 0]] * len(names) if several else [dashes.get(n, [1, 0]) for n in names],
        ),
    )
    words = "NDCG lost against the own lists", f"Gain in {gain.removeprefix('gain_')}"
    x = alt.X("loss:Q", title=words[0], axis=alt.Axis(format=".0%", tickCount=6))
    y = alt.Y(f"{gain}:Q", title=words[1], axis=alt.Axis(format="+.3~f", tickCount=5))
    tooltip = tips(
        "name",
        "value|.3~f|λ or τ",
        "loss|.1%",
        "loss_low|.1%|95 % interval from",
        "loss_high|.1%|to",
        f"{gain}|+.4f|gain",
        f"{gain}_low|+.4f|95 % interval from",
        f"{gain}_high|+.4f|to",
    )
    thin = alt.Chart(known).mark_rule(strokeWidth=1, opacity=0.4)
    across = thin.encode(x=alt.X("loss_low:Q", title=words[0]), x2="loss_high:Q", y=y, color=hue)
    upwards = thin.encode(
        x=x, y=alt.Y(f"{gain}_low:Q", title=words[1]), y2=f"{gain}_high:Q", color=hue
    )
    line = (
        alt.Chart(known)
        .mark_line(strokeWidth=2)
        .encode(x=x, y=y, color=hue, strokeDash=dash, order="value:Q")
    )
    dots = (
        alt.Chart(known)
        .mark_point(filled=True, size=26, opacity=1)
        .encode(x=x, y=y, color=hue, tooltip=tooltip)
    )
    zero = (
        alt.Chart(pd.DataFrame({"loss": [0.0]}))
        .mark_rule(color=colours.before, strokeDash=[2, 3])
        .encode(x=x)
    )
    return style(alt.layer(zero, across, upwards, line, dots, height=260), dark)


def by_principle(
    frame: pd.DataFrame, names: list[str], dark: bool = False, symbol: str = "λ"
) -> Spec:
    """Fig. 12: each principle over λ (or τ), 0 to 1, the own lists dashed. ``frame``:
    audit.curves.by_principle. Data set "now" to come.

    Bands: 95 % intervals of the means.
    """
    colours = palette(dark)
    grid, where = grids.wrapped(names, 4)
    span = float(frame["value"].min()), float(frame["value"].max())
    grid = replace(grid, x_span=span if span[0] < span[1] else (span[0], span[0] + 1))
    placed = _in_cells(frame, grid, where, "value", "mean")
    scale = alt.Scale(domain=names, range=colours.principles(names))
    x, y = grids.x_scale(grid), grids.y_scale(grid)
    hue = alt.Color("principle:N", scale=scale, legend=None)
    start = placed.groupby("principle", sort=False).first().reset_index()
    start = start.assign(
        y_at=[grid.y(where[p][1], v) for p, v in zip(start["principle"], start["own"], strict=True)]
    )
    start = start.assign(
        end=[grid.left(where[p][0]) + 1 for p in start["principle"]],
        x_at=[grid.left(where[p][0]) for p in start["principle"]],
    )
    tooltip = tips(
        "principle",
        f"value|.3~f|{symbol}",
        "mean|.3f",
        "low|.3f|95 % interval from",
        "high|.3f|to",
        "own|.3f|own lists",
    )
    cells = frame.assign(
        column=[where[p][0] for p in frame["principle"]],
        row=[where[p][1] for p in frame["principle"]],
    )
    band = _ends_placed(cells, grid, "column", "row", "value").drop(columns=["column", "row"])
    spots = [
        {"x_at": grid.left(c), "y_at": grid.bottom(r) + 1.15, "text": name.capitalize()}
        for name, (c, r) in where.items()
    ]
    layers = [
        grids.floor_lines(grid, dark),
        alt.Chart(start)
        .mark_rule(color=colours.before, strokeDash=[2, 3])
        .encode(x=x, y=y, x2="end:Q"),
        _band(band, x, y, hue),
        alt.Chart(placed)
        .mark_line(strokeWidth=2)
        .encode(x=x, y=y, color=hue, detail="principle:N", order="value:Q"),
        alt.Chart(placed)
        .mark_point(size=90, opacity=0, filled=True)
        .encode(x=x, y=y, tooltip=tooltip),
        named("now").mark_point(filled=True, size=55, opacity=1).encode(x=x, y=y, color=hue),
        named("now")
        .mark_text(dy=-10, fontWeight=600, color=colours.text)
        .encode(x=x, y=y, text=alt.Text("mean:Q", format=".2f")),
        grids.texts(spots, grid, dark, color=colours.text, fontWeight=600, fontSize=11.5),
        grids.x_ticks(grid, dark, (span[0], span[1]), f"{symbol} "),
    ]
    return template(style(alt.layer(*layers, height=130 * len(grid.rows)), dark))


def principles_at(
    frame: pd.DataFrame, names: list[str], means: pd.Series, value: float | None
) -> pd.DataFrame:
    """The data set "now" of :func:`by_principle`: the current means at λ (or τ); no rows without a
    value on this axis."""
    grid, where = grids.wrapped(names, 4)
    span = float(frame["value"].min()), float(frame["value"].max())
    grid = replace(grid, x_span=span if span[0] < span[1] else (span[0], span[0] + 1))
    rows = pd.DataFrame(
        {"principle": names, "value": value, "mean": [float(means[name]) for name in names]}
    )
    return _in_cells(
        rows if value is not None and span[0] <= value <= span[1] else rows.iloc[:0],
        grid,
        where,
        "value",
        "mean",
    )


def _in_cells(
    frame: pd.DataFrame, grid: Grid, where: dict[str, tuple[str, str]], x: str, y: str
) -> pd.DataFrame:
    cells = frame.assign(
        column=[where[p][0] for p in frame["principle"]],
        row=[where[p][1] for p in frame["principle"]],
    )
    return grid.place(cells, "column", "row", x, y).drop(columns=["column", "row"])


def density(frame: pd.DataFrame, chosen: str, dark: bool = False) -> Any:
    """Fig. 13: how the candidates' relevance is spread, a cell an algorithm. ``frame``:
    audit.density.density. The chosen one in colour."""
    colours = palette(dark)
    names = list(dict.fromkeys(frame["algorithm"]))
    if not names:
        return style(nothing("No recommender has candidates.", dark), dark)
    grid, where = grids.wrapped(names, 5, (0.0, max(float(frame["share"].max()), 1e-6)))
    cells = frame.assign(
        column=[where[a][0] for a in frame["algorithm"]],
        row=[where[a][1] for a in frame["algorithm"]],
    )
    placed = grid.place(cells, "column", "row", "low", "share")
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
            tooltip=tips(
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
        grids.floor_lines(grid, dark),
        bars,
        grids.texts(spots, grid, dark, color=colours.text, fontWeight=600, fontSize=11.5),
        grids.x_ticks(grid, dark, (0, 1)),
    ]
    return style(alt.layer(*layers, height=120 * len(grid.rows)), dark)
