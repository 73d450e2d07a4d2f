"""A learner's list before and after, side by side, as a panel: frames in, escaped HTML out.

Both lists share one grid, so their rows stay aligned however tall a row grows; on narrow screens
one stands below the other. Colours are CSS variables of the page, except those of the principles.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from html import escape

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.analysis.learners.phrases import course_value
from equity_core.analysis.learners.reasons import RELEVANCE, Reasons
from equity_core.analysis.words import signed
from equity_core.charts.base.theme import palette

Row = Mapping[Hashable, object]

ADDS = {
    "steps": "What it added when picked, and why",
    "objective": "What the list would lose without it, and why it is there",
    "floor": "Relevance, part in consistency, and why it is there",
}
"""The head of the column with bars and reasons."""

LISTS_CSS = """
.pair {container-type: inline-size; font-family: var(--st-font); color: var(--st-text-color);
  font-size: 13px; line-height: 1.3;
  --muted: color-mix(in srgb, var(--st-text-color) 72%, var(--st-background-color));
  font-variant-numeric: tabular-nums;}
.grid {display: grid; grid-template-columns: minmax(0, 41fr) minmax(0, 59fr); column-gap: 14px;}
.list {display: grid; grid-template-rows: subgrid; grid-row: 1 / span var(--rows);
  padding: 8px 12px; min-width: 0;
  border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius);}
.top {padding-bottom: 6px;}
h2 {font-size: 15px; font-weight: 650; margin: 0; font-family: inherit;}
h2 small {font-size: 12px; font-weight: 400; color: var(--muted);}
.dot {display: inline-block; width: 9px; height: 9px; border-radius: 50%; margin-right: 5px;}
.legend {display: flex; flex-wrap: wrap; gap: 1px 10px; font-size: 11.5px; color: var(--muted);
  margin: 3px 0 0; padding: 0; list-style: none;}
.legend i {display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 4px;}
.row {display: grid; align-items: center; column-gap: 8px;
  border-top: 1px solid var(--st-border-color); padding: 3px 0; min-height: 46px;}
.before .row {grid-template-columns: 18px minmax(0, 1fr) 84px;}
.after .row {grid-template-columns: 18px 38px minmax(0, 1fr) 80px minmax(0, 0.82fr);}
.head small {font-weight: 400; font-size: 11.5px; color: var(--muted);}
.head {min-height: 0; font-size: 11.5px; font-weight: 600; padding: 3px 0; border-top: 0;}
.new {background: color-mix(in srgb, var(--st-primary-color) 7%, transparent);
  box-shadow: -3px 0 0 var(--st-primary-color);}
.place {text-align: right; color: var(--muted);}
.title {font-weight: 600; overflow-wrap: anywhere;}
.leaves .title {text-decoration: line-through; font-weight: 400; color: var(--muted);}
.facts, .why {font-size: 11.5px; color: var(--muted); overflow-wrap: anywhere;}
.leaves .why, .why b {color: var(--st-text-color);}
.why {display: block;}
.level, .fee {display: block; overflow-wrap: anywhere;}
.fee {font-weight: 600;}
.leaves .fee {font-weight: 400; color: var(--muted);}
.move {font-size: 12px; white-space: nowrap;}
.move b {font-weight: 600; font-size: 11.5px; padding: 1px 6px; border-radius: 9px;
  color: var(--st-text-color);
  background: color-mix(in srgb, var(--st-primary-color) 22%, var(--st-background-color));}
.tick {color: var(--good); font-weight: 700;}
.bar {display: block; width: 100%; height: 9px; margin-bottom: 2px;
  background: color-mix(in srgb, var(--st-text-color) 8%, transparent);}
