"""The principles under a policy: before and after as dumbbells, and over λ in small multiples (the
paper's Fig. 12)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import altair as alt
import pandas as pd

from equity_core.charts.base import grid as grids
from equity_core.charts.base.grid import Grid
from equity_core.charts.base.marks import CAPITAL, tooltips
from equity_core.charts.base.templates import Spec, named_layer, specification, with_data
from equity_core.charts.base.theme import palette, style

WHEN = ("own lists", "policy")
ROW = 36
NARROW = 380
"""Pixels below which the values beside the dumbbells are left out (table and tooltips have
them)."""
RIGHT = 1.5
"""Where the words beside the dumbbells end, on the axis of 0 to 1."""
ACROSS = 4
"""Cells in a row of Fig. 12."""


# -------------------------------------------------------------------------------------------------
# before and after


def dumbbells_template(names: list[str], dark: bool = False) -> Spec:
    """Every principle before (grey) and after (accent), ±1 standard deviation over learners as a
    line, the mean target as a tick. :func:`dumbbells_chart` puts the data in."""
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
    rows, points = named_layer("rows"), named_layer("points")
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
            tooltip=tooltips("principle", "when", "mean|.3f", "sd|.3f|sd over learners"),
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
    return specification(style(alt.layer(*layers, height=ROW * max(len(names), 1) + 10), dark))


def dumbbells_chart(spec: Spec, frame: pd.DataFrame) -> Spec:
    """The dumbbells with their data. ``frame``:
    :func:`equity_core.analysis.tradeoff.principles.before_and_after`."""
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
    return with_data(spec, rows=rows, points=points)


# -------------------------------------------------------------------------------------------------
# Fig. 12: over λ


def over_path_template(
    frame: pd.DataFrame, names: list[str], dark: bool = False, symbol: str = "λ"
) -> Spec:
    """Fig. 12: each principle over λ (or τ), 0 to 1, the own lists dashed; bands: 95 % intervals of
    the means.

    ``frame``: :func:`equity_core.analysis.tradeoff.principles.over_path`. The data set "now" comes
    from :func:`over_path_marks`.
    """
    colours = palette(dark)
    grid, where, span = _cells(frame, names)
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
    tooltip = tooltips(
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
        grids.base_lines(grid, dark),
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
        named_layer("now").mark_point(filled=True, size=55, opacity=1).encode(x=x, y=y, color=hue),
        named_layer("now")
        .mark_text(dy=-10, fontWeight=600, color=colours.text)
        .encode(x=x, y=y, text=alt.Text("mean:Q", format=".2f")),
        grids.texts(spots, grid, dark, color=colours.text, fontWeight=600, fontSize=11.5),
        grids.x_ticks(grid, dark, (span[0], span[1]), f"{symbol} "),
    ]
    return specification(style(alt.layer(*layers, height=130 * len(grid.rows)), dark))


def over_path_marks(
    frame: pd.DataFrame, names: list[str], means: pd.Series, value: float | None
) -> pd.DataFrame:
    """The data set "now" of :func:`over_path_template`: the current means at λ (or τ); no rows
    without a value on this axis."""
    grid, where, span = _cells(frame, names)
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


def _cells(
    frame: pd.DataFrame, names: list[str]
) -> tuple[Grid, dict[str, tuple[str, str]], tuple[float, float]]:
    """The grid, each principle's column and row in it, and the ends of λ (or τ)."""
    grid, where = grids.wrapped_grid(names, ACROSS)
    span = float(frame["value"].min()), float(frame["value"].max())
    ends = span if span[0] < span[1] else (span[0], span[0] + 1)
    return replace(grid, x_span=ends), where, span


def _in_cells(
    frame: pd.DataFrame, grid: Grid, where: dict[str, tuple[str, str]], x: str, y: str
) -> pd.DataFrame:
    cells = frame.assign(
        column=[where[p][0] for p in frame["principle"]],
        row=[where[p][1] for p in frame["principle"]],
    )
    return grid.with_places(cells, "column", "row", x, y).drop(columns=["column", "row"])


def _ends_placed(frame: pd.DataFrame, grid: Grid, column: str, row: str, x: str) -> pd.DataFrame:
    """The frame with the places of the ends of its intervals, low_at and high_at; rows without an
    interval are left out."""
    known = frame.dropna(subset=["low", "high"])
    low, high = (grid.with_places(known, column, row, x, end) for end in ("low", "high"))
    return low.assign(low_at=low["y_at"], high_at=high["y_at"])


def _band(placed: pd.DataFrame, x: alt.X, y: alt.Y, hue: Any) -> Any:
    """The intervals along a line."""
    low = y.copy()
    low.shorthand = "low_at:Q"
    known = alt.Chart(placed).transform_filter("isValid(datum.low_at) && isValid(datum.high_at)")
    return known.mark_area(opacity=0.2).encode(
        x=x, y=low, y2="high_at:Q", color=hue, detail="principle:N"
    )
