"""The main picture of the trade-off: NDCG against equality, the path of one λ and the path of the
floor, and the current policy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from equity_core.charts.base import labels
from equity_core.charts.base.labels import View
from equity_core.charts.base.marks import empty_chart, tooltips
from equity_core.charts.base.templates import Spec, named_layer, specification, with_data
from equity_core.charts.base.theme import Palette, palette, style
from equity_core.charts.tradeoff import front_labels
from equity_core.charts.tradeoff.front_labels import KINDS

HEIGHT, SMALL_HEIGHT = 430, 230
FOOT = 57
"""Pixels of the axis with its title and of the picture's edges, as measured in a browser."""
DASHES = ([1, 0], [7, 3], [2, 2], [7, 2, 2, 2], [4, 2])
"""Of published methods, one each."""


def axis_span(values: pd.Series, margin: float = 0.06) -> tuple[float, float]:
    """The ends of an axis around the values, with a margin; never without width."""
    low, high = float(values.min()), float(values.max())
    room = max((high - low) * margin, 1e-4)
    return low - room, high + room


def front_template(
    paths: pd.DataFrame,
    own: dict[str, float],
    *,
    limit: float | None,
    answers: Sequence[dict[str, Any]] = (),
    k: int = 10,
    dark: bool = False,
    small: bool = False,
    published: pd.DataFrame | None = None,
) -> Spec:
    """NDCG against equality, without the current policy, which :func:`front_chart` puts in.

    ``paths``: rows of both paths (kind, value, ndcg, equality, consistency). ``own``: ndcg and
    equality of the recommender's own lists. ``limit``: the share of NDCG that may be lost; the
    shaded region keeps it. ``answers``: the chooser's (kind, ndcg, equality, text), marked and
    labelled. A click on a point selects its kind and value (parameter ``pick``). ``small``: with
    the paths' names only. ``published``: paths of published methods (kind, name, value, ndcg,
    equality, consistency), drawn in grey.
    """
    colours = palette(dark)
    known = paths.dropna(subset=["ndcg", "equality"])
    if known.empty or math.isnan(own["ndcg"]):
        return specification(
            style(
                empty_chart(
                    "There is no test part: NDCG is unknown, so there is no trade-off to draw.",
                    dark,
                ),
                dark,
            )
        )
    chosen = pd.DataFrame(list(answers), columns=["kind", "ndcg", "equality", "text"]).dropna()
    mine = pd.DataFrame([{"ndcg": own["ndcg"], "equality": own["equality"], "text": "own lists"}])
    theirs = (known.iloc[:0].assign(name="") if published is None else published).dropna(
        subset=["ndcg", "equality"]
    )
    points = pd.concat(
        [part[["ndcg", "equality"]] for part in (known, mine, chosen, theirs) if len(part)]
    )
    ends = axis_span(points["ndcg"]), axis_span(points["equality"], 0.12)
    x_scale, y_scale = (alt.Scale(domain=list(end), nice=False, zero=False) for end in ends)
    words = (
        f"NDCG@{k} (more of the courses taken later →)",
        f"Equality (more equal →), axis starts at {ends[1][0]:.2f}",
    )
    words = (f"NDCG@{k} →", f"Equality →, from {ends[1][0]:.2f}") if small else words
    x = alt.X("ndcg:Q", scale=x_scale, title=words[0], axis=alt.Axis(tickCount=6, format="~g"))
    y = alt.Y(
        "equality:Q", scale=y_scale, title=words[1], axis=alt.Axis(tickCount=6, format=".3~f")
    )

    kinds = list(zip(known["kind"], known["value"], strict=True))
    shown = known.assign(
        policy=[f"{'floor' if kind == 'floor' else 'λ ='} {value:g}" for kind, value in kinds]
    )
    shown = shown[["kind", "value", "policy", "ndcg", "equality", "consistency"]]
    edge = None if limit is None else max(own["ndcg"] * (1.0 - limit), ends[0][0])
    layers = [*_region(edge, ends[0], x, colours), *_published_lines(theirs, x, y, colours)]
    layers += _lines(shown, x, y, colours, small)
    layers += _current_marks(mine, chosen, x, y, y_scale, colours, small)
    layers += labels.label_layers(x, y, colours)
    if not small:
        pick = alt.selection_point(name="pick", fields=["kind", "value"], on="click", empty=False)
        hits = (
            alt.Chart(shown)
            .mark_point(filled=True, size=260, opacity=0, cursor="pointer")
            .encode(x=x, y=y)
        )
        tooltip = tooltips("policy", "ndcg|.4f|NDCG", "consistency|.3f", "equality|.4f")
        layers.append(hits.encode(tooltip=tooltip).add_params(pick))
    height = SMALL_HEIGHT if small else HEIGHT
    spec = specification(style(alt.layer(*layers, height=height), dark))
    view = View(*ends, height - FOOT)
    region = (
        None if edge is None or limit is None or small else (edge, f"loss ≤ {limit * 100:g} % →")
    )
    return {
        **spec,
        "usermeta": front_labels.place_fixed_labels(
            view, known, mine, chosen, region, colours, small, theirs
        ),
    }


