"""Charts of every principle for every recommender: a grid of error bars (figures 4 and 5), and
heatmaps of correlations with consistency (figure 6) and of equality over learners."""

from __future__ import annotations

from typing import Any, Literal

import altair as alt
import pandas as pd

from equity_core.charts.base.marks import (
    AXIS,
    CAPITAL,
    by_label,
    colour_by_label,
    empty_chart,
    rows_axis,
    tooltips,
)
from equity_core.charts.base.theme import palette, style

STEP = 1.6
"""The distance from one panel of the grid to the next, in units of a panel's own axis from 0 to 1;
what is beyond 1 is room for the value beside the bar."""
ROW = 22
NARROW = 640
"""On a chart of fewer pixels the values beside the bars are left out (the table and the tooltips
have them)."""


def principle_grid(
    frame: pd.DataFrame,
    chosen: str,
    panels: Literal["algorithm", "principle"] = "algorithm",
    dark: bool = False,
) -> Any:
    """One panel per algorithm with one row per principle (figure 4), or the other way round (figure
    5): dot mean, thick ±1 sd, thin min to max.

    All panels share one axis from 0 to 1, repeated side by side; the chosen algorithm is tinted.
    """
    if frame["mean"].isna().all():
        return style(empty_chart("no lists", dark), dark)
    columns = ("label", "principle") if panels == "algorithm" else ("principle", "label")
    heads, rows = (list(dict.fromkeys(frame[name])) for name in columns)
    shown, colours = _with_positions(frame, columns[0], heads), palette(dark)
    scale, axis = alt.Scale(domain=[-0.06, len(heads) * STEP - 0.06], nice=False), _axis(len(heads))

    def x(
        field: str,
    ) -> (
        alt.X
    ):  # the same axis for every layer: where layers differ, Vega-Lite drops every other label
        return alt.X(f"{field}:Q", title=None, scale=scale, axis=axis)

    y = rows_axis(
        columns[1],
        rows,
        dark,
        labelPadding=8,
        **({"labelExpr": CAPITAL} if panels == "algorithm" else {}),
    )
    hover = tooltips(
        "label||recommender",
        "principle",
        "mean|.3f",
        "sd|.3f",
        "min|.3f",
        "max|.3f",
        "equality|.3f",
        "target|.2f|mean target",
        "learners|,",
    )
    base, colour = alt.Chart(shown).encode(y=y, tooltip=hover), colour_by_label(frame, dark)
    wide, slant = alt.expr(f"width < {NARROW} ? 0 : 1"), alt.expr(f"width < {NARROW} ? 300 : 0")
    titles = pd.DataFrame(
        {
            "x": [at * STEP for at in range(len(heads))],
            "text": [str(name)[:1].upper() + str(name)[1:] for name in heads],
        }
    )
    head = alt.Chart(titles).mark_text(
        align="left",
        baseline="bottom",
        fontSize=11,
        fontWeight=600,
        color=colours.text,
        angle=slant,
    )
    chart = alt.layer(
        _tint(frame, chosen, heads, panels, colours.surface, x, y),
        base.mark_rule(strokeWidth=1.2, opacity=0.6).encode(x=x("low"), x2="high:Q", color=colour),
        base.mark_rule(strokeWidth=6, opacity=0.45).encode(
            x=x("below"), x2="above:Q", color=colour
        ),
        base.mark_point(size=56, opacity=1, strokeWidth=1.8).encode(
            x=x("x"), **by_label(frame, dark)
        ),
        base.mark_text(align="left", dx=6, fontSize=10.5, color=colours.text, opacity=wide).encode(
            x=x("right"), text=alt.Text("mean:Q", format=".2f")
        ),
        head.encode(x=x("x"), y=alt.value(-6), text="text:N"),
    )
    return style(
        chart.properties(
            height=ROW * len(rows) + 26 + AXIS // 2,
            padding={"top": 26, "left": 4, "right": 4, "bottom": 4},
        ),
        dark,
    )


def _with_positions(frame: pd.DataFrame, head: str, heads: list[str]) -> pd.DataFrame:
    """The frame with the positions of its marks on the shared axis: panel p starts at p · STEP.
    ±1 sd is cut at 0 and 1."""
    shown = frame.dropna(subset=["mean"])
    start = shown[head].map({name: at * STEP for at, name in enumerate(heads)}).astype(float)
    below, above = (
        (shown["mean"] - shown["sd"]).clip(lower=0.0),
        (shown["mean"] + shown["sd"]).clip(upper=1.0),
    )
    ends = {
        "low": start + shown["min"],
        "high": start + shown["max"],
        "below": start + below,
        "above": start + above,
        "right": start + 1.0,
    }
    return shown.assign(x=start + shown["mean"], **ends)


