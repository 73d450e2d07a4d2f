"""The main picture of the trade-off: NDCG against equality, the path of one λ and the path of the floor, and where one stands."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import pandas as pd

from equity_core.charts.live import Spec, filled, named, template
from equity_core.charts.marks import nothing, tips
from equity_core.charts.theme import Palette, palette, style

KINDS = {"floor": "A floor τ for each learner", "lam": "One λ for all"}
NARROW = 420
APART = 0.085
"""Least distance between two labels of values, as a share of the picture."""


def span(values: pd.Series, margin: float = 0.06) -> tuple[float, float]:
    """Ends of an axis around the values, with a margin; never without width."""
    low, high = float(values.min()), float(values.max())
    room = max((high - low) * margin, 1e-4)
    return low - room, high + room


def labelled(path: pd.DataFrame, x: tuple[float, float], y: tuple[float, float]) -> pd.DataFrame:
    """The rows of a path whose values are written along it, none too near another, each with the side that has room: x_side, y_side."""
    places = [
        ((float(a) - x[0]) / (x[1] - x[0]), (float(b) - y[0]) / (y[1] - y[0])) for a, b in zip(path["ndcg"], path["equality"], strict=True)
    ]
    kept: list[int] = []
    for at in reversed(range(len(path))):
        if all(math.dist(places[at], places[other]) >= APART for other in kept):
            kept.append(at)
    flat = []
    for at in kept:
        before, after = places[max(at - 1, 0)], places[min(at + 1, len(places) - 1)]
        flat.append(abs(after[0] - before[0]) >= abs(after[1] - before[1]))
    return path.iloc[kept].assign(flat=flat, text=[f"{value:g}" for value in path.iloc[kept]["value"]])


def _values(path: pd.DataFrame, kind: str, x: alt.X, y: alt.Y, ends: tuple[Any, Any], colours: Palette) -> list[alt.Chart]:
    """The values along a path: above or right of the floor's, below or left of λ's."""
    up = kind == "floor"
    rows, out = labelled(path, *ends), []
    sides: tuple[tuple[bool, dict[str, Any]], ...] = (
        (True, {"dy": -11 if up else 12, "align": "center"}),
        (False, {"dx": 9 if up else -9, "align": "left" if up else "right"}),
    )
    for flat, offset in sides:
        chart = alt.Chart(rows[rows["flat"] == flat][["ndcg", "equality", "text"]])
        mark = chart.mark_text(
            color=getattr(colours, kind), fontSize=10.5, baseline="middle", opacity=alt.expr(f"width < {NARROW} ? 0 : 1"), **offset
        )
        out.append(mark.encode(x=x, y=y, text="text:N"))
    return out


def _name(path: pd.DataFrame, kind: str, x: alt.X, y: alt.Y, ends: tuple[Any, Any], colours: Palette) -> list[alt.Chart]:
    """A path's name beside it, at a third of the picture's width."""
    place = ends[0][0] + (ends[0][1] - ends[0][0]) * 0.36
    row = path.loc[(path["ndcg"] - place).abs().idxmin()]
    frame = pd.DataFrame([{"ndcg": row["ndcg"], "equality": row["equality"], "text": KINDS[kind]}])
    chart = alt.Chart(frame).encode(x=x, y=y, text="text:N")
    return _halo(chart, colours, color=getattr(colours, kind), fontWeight=700, fontSize=12, dy=24 if kind == "floor" else 28)


def front(
    paths: pd.DataFrame, own: dict[str, float], *, limit: float, k: int = 10, dark: bool = False, small: bool = False
) -> Spec:  # fmt: skip
    """NDCG against equality, to be filled by :func:`at`.

    ``paths``: rows of both paths (kind, value, ndcg, equality, consistency). ``own``: ndcg and equality of the recommender's own lists.
    ``limit``: the share of NDCG that one is ready to lose; the shaded region keeps it. A click on a point selects its kind and value
    (parameter ``pick``). ``small``: without values and words.
    """
    colours = palette(dark)
    known = paths.dropna(subset=["ndcg", "equality"])
    if known.empty or math.isnan(own["ndcg"]):
        return template(style(nothing("There is no test part: NDCG is unknown, so there is no trade-off to draw.", dark), dark))
    points = pd.concat([known[["ndcg", "equality"]], pd.DataFrame([{"ndcg": own["ndcg"], "equality": own["equality"]}])])
    ends = span(points["ndcg"]), span(points["equality"], 0.12)
    x_scale, y_scale = (alt.Scale(domain=list(end), nice=False, zero=False) for end in ends)
    words = f"NDCG@{k} (more of the courses later taken →)", f"Equality (more alike →), axis cut at {ends[1][0]:.2f}"
    words = (f"NDCG@{k} →", f"Equality →, from {ends[1][0]:.2f}") if small else words
    x = alt.X("ndcg:Q", scale=x_scale, title=words[0], axis=alt.Axis(tickCount=6, format="~g"))
    y = alt.Y("equality:Q", scale=y_scale, title=words[1], axis=alt.Axis(tickCount=6, format=".3~f"))

    kinds = list(zip(known["kind"], known["value"], strict=True))
    shown = known.assign(policy=[f"{'floor' if kind == 'floor' else 'λ ='} {value:g}" for kind, value in kinds])
    shown = shown[["kind", "value", "policy", "ndcg", "equality", "consistency"]]
    layers = [*_region(own["ndcg"], limit, ends[0], x, colours, small), *_lines(shown, x, y, colours, small)]
    if not small:
        for kind in KINDS:
            path = known[known["kind"] == kind]
            if len(path):
                layers += [*_values(path, kind, x, y, ends, colours), *_name(path, kind, x, y, ends, colours)]
    layers += _where(own, x, y, y_scale, colours, small)
    if not small:
        pick = alt.selection_point(name="pick", fields=["kind", "value"], on="click", empty=False)
        hits = alt.Chart(shown).mark_point(filled=True, size=260, opacity=0, cursor="pointer").encode(x=x, y=y)
        tooltip = tips("policy", "ndcg|.4f|NDCG", "consistency|.3f", "equality|.4f")
        layers.append(hits.encode(tooltip=tooltip).add_params(pick))
    spec = template(style(alt.layer(*layers, height=230 if small else 390), dark))
    return {**spec, "usermeta": {"middle": sum(ends[0]) / 2}}


def at(spec: Spec, now: dict[str, Any], gap: dict[str, Any] | None = None, better: pd.DataFrame | None = None) -> Spec:
    """The picture with the current policy in it.

    ``now``: ndcg, equality, text. ``gap``: ndcg, low, high, text: what the other kind of policy has at the same NDCG. ``better``: the
    policies that beat the current one.
    """
    here = pd.DataFrame([now], columns=["ndcg", "equality", "text"]).dropna()
    # On the left half the words stand right of the point, on the right half left of it: they never leave the picture.
    here["side"] = ["left" if value < spec.get("usermeta", {}).get("middle", 0.0) else "right" for value in here["ndcg"]]
    line = pd.DataFrame([gap] if gap else [], columns=["ndcg", "low", "high", "text"])
    line["middle"] = (line["low"].astype(float) + line["high"].astype(float)) / 2
    ring = better[["ndcg", "equality"]] if better is not None else pd.DataFrame(columns=["ndcg", "equality"], dtype=float)
    return filled(spec, now=here, gap=line, better=ring)


def _region(own: float, limit: float, end: tuple[float, float], x: alt.X, colours: Palette, small: bool) -> list[Any]:
    """What keeps the loss limit, shaded."""
    region = alt.Chart(pd.DataFrame([{"ndcg": max(own * (1.0 - limit), end[0]), "end": end[1], "text": f"loss ≤ {limit * 100:g} % →"}]))
    out = [
        region.mark_rect(color=colours.region, opacity=0.13 if colours.dark else 0.08).encode(x=x, x2="end:Q"),
        region.mark_rule(color=colours.region, strokeDash=[4, 3]).encode(x=x),
    ]
    keep = region.mark_text(color=colours.region, align="left", dx=6, fontWeight=600, y=10).encode(x=x, text="text:N")
    return out if small else [*out, keep]


def _lines(shown: pd.DataFrame, x: alt.X, y: alt.Y, colours: Palette, small: bool) -> list[Any]:
    """Both paths, and their points."""
    names = ["floor", "lam"]
    hue = alt.Color("kind:N", scale=alt.Scale(domain=names, range=[colours.floor, colours.lam]), legend=None)
    dash = alt.StrokeDash("kind:N", scale=alt.Scale(domain=names, range=[[1, 0], [5, 3]]), legend=None)
    shapes = alt.Shape("kind:N", scale=alt.Scale(domain=names, range=["square", "circle"]), legend=None)
    chart = alt.Chart(shown)
    return [
        chart.mark_line(strokeWidth=2, clip=True).encode(x=x, y=y, color=hue, order="value:Q", strokeDash=dash),
        chart.mark_point(filled=True, size=20 if small else 42, opacity=1).encode(x=x, y=y, color=hue, shape=shapes),
    ]


def _halo(chart: alt.Chart, colours: Palette, **mark: Any) -> list[alt.Chart]:
    """Text with the page's colour around it, so that lines do not cross the words."""
    under = chart.mark_text(stroke=colours.background, strokeWidth=4, strokeJoin="round", **{**mark, "color": colours.background})
    return [under, chart.mark_text(**mark)]


