"""The chooser's answers side by side, as HTML. Every text is escaped; colours are those of
:func:`equity_core.charts.base.panels.css`."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

Cell = tuple[str, str, str]
"""Value, change, and the change's tone (good, bad, same)."""


def answers_panel(
    columns: Sequence[tuple[str, str]], rows: Sequence[tuple[str, Sequence[Cell]]]
) -> str:
    """A table with one column per answer. ``columns``: the heading and colour ("floor", "lam") of
    each; ``rows``: each measure with its cells."""
    cell = (
        "padding: 2px 0 2px 10px; border: 0; text-align: right; font-weight: 400;"
        " vertical-align: top"
    )
    heads = ""
    for heading, hue in columns:
        own = (
            f"font-weight: 700; border-bottom: 2px solid var(--eq-{escape(hue)}); color:"
            f" var(--eq-{escape(hue)})"
        )
        heads += f'<th scope="col" style="{cell}; {own}">{escape(heading)}</th>'
    lines = "".join(
        f'<tr style="border: 0"><th scope="row" class="eq-muted" style="{cell}; padding-left: 0;'
        f' text-align: left">{escape(name)}</th>'
        + "".join(
            f'<td style="{cell}">{escape(value)} '
            f'<span class="eq-{escape(tone)}">{escape(change)}</span></td>'
            for value, change, tone in cells
        )
        + "</tr>"
        for name, cells in rows
    )
    table = (
        '<table style="width: 100%; border-collapse: collapse; font-size: 13px"><thead>'
        f'<tr style="border: 0"><td style="{cell}"></td>'
    )
    return f'<div class="eq">{table}{heads}</tr></thead><tbody>{lines}</tbody></table></div>'