def _axis(panels: int) -> alt.Axis:
    """0, 0.5 and 1 in every panel."""
    at = f"(datum.value - floor((datum.value + 0.01) / {STEP}) * {STEP})"
    text = f"{at} < 0.1 ? '0' : {at} > 0.9 ? '1' : width < {NARROW} ? '' : '0.5'"
    values = [round(panel * STEP + tick, 6) for panel in range(panels) for tick in (0.0, 0.5, 1.0)]
    return alt.Axis(
        values=values, labelExpr=text, domain=False, labelFontSize=10, labelOverlap=False
    )


def _tint(
    frame: pd.DataFrame, chosen: str, heads: list[str], panels: str, surface: str, x: Any, y: alt.Y
) -> Any:
    """A band behind the chosen algorithm: its panel, or its row."""
    names = frame.loc[frame["algorithm"] == chosen, "label"].head(1).tolist()
    if panels == "principle":
        band = alt.Chart(pd.DataFrame({"label": names})).mark_bar(color=surface, height={"band": 1})
        return band.encode(x=alt.value(0), x2=alt.value("width"), y=y)
    starts = [heads.index(name) * STEP for name in names]
    ends = pd.DataFrame(
        {
            "from": [start - 0.06 for start in starts],
            "to": [start + STEP - 0.14 for start in starts],
        }
    )
    return alt.Chart(ends).mark_rect(color=surface, cornerRadius=4).encode(x=x("from"), x2="to:Q")


def correlation_heatmap(frame: pd.DataFrame, dark: bool = False) -> Any:
    """Figure 6: Spearman's correlation of each principle with consistency, one column per
    algorithm."""
    if frame.empty or frame["rho"].isna().all():
        return style(empty_chart("no correlation", dark), dark)
    frame = frame.assign(
        value=frame["rho"],
        text=[
            "–" if pd.isna(rho) else f"{rho:.2f}".replace("-0.00", "0.00").replace("-", "−")
            for rho in frame["rho"]
        ],
    )
    colours = palette(dark)
    scale = alt.Scale(
        domain=[-1, 0, 1], range=[colours.lam, colours.background, colours.after], interpolate="rgb"
    )
    hover = tooltips("label||recommender", "principle", "rho|+.3f", "learners|,")
    return _heatmap(frame, "principle", hover, scale, "ρ", "abs(datum.value) > 0.62", dark)


def equality_heatmap(frame: pd.DataFrame, dark: bool = False) -> Any:
    """Equality of each principle over learners, of their mean and of consistency, one column per
    algorithm."""
    if frame.empty or frame["equality"].isna().all():
        return style(empty_chart("no lists", dark), dark)
    frame = frame.assign(
        value=frame["equality"],
        text=["–" if pd.isna(value) else f"{value:.3f}" for value in frame["equality"]],
    )
    colours = palette(dark)
    scale = alt.Scale(
        domain=[0, 1], range=[colours.background, colours.after], interpolate="rgb", clamp=True
    )
    hover = tooltips("label||recommender", "of", "equality|.4f", "learners|,")
    return _heatmap(frame, "of", hover, scale, "equality", "datum.value > 0.62", dark)


def _heatmap(
    frame: pd.DataFrame,
    rows: str,
    hover: list[Any],
    scale: alt.Scale,
    title: str,
    strong: str,
    dark: bool,
) -> Any:
    """Cells coloured by ``value`` with ``text`` in them: one column per algorithm, one row per
    value of the column ``rows``. ``strong``: where the cell is dark."""
    colours = palette(dark)
    algorithms, names = list(dict.fromkeys(frame["label"])), list(dict.fromkeys(frame[rows]))
    axis = alt.Axis(
        orient="top",
        labelAngle=-35 if len(algorithms) > 4 else 0,
        ticks=False,
        domain=False,
        labelColor=colours.text,
    )
    x, y = (
        alt.X("label:N", sort=algorithms, title=None, axis=axis),
        rows_axis(rows, names, dark, labelExpr=CAPITAL),
    )
    base = alt.Chart(frame).encode(x=x, y=y, tooltip=hover)
    legend = alt.Legend(title=title, orient="right", gradientLength=110, tickCount=5)
    return style(
        alt.layer(
            base.mark_rect(stroke=colours.background, strokeWidth=2).encode(
                color=alt.Color("value:Q", scale=scale, legend=legend)
            ),
            base.mark_text(fontSize=11, color=colours.text)
            .encode(text="text:N")
            .transform_filter(f"!({strong})"),
            base.mark_text(fontSize=11, color=colours.background)
            .encode(text="text:N")
            .transform_filter(strong),
        ).properties(height=26 * len(names) + (58 if len(algorithms) > 4 else 24)),
        dark,
    )
