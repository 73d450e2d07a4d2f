"""The measures over λ by strategy (the paper's Fig. 10), and what a loss of NDCG buys (Fig. 11)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import altair as alt
import pandas as pd

from equity_core.algorithms import label
from equity_core.analysis.words import STRATEGIES
from equity_core.charts.base import grid as grids
from equity_core.charts.base.grid import Grid
from equity_core.charts.base.marks import empty_chart, tooltips
from equity_core.charts.base.templates import Spec, named_layer, specification
from equity_core.charts.base.theme import palette, style

NAMES = {"ndcg": "NDCG", "consistency": "Consistency", "equality": "Equality"}
LINE_NAMES = {**STRATEGIES, "floor": "Floor τ"}
"""The lines of both figures as their charts name them."""
LEFT = 0.55
"""Room to the left of the first column for the rows' names, in cells."""
BROKEN: dict[str, Any] = {"invalid": "break-paths-filter-domains", "order": False}
"""A line of points in the order of their rows, which stops where a place is missing and continues
after it."""


# -------------------------------------------------------------------------------------------------
# Fig. 10: measures over λ by strategy


def row_span(values: pd.Series) -> tuple[float, float]:
    """The ends of the scale of a row's cells: those of its values, on round numbers."""
    known = values.dropna()
    if known.empty:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    for step in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5):
        if (high - low) / step <= 8:
            break
    bottom, top = int(low / step + 1e-9) * step, (int(high / step - 1e-9) + 1) * step
    return round(bottom, 4), round(max(top, bottom + step), 4)


def strategy_grid(frame: pd.DataFrame) -> Grid:
    """Where the cells of Fig. 10 are: one column per strategy, one row per measure. ``frame``:
    :func:`equity_core.analysis.tradeoff.curves.by_strategy`."""
    rows = tuple(NAMES)
    spans = []
    for measure in rows:
        part = frame[frame["measure"] == measure]
        spans.append(row_span(pd.concat([part["value"], part["low"], part["high"]])))
    return Grid(tuple(dict.fromkeys(frame["strategy"])), rows, tuple(spans))


def strategies_template(frame: pd.DataFrame, dark: bool = False) -> Spec:
    """Fig. 10: NDCG, consistency and equality over λ. ``frame``:
    :func:`equity_core.analysis.tradeoff.curves.by_strategy`.

    One algorithm: its line in colour, the other strategies in thin grey. Several: one line each, in
    their colours. Bands: 95 % intervals. The data set "now" comes from :func:`strategy_marks`.
    """
    colours, grid = palette(dark), strategy_grid(frame)
    algorithms = list(dict.fromkeys(frame["algorithm"]))
    x, y = grids.x_scale(grid, LEFT), grids.y_scale(grid)
    placed = grid.with_places(frame, "strategy", "measure", "lam", "value")
    ends_at = {
        f"{end}_at": grid.with_places(frame, "strategy", "measure", "lam", end)["y_at"]
        for end in ("low", "high")
    }
    placed = placed.assign(**ends_at, label=[label(a) for a in placed["algorithm"]])
    hue: Any
    layers: list[Any] = [grids.base_lines(grid, dark, LEFT)]
    start = placed[placed["lam"] == placed["lam"].min()]
    flat = start[["x_at", "y_at"]].assign(end=[grid.left(c) + 1 for c in start["strategy"]])
    layers.append(
        alt.Chart(flat)
        .mark_rule(color=colours.before, strokeDash=[2, 3])
        .encode(x=x, y=y, x2="end:Q")
    )
    if len(algorithms) == 1:
        if len(grid.columns) > 1:
            others = [
                grid.with_places(
                    frame[frame["strategy"] != c].assign(shown=c),
                    "shown",
                    "measure",
                    "lam",
                    "value",
                )
                for c in grid.columns
            ]
            grey = broken_line(
                pd.concat(others), ["shown", "strategy", "measure"], ["x_at", "y_at"]
            )
            layers.append(_line(grey, x, y, alt.value(colours.before), strokeWidth=1, opacity=0.55))
        hue, name = alt.value(colours.lam), ""
        pointed = _strips(placed, grid, x)
    else:
        scale = alt.Scale(
            domain=[label(a) for a in algorithms], range=[colours.algorithm(a) for a in algorithms]
        )
        name = "label"
        hue = alt.Color(
            "label:N", scale=scale, legend=alt.Legend(orient="top", title=None, symbolType="stroke")
        )
        pointed = _points(placed, x, y)
    curves = broken_line(
        placed, ["algorithm", "strategy", "measure"], ["x_at", "y_at", "low_at", "high_at"], name
    )
    layers += [_band(curves, x, y, hue), _line(curves, x, y, hue, strokeWidth=2), pointed]
    now = named_layer("now")
    layers.append(
        now.mark_rule(color=colours.muted).encode(x=x, y=grids.y_scale(grid, "foot"), y2="head:Q")
    )
    if len(algorithms) == 1:
        layers.append(
            now.mark_point(filled=True, size=55, color=colours.lam, opacity=1).encode(x=x, y=y)
        )
        words = now.mark_text(align="left", dx=4, color=colours.lam, fontWeight=700)
        layers.append(
            words.encode(
                x=grids.x_scale(grid, LEFT, field="begin"),
                y=grids.y_scale(grid, "middle"),
                text="text:N",
            )
        )
    rows = [{"x_at": -LEFT, "y_at": grid.bottom(r) + 0.5, "text": NAMES[r]} for r in grid.rows]
    layers.append(
        grids.texts(rows, grid, dark, LEFT, color=colours.text, fontWeight=600, fontSize=11.5)
    )
    spots = [
        {"x_at": -0.03, "y_at": grid.bottom(r) + up, "text": f"{grid.spans[at][up]:g}"}
        for at, r in enumerate(grid.rows)
        for up in (0, 1)
    ]
    layers.append(grids.texts(spots, grid, dark, LEFT, align="right"))
    layers += [
        *grids.headings(grid, dark, LINE_NAMES, LEFT),
        grids.x_ticks(grid, dark, (0, 0.5, 1), "λ ", LEFT),
    ]
    return specification(style(alt.layer(*layers, height=300), dark))