.sr {position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap;}
.narrow {display: none;}
.none {padding: 12px 0; color: var(--muted);}
@container (max-width: 860px) {
  .grid {grid-template-columns: minmax(0, 1fr); row-gap: 12px;}
  .list {grid-row: auto; grid-template-rows: none;}
}
@container (max-width: 470px) {
  .before .row {grid-template-columns: 18px minmax(0, 1fr) 78px;}
  .after .row {grid-template-columns: 18px 38px minmax(0, 1fr) 78px;}
  .after .adds {grid-column: 2 / -1;}
  .after .head .adds {display: none;}
}
"""


def short_count(value: float) -> str:
    """A count in three or four characters: 950, 9.1k, 35k, 1.2M."""
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if value >= size * 0.9995:
            return (
                f"{value / size:.1f}{unit}" if value < 9.95 * size else f"{value / size:.0f}{unit}"
            )
    return f"{value:.0f}"


def _facts(row: Row, names: Mapping[str, str]) -> str:
    """What is shown of a course apart from fee and level, in one line; missing values are called
    unknown."""
    out = []
    for column, name in names.items():
        if column in ("price", "level"):
            continue
        text = course_value(column, row[name])
        if text == "unknown":
            out.append(
                {"assets": "material unknown", "category": "topic unknown"}.get(
                    column, f"{name} unknown"
                )
            )
        elif column == "enrolled":
            out.append(f'{short_count(float(str(row[name])))}<span class="sr"> learners</span>')
            continue
        else:
            plain = column in ("category", "last_update", "assets")
            out.append(
                text
                if plain
                else f"rated {float(text):.1f}"
                if column == "rating"
                else f"{name} {text}"
            )
        out[-1] = escape(out[-1])
    return " · ".join(out)


def _course(row: Row, names: Mapping[str, str], extra: str = "") -> str:
    """The cell of a course: its title, a tick if it was taken later, and the facts."""
    tick = (
        '<span class="tick"><span aria-hidden="true">✓ </span><span class="sr">taken later:'
        " </span></span>"
        if row["taken_later"]
        else ""
    )
    return (
        f'<div role="cell"><div class="title" dir="auto">{tick}{escape(str(row["title"]))}</div>'
        f'<div class="facts" dir="auto">{_facts(row, names)}</div>{extra}</div>'
    )


def _cost(row: Row, names: Mapping[str, str]) -> str:
    """The cell with level and fee."""
    level = (
        f'<span class="level">{escape(str(row[names["level"]]))}</span>' if "level" in names else ""
    )
    text = course_value("price", row[names["price"]]) if "price" in names else ""
    fee = (
        f'<span class="fee">{escape("fee unknown" if text == "unknown" else text)}</span>'
        if text
        else ""
    )
    return f'<div role="cell">{level}{fee}</div>'


def _move(row: Row) -> str:
    """The cell that says how far a course moved."""
    state, places = str(row["state"]), abs(int(str(row["move"])))
    if state == "new":
        return '<div role="cell" class="move"><b>new</b></div>'
    if state == "same":
        return (
            '<div role="cell" class="move"><span aria-hidden="true">=</span><span class="sr">same'
            " place</span></div>"
        )
    sign = "▲" if state == "up" else "▼"
    words = f"{state} {places} place{'s' if places > 1 else ''}, from {row['from']}"
    return (
        f'<div role="cell" class="move"><span aria-hidden="true">{sign} {places}</span>'
        f'<span class="sr">{words}</span></div>'
    )


def parts_bar(
    parts: Sequence[float], names: Sequence[str], colours: Sequence[str], low: float, high: float
) -> str:
    """The parts of an increment as a stacked bar on a scale from ``low`` (0 or below) to ``high``;
    negative parts go to the left of the zero line."""
    span = max(high - low, 1e-12)
    right = left = -low / span * 100.0
    drawn = []
    for value, name, colour in zip(parts, names, colours, strict=True):
        width = abs(value) / span * 100.0
        if width < 0.15:
            continue
        at = right if value > 0 else left - width
        right, left = (right + width, left) if value > 0 else (right, left - width)
        faded = "" if value > 0 else ' fill-opacity="0.45"'
        drawn.append(
            f'<rect x="{at:.2f}" y="0" width="{width:.2f}" height="10" fill="{colour}"{faded}>'
            f"<title>{escape(name)} {signed(value, 3)}</title></rect>"
        )
    zero = (
        f'<path d="M{-low / span * 100:.2f} 0 V10" stroke="currentColor" stroke-width="1"'
        ' vector-effect="non-scaling-stroke"/>'
        if low < 0
        else ""
    )
    words = ", ".join(
        f"{name} {signed(value, 3)}" for value, name in zip(parts, names, strict=True)
    )
    return (
        f'<svg class="bar" role="img" aria-label="{escape(words, quote=True)}" viewBox="0 0 100 10"'
        ' preserveAspectRatio="none">'
        f"{''.join(drawn)}{zero}</svg>"
    )


def parts_scale(parts: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Both ends of the scale that rows of bars share."""
    if not parts.size:
        return 0.0, 1.0
    return float(np.minimum(parts, 0.0).sum(axis=1).min()), float(
        np.maximum(parts, 0.0).sum(axis=1).max()
    )


def _bars(reasons: Reasons, shown: Sequence[str], painted: Sequence[str]) -> list[str]:
    """The bar of every course. In a list that is gone through step by step, the first course is
    added to an empty list: its bar is much longer, and has a scale of its own. Under a floor,
    relevance and consistency are two bars, since they do not add up."""
    values = reasons.parts.to_numpy(dtype=np.float64)
    whole = slice(0, len(shown))
    columns = [slice(0, 1), slice(1, len(shown))] if reasons.edition == "floor" else [whole]
    first = reasons.edition == "steps" and len(values) > 1
    scales = [parts_scale(values[1:, part] if first else values[:, part]) for part in columns]
    out = []
    for at, row in enumerate(values):
        ends = [parts_scale(values[:1])] if first and at == 0 else scales
        out.append(
            "".join(
                parts_bar(row[part].tolist(), shown[part], painted[part], *scale)
                for part, scale in zip(columns, ends, strict=True)
            )
        )
    return out