def _where(own: dict[str, float], x: alt.X, y: alt.Y, y_scale: alt.Scale, colours: Palette, small: bool) -> list[Any]:
    """The own lists; and by name, to come: what beats the current point, its distance to the other path, the point itself."""
    start = alt.Chart(pd.DataFrame([{"ndcg": own["ndcg"], "equality": own["equality"], "text": "own lists"}])).encode(x=x, y=y)
    words = start.encode(text="text:N")
    mine = [start.mark_point(filled=True, shape="diamond", size=110, color=colours.text, opacity=1)]
    mine += _halo(words, colours, dy=15, color=colours.text, fontWeight=600, fontSize=11)
    ring = named("now").mark_point(size=230, strokeWidth=2.5, color=colours.text, opacity=1).encode(x=x, y=y)
    if small:
        return [*mine, ring]
    wide = {"opacity": alt.expr(f"width < {NARROW} ? 0 : 1")}
    line = named("gap").mark_rule(color=colours.text, strokeDash=[2, 2]).encode(x=x, y=alt.Y("low:Q", scale=y_scale), y2="high:Q")
    note = named("gap").encode(x=x, y=alt.Y("middle:Q", scale=y_scale), text="text:N")
    out: list[Any] = [named("better").mark_point(size=150, strokeWidth=1.5, color=colours.good, opacity=0.9).encode(x=x, y=y), line]
    out += _halo(note, colours, align="right", dx=-7, lineBreak="\n", color=colours.text, **wide)
    out += [*mine, ring]
    for side, dx in (("left", 14), ("right", -14)):
        text = named("now").transform_filter(alt.datum.side == side).encode(x=x, y=y, text="text:N")
        out += _halo(text, colours, align=side, dx=dx, dy=-12, fontWeight=700, fontSize=12, color=colours.text)
    return out