def broken_line(
    placed: pd.DataFrame, by: list[str], places: list[str], name: str = ""
) -> pd.DataFrame:
    """The points of many lines as those of one line that breaks between them; ``name``: a column
    to keep.

    To a browser, each separate line is a group of five elements, and it goes through all of them at
    every move of the slider.
    """
    gap = dict.fromkeys(places, float("nan"))
    kept = [*places, *filter(None, [name])]
    parts = [
        one
        for _, part in placed.groupby(by, sort=False)
        for one in (part[kept], part[kept].tail(1).assign(**gap))
    ]
    return pd.concat(parts, ignore_index=True) if parts else placed[kept]


def _line(points: pd.DataFrame, x: alt.X, y: alt.Y, hue: Any, **mark: Any) -> Any:
    return alt.Chart(points).mark_line(**BROKEN, **mark).encode(x=x, y=y, color=hue)


def _band(points: pd.DataFrame, x: alt.X, y: alt.Y, hue: Any) -> Any:
    """The intervals along the lines."""
    low = y.copy()
    low.shorthand = "low_at:Q"
    return (
        alt.Chart(points)
        .mark_area(**BROKEN, opacity=0.2)
        .encode(x=x, y=low, y2="high_at:Q", color=hue)
    )


def _points(placed: pd.DataFrame, x: alt.X, y: alt.Y) -> Any:
    """What the pointer finds where there are several recommenders: a point of a line."""
    tooltip = tooltips(
        "label||recommender",
        "strategy",
        "lam|.3~f|λ",
        "measure",
        "value|.4f",
        "low|.4f|95 % interval from",
        "high|.4f|to",
    )
    return (
        alt.Chart(placed.drop(columns="algorithm"))
        .mark_point(size=90, opacity=0, filled=True)
        .encode(x=x, y=y, tooltip=tooltip)
    )


