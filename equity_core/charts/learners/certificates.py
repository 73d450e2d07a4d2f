"""How good the lists are: the proven shares of the best possible list in a sample of learners."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from equity_core.analysis.learners.certificates import proven_share
from equity_core.charts.base.marks import empty_chart, tooltips
from equity_core.charts.base.theme import palette, style


def proven_shares(frame: pd.DataFrame, summary: pd.DataFrame, dark: bool = False) -> Any:
    """A histogram of the learners' proven shares: bars for the lists as they are, outlines for the
    lists after swaps, and above both the means with 95 % intervals.

    ``frame``: analysis.learners.certificates.share_histogram; ``summary``: sample_summary there.
    """
    if not frame["learners"].sum():
        return style(empty_chart("no share can be proven", dark), dark)
    colours = palette(dark)
    stages, hues = summary.index.tolist(), [colours.before, colours.after]
    left = float(frame["low"].min())
    room = (1.0 - left) * 0.04
    scale = alt.Scale(domain=[left - room, 1.0 + room], nice=False, zero=False)
    percent = alt.Axis(format=".1~%" if left < 0.99 else ".2~%", tickCount=6, grid=False)
    x = alt.X(
        "low:Q", title="Proven share of the best possible list, axis cut", scale=scale, axis=percent
    )
    top = float(frame["learners"].max())
    y = alt.Y(
        "learners:Q",
        title="Learners",
        scale=alt.Scale(domain=[0, top * 1.5], nice=False),
        axis=alt.Axis(tickCount=4, format="d"),
    )
    colour = alt.Color("stage:N", scale=alt.Scale(domain=stages, range=hues), legend=None)
    hover = tooltips(
        "stage", "low|.2%|from", "high|.2%|to", "learners|,", "share|.0%|of the sample"
    )
    taken = frame[frame["learners"] > 0].assign(zero=0)
    now = alt.Chart(taken[taken["stage"] == stages[0]]).mark_rect(opacity=0.75)
    then = alt.Chart(taken[taken["stage"] == stages[1]]).mark_rect(filled=False, strokeWidth=2)
    words = [
        f"{stage}: mean {proven_share(mean)}"
        for stage, mean in zip(stages, summary["mean"], strict=True)
    ]
    means = (
        summary.reset_index()
        .assign(at=[top * 1.14, top * 1.36], text=words)
        .dropna(subset=["mean"])
    )
    base = alt.Chart(means.rename(columns={"low": "from", "high": "to"})).encode(
        y=alt.Y("at:Q"), color=colour
    )
    mean_tips = tooltips(
        "stage", "mean|.2%", "from|.2%|95 % interval from", "to|.2%", "worst|.2%", "learners|,"
    )
    places = {"x": x, "x2": "high:Q", "y": y, "y2": "zero:Q"}
    return style(
        alt.layer(
            now.encode(color=colour, tooltip=hover, **places),
            then.encode(color=colour, tooltip=hover, **places),
            base.mark_rule(strokeWidth=2).encode(x=alt.X("from:Q", scale=scale), x2="to:Q"),
            base.mark_point(filled=True, size=60, opacity=1, shape="diamond").encode(
                x=alt.X("mean:Q", scale=scale), tooltip=mean_tips
            ),
            base.mark_text(align="right", dx=-9, fontWeight=600).encode(
                x=alt.X("from:Q", scale=scale), text="text:N"
            ),
        ).properties(height=210),
        dark,
    )
