"""Scenarios side by side (a panel of HTML), and as points by NDCG and equality (a chart)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from html import escape
from typing import Any

import altair as alt
import pandas as pd

from equity_core.analysis.words import percent, signed
from equity_core.charts.base.marks import empty_chart, spread_apart, tooltips
from equity_core.charts.base.theme import palette, style

SCENARIOS_CSS = """
.side {font-family: var(--st-font); color: var(--st-text-color); font-size: 13px;
  font-variant-numeric: tabular-nums; overflow-x: auto;
  --muted: color-mix(in srgb, var(--st-text-color) 72%, var(--st-background-color));}
.side:focus-visible {outline: 2px solid var(--st-primary-color);}
table {border-collapse: collapse; width: 100%;}
caption, .sr {position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);}
th, td {text-align: left; padding: 4px 10px 4px 0; border-top: 1px solid var(--st-border-color);
  vertical-align: top; min-width: 92px;}
thead th {border-top: 0; font-weight: 650; overflow-wrap: anywhere;
  border-left: 3px solid transparent; padding-left: 8px;}
tbody th {font-weight: 400; color: var(--muted); min-width: 84px;}
tbody tr.main th {font-weight: 600; color: var(--st-text-color);}
td {padding-left: 11px;}
td b {font-size: 16px;}
td.best b {text-decoration: underline; text-underline-offset: 3px; text-decoration-thickness: 2px;}
small {color: var(--muted); font-size: 12px; display: block; font-weight: 400;}
i.bar {display: block; height: 6px; margin-top: 3px;
  background: color-mix(in srgb, var(--st-text-color) 10%, transparent);}
i.bar i {display: block; height: 6px;}
.key {display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 5px;}
@media (max-width: 480px) {th, td {min-width: 74px; padding-right: 4px;}
tbody th {min-width: 78px;} td {padding-left: 8px;}}
"""
_MEASURES = (
    ("ndcg", "NDCG", 4),
    ("consistency", "Mean consistency", 3),
    ("equality", "Equality", 3),
)
_HEIGHT = 300
_ROOM = "min(230, 0.5 * width - 14)"
"""The most pixels for a scenario's name: it stays in its half of the chart, clear of the axis."""


def _change(row: dict[Hashable, Any], name: str, digits: int) -> str:
    """The interval of a value, and below it the change from the own lists with its interval, or a
    note that it is not clear."""
    interval = (
        ""
        if math.isnan(row[f"{name}_low"])
        else f"<small>[{row[f'{name}_low']:.{digits}f}, {row[f'{name}_high']:.{digits}f}]</small>"
    )
    if row["kind"] == "own":
        return f"{interval}<small>baseline</small>"
    if math.isnan(row[f"{name}_change"]):
        return f"{interval}<small>change unknown</small>"
    share = (
        f" ({signed(100 * row['ndcg_share'], 0)} %)"
        if name == "ndcg" and not math.isnan(row["ndcg_share"])
        else ""
    )
    low, high = row[f"{name}_change_low"], row[f"{name}_change_high"]
    if not low > 0 and not high < 0:
        return (
            f"{interval}<small>{signed(row[f'{name}_change'], digits)}{share}, no clear"
            " difference</small>"
        )
    return (
        f"{interval}<small>{signed(row[f'{name}_change'], digits)}{share} [{signed(low, digits)},"
        f" {signed(high, digits)}]</small>"
    )


def _cells(values: Sequence[str], best: Sequence[bool] | None = None) -> str:
    """The cells of a row; ``best`` marks those to underline."""
    flags = best or [False] * len(values)
    return "".join(
        f"<td{' class=best' if flag else ''}>{value}</td>"
        for value, flag in zip(values, flags, strict=True)
    )


