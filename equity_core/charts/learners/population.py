"""Who gains and who pays, by tenths of the learners: frames in, figures out."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from equity_core.analysis.words import signed
from equity_core.charts.base.marks import nothing, tips
from equity_core.charts.base.theme import palette, style

HEIGHT = 250
_GAP = 0.3
"""Room between the bars of gain and those of the price, for the tenths' names: a share of the
longest bar."""


def _placed(frame: pd.DataFrame) -> tuple[pd.DataFrame, float, float]:
    """Where the bars start and end in one picture, the base of the price's bars, and its lowest
    point. Both kinds have their own scale."""
    gain, price = (
        frame["gain"].to_numpy(dtype=np.float64),
        frame["price"].fillna(0.0).to_numpy(dtype=np.float64),
    )
    up, down = gain / max(np.abs(gain).max(), 1e-9), price / max(np.abs(price).max(), 1e-9)
    base = float(
        min(up.min(), 0.0) - _GAP - max(down.max(), 0.0) - (0.2 if (down > 0).any() else 0.0)
    )
    known = frame["price"].notna()
    data = frame.assign(
        zero=0.0,
        base=base,
        gain_at=up,
        price_at=np.where(known, base + down, np.nan),
        gain_text=[signed(value, 3) for value in gain],
        price_text=[
            signed(value, 3) if there else "" for value, there in zip(price, known, strict=True)
        ],
    )
    return data, base, float(base + min(down.min(), 0.0))


def by_tenth(frame: pd.DataFrame, chosen: int = 0, dark: bool = False) -> Any:
    """Mean gain of consistency upwards and mean change of NDCG downwards, a column a tenth (1:
    worst-off before); ``chosen`` is tinted.

    Gain and price have their own scales: each bar carries its figure.
    """
    if frame.empty:
        return style(nothing("No learner has a list.", dark), dark)
    colours = palette(dark)
    data, _, lowest = _placed(frame)
    scale = alt.Scale(domain=[lowest - 0.2, 1.2], nice=False)
    chart = alt.Chart(data).encode(
        x=alt.X("tenth:O", axis=None, scale=alt.Scale(paddingInner=0.1, paddingOuter=0.05))
    )
    shown = tips(
        "tenth|d",
        "learners|,",
        "consistency_before|.3f|consistency before",
        "gain|+.3f|gain of consistency",
        "price|+.4f|change of NDCG",
        "unchanged|.0%|keep their list",
        "hits_lost|,|hits lost",
        "hits_found|,|hits found",
    )
    tint = chart.transform_filter(alt.datum.tenth == chosen).mark_bar(
        color=colours.after, opacity=0.13
    )
    layers = [tint.encode(y=alt.value(0), y2=alt.value(HEIGHT))]
    for name, start, colour in (("gain", "zero", colours.after), ("price", "base", colours.before)):
        y, at = alt.Y(f"{name}_at:Q", scale=scale, axis=None), f"{name}_at"
        layers.append(
            chart.mark_bar(color=colour, width=alt.RelativeBandSize(0.55)).encode(
                y=y, y2=start, tooltip=shown
            )
        )
        for up in (True, False):
            side = alt.datum[at] >= alt.datum[start] if up else alt.datum[at] < alt.datum[start]
            figures = chart.transform_filter(side).mark_text(
                dy=-7 if up else 8, fontSize=alt.expr("width < 420 ? 8 : 10.5")
            )
            layers.append(figures.encode(y=y, text=f"{name}_text:N"))
    names = alt.Chart(data.assign(at=min(float(data["gain_at"].min()), 0.0) - 0.16)).mark_text(
        color=colours.muted, fontSize=11
    )
    layers.append(
        names.encode(x="tenth:O", y=alt.Y("at:Q", scale=scale, axis=None), text="tenth:O")
    )
    top = alt.Chart(pd.DataFrame({"text": ["Gain of consistency, mean"]})).mark_text(
        align="right", baseline="top", color=colours.after, fontWeight=600
    )
    low = alt.Chart(pd.DataFrame({"text": ["Change of NDCG, mean"]})).mark_text(
        align="right", baseline="bottom", color=colours.muted, fontWeight=600
    )
    layers += [
        words.encode(x=alt.value("width"), y=alt.value(at), text="text:N")
        for words, at in ((top, 2), (low, HEIGHT - 2))
    ]
    return style(alt.layer(*layers).properties(height=HEIGHT), dark)