def parts_legend(names: Sequence[str], dark: bool) -> tuple[list[str], list[str], str]:
    """The names and colours of the parts (relevance first), and their legend."""
    colours = palette(dark)
    shown, painted = [RELEVANCE, *names], [colours.muted, *colours.principles(names)]
    items = "".join(
        f'<li><i style="background:{colour}"></i>{escape(name)}</li>'
        for name, colour in zip(shown, painted, strict=True)
    )
    return shown, painted, f'<ul class="legend" aria-label="Colours of the bars">{items}</ul>'


def _before(frame: pd.DataFrame, names: Mapping[str, str], why: Mapping[int, str]) -> str:
    """The rows of the list before."""
    rows = []
    for row in frame.to_dict("records"):
        place, left = int(row["place"]), row["state"] == "leaves"
        gone = (
            '<span class="why"><span class="sr">leaves the list:'
            f" </span>{escape(why.get(place, ''))}</span>"
            if left
            else ""
        )
        rows.append(
            f'<div role="row" class="row{" leaves" if left else ""}"><div role="cell"'
            f' class="place">{place}</div>{_course(row, names, gone)}{_cost(row, names)}</div>'
        )
    return "".join(rows)


def _after(
    frame: pd.DataFrame,
    names: Mapping[str, str],
    reasons: Reasons,
    shown: Sequence[str],
    painted: Sequence[str],
) -> str:
    """The rows of the list after."""
    rows, bars = [], _bars(reasons, shown, painted)
    for at, row in enumerate(frame.to_dict("records")):
        first = reasons.edition == "steps" and at == 0 and len(frame) > 1
        head, _, why = str(reasons.picked["reason"].iloc[at]).partition(": ")
        note = " (first pick: bar on its own scale)" if first else ""
        rows.append(
            f'<div role="row" class="row{" new" if row["state"] == "new" else ""}"><div role="cell"'
            f' class="place">{row["place"]}</div>{_move(row)}{_course(row, names)}'
            f'{_cost(row, names)}<div role="cell" class="adds">'
            f"{bars[at]}"
            f'<span class="why" dir="auto"><b>{escape(head)}</b>: {escape(why)}{note}</span>'
            "</div></div>"
        )
    return "".join(rows)


def lists_panel(
    before: pd.DataFrame,
    after: pd.DataFrame,
    reasons: Reasons,
    names: Mapping[str, str],
    policy: str,
    dark: bool = False,
) -> str:
    """Both lists side by side. ``names``: the columns shown of a course
    (:func:`equity_core.analysis.learners.lists.course_columns`); ``policy``: the heading of the new
    list."""
    colours = palette(dark)
    shown, painted, key = parts_legend(list(reasons.parts.columns[1:]), dark)
    left = {
        int(row["position"]): f"replaced by no. {row['replaced_at']} of the new list: {row['why']}"
        for row in reasons.left.to_dict("records")
    }
    empty = '<div class="none">No courses.</div>'
    known = {
        "category": "topic",
        "last_update": "update",
        "enrolled": "class",
        "assets": "material",
    }
    facts = " · ".join(
        known.get(column, name)
        for column, name in names.items()
        if column not in ("price", "level")
    )
    heads = (
        '<div role="columnheader" class="place">#</div>',
        f'<div role="columnheader">Course <small>{escape(facts)}</small></div>',
        '<div role="columnheader">Level, fee</div>',
    )
    rows = max(len(before), len(after), 1) + 2
    return (
        f'<div class="pair" style="--good:{colours.good}"><div class="grid" style="--rows:{rows}">'
        '<div class="list before"><div class="top"><h2>'
        f'<span class="dot" style="background:{colours.before}"></span>'
        "Before: the recommender’s own list</h2>"
        '<span class="facts">crossed out: leaves the list · ✓ taken later</span></div>'
        '<div role="table" aria-label="Before: the recommender’s own list"'
        ' style="display:contents">'
        '<div role="row" class="row'
        f' head">{heads[0]}{heads[1]}{heads[2]}</div>{_before(before, names, left) or empty}'
        "</div></div>"
        '<div class="list after"><div class="top"><h2>'
        f'<span class="dot" style="background:{colours.after}"></span>'
        f'After: {escape(policy)}</h2><span class="facts">{escape(reasons.note)}</span>{key}</div>'
        f'<div role="table" aria-label="After: {escape(policy, quote=True)}"'
        ' style="display:contents">'
        f'<div role="row" class="row head">{heads[0]}'
        f'<div role="columnheader">Move</div>{heads[1]}{heads[2]}'
        f'<div role="columnheader" class="adds">{ADDS[reasons.edition]}</div></div>'
        f"{_after(after, names, reasons, shown, painted) or empty}</div></div></div></div>"
    )