def _strips(placed: pd.DataFrame, grid: Grid, x: alt.X) -> Any:
    """What the pointer finds where there is one recommender: around each λ of a strategy, an
    invisible strip whose tooltip has all measures."""
    lams = sorted(set(placed["lam"]))
    borders = [grid.x_span[0], *((a + b) / 2 for a, b in pairwise(lams)), grid.x_span[1]]
    rows = []
    for (strategy, lam), part in placed.groupby(["strategy", "lam"], sort=False):
        begin, end = (grid.x(str(strategy), borders[lams.index(lam) + side]) for side in (0, 1))
        row = {
            "strategy": strategy,
            "name": LINE_NAMES[str(strategy)],
            "lam": lam,
            "x_at": begin,
            "x2": end,
        }
        values = part.set_index("measure")
        texts = {
            name: _interval_text(*values.loc[name, ["value", "low", "high"]])
            if name in values.index
            else "unknown"
            for name in NAMES
        }
        rows.append(row | texts)
    tooltip = tooltips(
        "name||strategy", "lam|.3~f|λ", *(f"{name}||{words}" for name, words in NAMES.items())
    )
    ends = {"y": alt.value(0), "y2": alt.value("height")}
    return (
        alt.Chart(pd.DataFrame(rows))
        .mark_rect(opacity=0)
        .encode(x=x, x2="x2:Q", tooltip=tooltip, **ends)
    )


def _interval_text(value: float, low: float, high: float) -> str:
    return (
        f"{value:.4f}"
        if math.isnan(low) or math.isnan(high)
        else f"{value:.4f}, 95 % interval {low:.4f} to {high:.4f}"
    )


def strategy_marks(
    grid: Grid, values: Mapping[tuple[str, str, str], float], lam: float | None
) -> dict[str, list[Any]]:
    """The data set "now" of :func:`strategies_template`: a mark in each cell; none without λ.

    ``grid``: :func:`strategy_grid` of its frame; ``values``:
    :func:`equity_core.analysis.tradeoff.curves.lines_at_lam`.
    """
    known = {
        line: value for line, value in values.items() if lam is not None and not math.isnan(value)
    }
    measures, strategies = (
        [measure for _, _, measure in known],
        [strategy for _, strategy, _ in known],
    )
    foot = [grid.bottom(measure) for measure in measures]
    return {
        "strategy": strategies,
        "measure": measures,
        "value": list(known.values()),
        "x_at": [grid.x(strategy, lam or 0.0) for strategy in strategies],
        "y_at": [
            grid.y(measure, value) for measure, value in zip(measures, known.values(), strict=True)
        ],
        "foot": foot,
        "head": [low + 1 for low in foot],
        "middle": [low + 0.5 for low in foot],
        "begin": [grid.left(strategy) for strategy in strategies],
        "text": [
            f"{value:.4f}" if measure == "ndcg" else f"{value:.3f}"
            for measure, value in zip(measures, known.values(), strict=True)
        ],
    }


# -------------------------------------------------------------------------------------------------
# Fig. 11: what a loss buys


def gains_chart(frame: pd.DataFrame, gain: str, dark: bool = False) -> Any:
    """Fig. 11: the loss of NDCG against a gain; thin lines through the points: 95 % intervals.

    ``frame``: :func:`equity_core.analysis.tradeoff.curves.gains_for_loss`; ``gain``:
    "gain_consistency" or "gain_equality".
    """
    colours, known = palette(dark), frame.dropna(subset=["loss", gain])
    if known.empty:
        return style(empty_chart("NDCG is unknown here, so there is no loss to draw.", dark), dark)
    several = len(set(known["algorithm"])) > 1
    names = list(dict.fromkeys(known["algorithm"] if several else known["line"]))
    known = known.assign(
        name=[
            label(a) if several else LINE_NAMES[line]
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
    domain = [label(n) if several else LINE_NAMES[n] for n in names]
    hue = alt.Color(
        "name:N",
        scale=alt.Scale(domain=domain, range=ranges),
        legend=alt.Legend(orient="top", title=None, columns=alt.expr("width < 560 ? 2 : 4")),
    )
    dash = alt.StrokeDash(
        "name:N",
        scale=alt.Scale(
            domain=domain,
            range=[[1, 0]] * len(names) if several else [dashes.get(n, [1, 0]) for n in names],
        ),
    )
    words = "NDCG lost compared with the own lists", f"Gain in {gain.removeprefix('gain_')}"
    x = alt.X("loss:Q", title=words[0], axis=alt.Axis(format=".0%", tickCount=6))
    y = alt.Y(f"{gain}:Q", title=words[1], axis=alt.Axis(format="+.3~f", tickCount=5))
    tooltip = tooltips(
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
