"""How good the lists are: the proven shares of the best possible list in a sample of learners."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from equity_core.analysis.learners.proofs import proven_share
from equity_core.charts.base.marks import empty_chart, tooltips
from equity_core.charts.base.theme import palette, style

MEANT = {"gain": "of the gain of all together", "kept": "on average"}
"""What the number above the bars is, by the column of the summary that it comes from."""


def proven_shares(
    frame: pd.DataFrame, summary: pd.DataFrame, title: str, dark: bool = False
) -> Any:
    """A histogram of the learners' proven shares: bars for the first stage, outlines for the second
    if there is one, and above them the whole sample's share of each stage with its 95 % interval.

    ``frame``: analysis.learners.certificates.share_histogram; ``summary``: sample_summary there;
    ``title``: share_title there.
    """
    if not frame["learners"].sum():
        return style(empty_chart("no share can be proven", dark), dark)
    colours = palette(dark)
    stages = frame["stage"].unique().tolist()
    hues = [colours.before, colours.after][: len(stages)]
    centre = "gain" if "gain" in summary.columns else "kept"
    left = float(frame["low"].min())
    room = (1.0 - left) * 0.04
    scale = alt.Scale(domain=[left - room, 1.0 + room], nice=False, zero=False)
    percent = alt.Axis(format=".1~%" if left < 0.99 else ".2~%", tickCount=6, grid=False)
    cut = ", axis cut" if left > 0.0 else ""
    x = alt.X("low:Q", title=f"{title}{cut}", scale=scale, axis=percent)
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
    means = summary.loc[stages].reset_index().assign(at=[top * 1.14, top * 1.36][: len(stages)])
    means["text"] = [
        f"{row['stage']}: {proven_share(row[centre])} {MEANT[centre]}"
        for row in means.to_dict("records")
    ]
    means = means.rename(columns={"low": "from", "high": "to"}).dropna(subset=[centre])
    # What lies left of the bars is drawn at their edge; the words have the number.
    means = means.assign(
        mean=means[centre].clip(left, 1.0),
        start=means["from"].clip(left, 1.0),
        end=means["to"].clip(left, 1.0),
    )
    base = alt.Chart(means).encode(y=alt.Y("at:Q"), color=colour)
    mean_tips = tooltips(
        "stage", f"{centre}|.2%", "from|.2%|95 % interval from", "to|.2%", "learners|,"
    )
    # The words stand where there is room: to the left of the mark, or to its right.
    right = left + (1.0 - left) / 2
    texts = [
        base.transform_filter(f"datum.mean >= {right}")
        .mark_text(align="right", dx=-9, fontWeight=600)
        .encode(x=alt.X("start:Q", scale=scale), text="text:N"),
        base.transform_filter(f"datum.mean < {right}")
        .mark_text(align="left", dx=9, fontWeight=600)
        .encode(x=alt.X("end:Q", scale=scale), text="text:N"),
    ]
    places = {"x": x, "x2": "high:Q", "y": y, "y2": "zero:Q"}
    bars = [now.encode(color=colour, tooltip=hover, **places)]
    for stage in stages[1:]:
        outlines = alt.Chart(taken[taken["stage"] == stage]).mark_rect(filled=False, strokeWidth=2)
        bars.append(outlines.encode(color=colour, tooltip=hover, **places))
    return style(
        alt.layer(
            *bars,
            base.mark_rule(strokeWidth=2).encode(x=alt.X("start:Q", scale=scale), x2="end:Q"),
            base.mark_point(filled=True, size=60, opacity=1, shape="diamond").encode(
                x=alt.X("mean:Q", scale=scale), tooltip=mean_tips
            ),
            *texts,
        ).properties(height=210),
        dark,
    )
