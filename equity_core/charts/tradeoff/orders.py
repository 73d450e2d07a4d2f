"""Both orders of the lists and both procedures side by side, as HTML. Every text is escaped;
colours are those of :func:`equity_core.charts.base.panels.css`."""

from __future__ import annotations

import math
from html import escape

import pandas as pd

from equity_core.analysis.words import decimal, signed

CAPTION = "The lists of the policy made and shown in every way, one row per way"
HEADS = ("NDCG", "Consistency", "Equality", "Consistency, ranked", "Equality, ranked")


def orders_panel(frame: pd.DataFrame) -> str:
    """A table with one row per way. ``frame``: that of
    :class:`equity_core.analysis.tradeoff.orders.Orders`."""
    cell = "padding: 3px 0 3px 10px; border: 0; text-align: right; vertical-align: top"
    name = f"{cell}; padding-left: 0; text-align: left"
    heads = "".join(
        f'<th scope="col" class="eq-muted" style="{cell}; font-weight: 400">{head}</th>'
        for head in HEADS
    )
    lines = []
    for _, row in frame.iterrows():
        weight = 700 if row["in_use"] else 400
        in_use = ' <span class="eq-muted">(in use)</span>' if row["in_use"] else ""
        values = [
            f"{decimal(row['ndcg'], 4)}{_change(row['ndcg_change'])}",
            *(
                decimal(row[measure], 3)
                for measure in (
                    "consistency",
                    "equality",
                    "ranked_consistency",
                    "ranked_equality",
                )
            ),
        ]
        cells = "".join(f'<td style="{cell}">{value}</td>' for value in values)
        lines.append(
            f'<tr style="border: 0; font-weight: {weight}"><th scope="row" style="{name};'
            f' font-weight: {weight}">{escape(row["lists"])}{in_use}<br>'
            f'<span class="eq-muted">{escape(row["order"])}</span></th>{cells}</tr>'
        )
    return (
        '<div class="eq" tabindex="0" role="region" style="overflow-x: auto" aria-label="Order of'
        f' the lists"><table style="width: 100%; border-collapse: collapse; font-size: 13px"'
        f' aria-label="{CAPTION}"><thead><tr style="border: 0"><td style="{name}"></td>{heads}</tr>'
        f"</thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def _change(share: float) -> str:
    if math.isnan(share):
        return ""
    tone = "good" if share >= 0.0005 else "bad" if share <= -0.0005 else "same"
    return f'<br><span class="eq-{tone}">{signed(share * 100, 1)} %</span>'