def front_chart(
    spec: Spec,
    now: dict[str, Any],
    gap: dict[str, Any] | None = None,
    better: pd.DataFrame | None = None,
) -> Spec:
    """The picture with the current policy in it, and no words overlapping.

    ``now``: ndcg, equality, text. ``gap``: ndcg, low, high, text: what the other kind of policy has
    at the same NDCG. ``better``: the policies that beat the current one.
    """
    fixed = spec.get("usermeta")
    spec = {key: value for key, value in spec.items() if key != "usermeta"}
    here = None if math.isnan(now["ndcg"]) or math.isnan(now["equality"]) else now
    line = None if gap is None else {**gap, "middle": (gap["low"] + gap["high"]) / 2}
    words = (
        front_labels.label_columns(fixed, here, line)
        if isinstance(fixed, front_labels.FixedLabels)
        else dict.fromkeys(labels.COLUMNS, ())
    )
    return with_data(
        spec,
        now=_columns(here, "ndcg", "equality", "text"),
        gap=_columns(line, "ndcg", "low", "high", "text", "middle"),
        better={
            name: [] if better is None else better[name].tolist() for name in ("ndcg", "equality")
        },
        labels=words,
    )


def _columns(row: Mapping[str, Any] | None, *names: str) -> dict[str, list[Any]]:
    """One row, or none, as columns."""
    return {name: [] if row is None else [row[name]] for name in names}


def _region(edge: float | None, end: tuple[float, float], x: alt.X, colours: Palette) -> list[Any]:
    """The region that keeps the loss limit, shaded."""
    if edge is None:
        return []
    region = alt.Chart(pd.DataFrame([{"ndcg": edge, "end": end[1]}]))
    return [
        region.mark_rect(color=colours.region, opacity=0.13 if colours.dark else 0.08).encode(
            x=x, x2="end:Q"
        ),
        region.mark_rule(color=colours.region, strokeDash=[4, 3]).encode(x=x),
    ]


def _scales(colours: Palette) -> dict[str, Any]:
    """A path by its colour and by its marker."""
    names = list(KINDS)
    hues = alt.Scale(domain=names, range=[colours.floor, colours.lam])
    return {
        "color": alt.Color("kind:N", scale=hues, legend=None),
        "fill": alt.Fill("kind:N", scale=hues, legend=None),
        "shape": alt.Shape(
            "kind:N", scale=alt.Scale(domain=names, range=["square", "circle"]), legend=None
        ),
    }


def _lines(shown: pd.DataFrame, x: alt.X, y: alt.Y, colours: Palette, small: bool) -> list[Any]:
    """Both paths, and their points."""
    dash = alt.StrokeDash(
        "kind:N", scale=alt.Scale(domain=list(KINDS), range=[[1, 0], [5, 3]]), legend=None
    )
    chart, scales = alt.Chart(shown), _scales(colours)
    return [
        chart.mark_line(strokeWidth=2, clip=True).encode(
            x=x, y=y, color=scales["color"], order="value:Q", strokeDash=dash
        ),
        chart.mark_point(filled=True, size=20 if small else 42, opacity=1).encode(
            x=x, y=y, color=scales["color"], shape=scales["shape"]
        ),
    ]


def _published_lines(theirs: pd.DataFrame, x: alt.X, y: alt.Y, colours: Palette) -> list[Any]:
    """The paths of published methods: thin and grey, told apart by their names and dashes."""
    if theirs.empty:
        return []
    names = list(dict.fromkeys(theirs["name"]))
    dash = alt.StrokeDash(
        "name:N",
        scale=alt.Scale(domain=names, range=[DASHES[at % len(DASHES)] for at in range(len(names))]),
        legend=None,
    )
    chart = alt.Chart(theirs[["name", "value", "ndcg", "equality", "consistency"]])
    tooltip = tooltips(
        "name||method", "value|.2~f|trade-off", "ndcg|.4f|NDCG", "consistency|.3f", "equality|.4f"
    )
    return [
        chart.mark_line(strokeWidth=1.4, color=colours.before).encode(
            x=x, y=y, detail="name:N", order="value:Q", strokeDash=dash
        ),
        chart.mark_point(filled=True, size=16, opacity=1, color=colours.before).encode(
            x=x, y=y, tooltip=tooltip
        ),
    ]


def _current_marks(
    mine: pd.DataFrame,
    answers: pd.DataFrame,
    x: alt.X,
    y: alt.Y,
    y_scale: alt.Scale,
    colours: Palette,
    small: bool,
) -> list[Any]:
    """The own lists and the answers; and by name, to be filled: what beats the current point, its
    gap to the other path, the point itself."""
    start = (
        alt.Chart(mine)
        .mark_point(filled=True, shape="diamond", size=110, color=colours.text, opacity=1)
        .encode(x=x, y=y)
    )
    ring = (
        named_layer("now")
        .mark_point(size=230, strokeWidth=2.5, color=colours.text, opacity=1)
        .encode(x=x, y=y)
    )
    if small:
        return [start, ring]
    line = (
        named_layer("gap")
        .mark_rule(color=colours.text, strokeDash=[2, 2])
        .encode(x=x, y=alt.Y("low:Q", scale=y_scale), y2="high:Q")
    )
    out: list[Any] = [
        named_layer("better")
        .mark_point(size=150, strokeWidth=1.5, color=colours.good, opacity=0.9)
        .encode(x=x, y=y),
        line,
        start,
    ]
    if len(answers):
        scales = _scales(colours)
        mark = alt.Chart(answers).mark_point(
            filled=True, size=150, opacity=1, stroke=colours.background, strokeWidth=2
        )
        out.append(mark.encode(x=x, y=y, fill=scales["fill"], shape=scales["shape"]))
    return [*out, ring]