def scenarios_panel(frame: pd.DataFrame, names: Sequence[str], dark: bool = False) -> str:
    """Scenarios in columns: measures with their changes, counts, and the mean of every principle.

    ``frame``: analysis.decisions.scenarios.comparison_table; ``names``: the principles of all of
    them.
    """
    colours, rows = palette(dark), frame.reset_index().to_dict("records")
    hues = {"floor": colours.floor, "lam": colours.lam, "own": colours.before}
    heads = "".join(
        '<th scope="col" dir="auto"'
        f' style="border-left-color:{hues[row["kind"]]}">{escape(str(row["scenario"]))}'
        f"<small>{escape(str(row['recommender']))} · {escape(str(row['policy']))}</small></th>"
        for row in rows
    )
    body = []
    for name, words, digits in _MEASURES:
        top = frame[name].max()
        values = [
            (
                "<b>unknown</b>"
                if math.isnan(row[name])
                else f"<b>{row[name]:.{digits}f}</b>{_change(row, name, digits)}"
            )
            for row in rows
        ]
        best = [bool(row[name] >= top - 0.5 * 10**-digits) for row in rows]
        body.append(f'<tr class="main"><th scope="row">{words}</th>{_cells(values, best)}</tr>')
    counts = [f"{row['unreached']:,}" if row["kind"] == "floor" else "no floor" for row in rows]
    body.append(f'<tr><th scope="row">Learners short of the floor</th>{_cells(counts)}</tr>')
    body.append(
        '<tr><th scope="row">Lists that'
        f" change</th>{_cells([percent(row['changed']) for row in rows])}</tr>"
    )
    for name, colour in zip(names, colours.principles(names), strict=True):
        values = []
        for row in rows:
            width = 0.0 if math.isnan(row[name]) else 100.0 * min(max(row[name], 0.0), 1.0)
            missing = "unknown" if math.isnan(row["consistency"]) else "not judged by it"
            text = missing if math.isnan(row[name]) else f"{row[name]:.3f}"
            values.append(
                f'{text}<i class="bar"><i style="width:{width:.1f}%;background:{colour}"></i></i>'
            )
        label = f'<span class="key" style="background:{colour}"></span>{escape(name.capitalize())}'
        body.append(f'<tr><th scope="row">{label}</th>{_cells(values)}</tr>')
    caption = (
        "Scenarios side by side: measures with their changes from the recommender's own lists,"
        " and the mean of every principle"
    )
    corner = '<th scope="col"><span class="sr">Measure</span></th>'
    return (
        '<div class="side" tabindex="0" role="region" aria-label="Scenarios side by side">'
        f"<table><caption>{caption}</caption><thead><tr>{corner}{heads}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def scenarios_plane(frame: pd.DataFrame, dark: bool = False) -> Any:
    """One labelled point per scenario by NDCG and equality, with 95 % intervals and a dashed line
    to the same recommender's own lists. Up and to the right is better.

    ``frame``: analysis.decisions.scenarios.comparison_table.
    """
    known = frame[frame["ndcg"].notna() & frame["equality"].notna()].reset_index()
    if known.empty:
        return style(empty_chart("NDCG or equality is not known: nothing to draw.", dark), dark)
    colours = palette(dark)
    columns = [
        "scenario",
        "recommender",
        "policy",
        "kind",
        "ndcg",
        "equality",
        "ndcg_own",
        "equality_own",
        "consistency",
    ]
    data = known[
        [*columns, *(f"{name}_{end}" for name in ("ndcg", "equality") for end in ("low", "high"))]
    ].copy()
    spans = []
    for name in ("ndcg", "equality"):
        both = pd.concat(
            [data[name], data[f"{name}_own"], data[f"{name}_low"], data[f"{name}_high"]]
        )
        room = max(float(both.max() - both.min()) * 0.12, 1e-3)
        spans.append((float(both.min()) - room, float(both.max()) + room))
    (left, right), (low, high) = spans
    data["label_at"] = spread_apart(data["equality"].tolist(), (high - low) * 15.0 / _HEIGHT)
    data["beyond"] = data["ndcg"] > (left + right) / 2
    x = alt.X(
        "ndcg:Q",
        title="NDCG (more of the courses taken later →)",
        scale=alt.Scale(domain=[left, right], nice=False),
        axis=alt.Axis(tickCount=5),
    )
    y = alt.Y(
        "equality:Q",
        title="Equality (more equal →), axis cut",
        scale=alt.Scale(domain=[low, high], nice=False),
        axis=alt.Axis(tickCount=5),
    )
    kinds = ["floor", "lam", "own"]
    colour = alt.Color(
        "kind:N",
        legend=None,
        scale=alt.Scale(domain=kinds, range=[colours.floor, colours.lam, colours.before]),
    )
    shape = alt.Shape(
        "kind:N", legend=None, scale=alt.Scale(domain=kinds, range=["square", "circle", "diamond"])
    )
    chart = alt.Chart(data)
    start = (
        alt.Chart(data)
        .mark_point(shape="diamond", color=colours.before, size=60)
        .encode(x=alt.X("ndcg_own:Q"), y=alt.Y("equality_own:Q"))
    )
    line = chart.mark_rule(strokeWidth=1, strokeDash=[3, 3], color=colours.muted).encode(
        x=x, y=y, x2="ndcg_own", y2="equality_own"
    )
    shown = tooltips(
        "scenario",
        "recommender",
        "policy",
        "ndcg|.4f|NDCG",
        "ndcg_low|.4f|95 % interval from",
        "ndcg_high|.4f|to",
        "equality|.3f",
        "equality_low|.3f|95 % interval from",
        "equality_high|.3f|to",
        "consistency|.3f|mean consistency",
    )
    thin = chart.mark_rule(strokeWidth=1.4, opacity=0.6)
    across = thin.encode(x=alt.X("ndcg_low:Q"), x2="ndcg_high", y=y, color=colour)
    upwards = thin.encode(x=x, y=alt.Y("equality_low:Q"), y2="equality_high", color=colour)
    points = chart.mark_point(filled=True, size=130, opacity=1).encode(
        x=x, y=y, color=colour, shape=shape, tooltip=shown
    )
    labels = [
        chart.transform_filter(alt.datum.beyond == beyond)
        .mark_text(
            align="right" if beyond else "left",
            dx=-11 if beyond else 11,
            dy=-9,
            fontSize=11.5,
            fontWeight=600,
            limit=alt.expr(_ROOM),
        )
        .encode(x=x, y=alt.Y("label_at:Q"), text="scenario:N", color=colour)
        for beyond in (True, False)
    ]
    return style(
        alt.layer(line, across, upwards, start, points, *labels).properties(height=_HEIGHT), dark
    )
