"""Principles before and after, with their targets, as a panel of dumbbells: frames in, escaped HTML
out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

import pandas as pd

from equity_core.analysis.words import signed
from equity_core.charts.base.theme import palette

PRINCIPLES_CSS = """
.bells {font-family: var(--st-font); color: var(--st-text-color); font-size: 13px;
  font-variant-numeric: tabular-nums; container-type: inline-size;
  --muted: color-mix(in srgb, var(--st-text-color) 72%, var(--st-background-color));}
table {width: 100%; border-collapse: collapse;}
caption {text-align: left; font-size: 11.5px; color: var(--muted); padding-bottom: 2px;}
caption i {display: inline-block; width: 9px; height: 9px; border-radius: 50%; margin: 0 4px 0 8px;}
caption i.target {width: 2px; height: 11px; border-radius: 0; background: var(--st-text-color);
  vertical-align: -1px;}
th {text-align: left; font-weight: 600; width: 32%; padding: 4px 6px 4px 0;
  overflow-wrap: anywhere;}
th small {display: block; font-weight: 400; color: var(--muted); font-size: 11.5px;
  padding-left: 14px;}
th i {display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 5px;}
td {padding: 4px 0 4px 8px; white-space: nowrap;}
td.strip {width: 40%; padding-left: 0;}
td.change {text-align: right; font-weight: 600;}
svg {display: block; width: 100%; height: 20px; overflow: visible;}
.sr {position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap;}
@container (max-width: 400px) {th {width: 36%;} td.strip {width: 28%;} th small {display: none;}}
"""


def _strip(before: float, after: float, target: float, grey: str, blue: str) -> str:
    """One dumbbell: the values before and after, and the target, on a line from 0 to 1."""

    def dot(value: float, colour: str) -> str:
        return (
            f'<path d="M{100 * value:.1f} 10 h0.001" stroke="{colour}" stroke-width="11"'
            ' stroke-linecap="round"/>'
        )

    grid = "".join(
        f'<path d="M{x} 2 V18" stroke="currentColor" stroke-width="1" opacity="0.12"/>'
        for x in (0, 25, 50, 75, 100)
    )
    aim = f'<path d="M{100 * target:.1f} 1 V19" stroke="currentColor" stroke-width="2"/>'
    line = (
        f'<path d="M{100 * before:.1f} 10 H{100 * after:.1f}" stroke="{blue}" stroke-width="3"'
        ' opacity="0.45"/>'
    )
    marks = (
        ""
        if math.isnan(after) or math.isnan(before)
        else line + dot(before, grey) + dot(after, blue)
    )
    drawing = (grid + marks + aim).replace("/>", ' vector-effect="non-scaling-stroke"/>')
    return (
        '<svg aria-hidden="true" viewBox="0 0 100 20" preserveAspectRatio="none"'
        f' fill="none">{drawing}</svg>'
    )


def principles_panel(
    frame: pd.DataFrame,
    notes: Mapping[str, str],
    dark: bool = False,
    words: tuple[str, str] = ("before", "after"),
) -> str:
    """One dumbbell per principle. ``frame`` has before, after, target and closer by principle
    (:func:`equity_core.analysis.learners.lists.learner_principles`); ``notes``: what each asks for.
    """
    colours, rows = palette(dark), []
    painted = colours.principles(list(frame.index))
    for (name, row), colour in zip(frame.iterrows(), painted, strict=True):
        before, after, target, closer = (
            float(row[column]) for column in ("before", "after", "target", "closer")
        )
        if math.isnan(after) or math.isnan(before):
            values, change = "no list", ""
        else:
            values, moved = f"{before:.2f} → <b>{after:.2f}</b>", round(after - before, 3)
            good = colours.good if closer > 0 else colours.bad
            arrow = "▲" if moved > 0 else "▼"
            direction = (
                f'<span class="sr">{"closer to" if closer > 0 else "farther from"} the target of'
                f" {target:g}</span>"
            )
            change = (
                f'<span style="color:{good}">{arrow}'
                f" {signed(abs(moved), 3).lstrip('+')}</span>{direction}"
                if moved
                else "="
            )
        label, note = escape(str(name).capitalize()), escape(notes.get(str(name), ""))
        rows.append(
            '<tr><th scope="row">'
            f'<i style="background:{colour}"></i>{label}<small>{note}</small></th><td'
            f' class="strip">{_strip(before, after, target, colours.before, colours.after)}'
            f"</td><td>{values}</td>"
            f'<td class="change">{change}</td></tr>'
        )
    caption = (
        f'<i style="background:{colours.before};margin-left:0"></i>{escape(words[0])}'
        f'<i style="background:{colours.after}"></i>{escape(words[1])}'
        '<i class="target"></i>target · each line runs from 0 to 1'
    )
    return (
        "<div"
        f' class="bells"><table><caption>{caption}</caption><tbody>{"".join(rows)}</tbody>'
        "</table></div>"
    )
