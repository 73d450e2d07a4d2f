"""The table of recommenders (the paper's Table 1): bars in its cells; a click or Enter on a row
chooses the recommender."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from typing import Any

import streamlit as st

import equity_core as eq
from equity_core.analysis.audit import rank_discount, recommenders
from equity_core.analysis.words import few_learners_note
from equity_core.charts.base.theme import is_filled, marker_shape, palette
from pages.parts.audit.evaluations import discounted_evaluations, interval_frames
from pages.shared import results
from pages.shared.current import Current
from pages.shared.panels import heading, plain

_CSS = """
.box {container-type: inline-size; font-family: var(--st-font); color: var(--st-text-color);
  font-size: 0.93rem;}
table {border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums;}
caption {position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);}
th {text-align: left; font-weight: 600; font-size: 0.86rem; padding: 0.25rem 0.4rem;
  border-bottom: 1px solid var(--st-border-color);}
td, tbody th {padding: 0.12rem 0.4rem; border-bottom: 1px solid var(--st-border-color);
  vertical-align: middle; height: 2.3rem;}
tbody th {border-left: 3px solid transparent;}
tbody tr {cursor: pointer;}
tbody tr:hover, tr.chosen {background: color-mix(in srgb, var(--st-primary-color) 9%, transparent);}
tr.chosen th {border-left-color: var(--st-primary-color);}
button {all: unset; cursor: pointer; font-weight: 600; display: flex; align-items: center;
  gap: 0.4rem; line-height: 1.15;}
button:focus-visible {outline: 2px solid var(--st-primary-color); outline-offset: 2px;
  border-radius: 3px;}
.family, .paper, .sure {display: block; font-size: 0.8rem; line-height: 1.1; font-weight: 400;
  white-space: nowrap;
                 color: color-mix(in srgb, var(--st-text-color) 72%, var(--st-background-color));}
.family {padding-left: 1.35rem;}
.paper, .sure {text-align: right; padding-right: 0.3rem;}
.bar {position: relative; display: block; min-width: 3.3rem; height: 1.35rem; border-radius: 3px;
  overflow: hidden;
      background: color-mix(in srgb, var(--st-text-color) 7%, transparent);}
.bar i {position: absolute; inset: 0 auto 0 0; opacity: 0.36;}
.bar b {position: absolute; right: 0.3rem; top: 0; line-height: 1.35rem; font-weight: 600;}
.sd, .range {text-align: right; white-space: nowrap;}
.strip {width: 30%;}
svg {display: block; overflow: visible;}
.strip svg {width: 100%; height: 14px;}
@container (max-width: 620px) {.sd, .strip {display: none;} .family {padding-left: 0;}}
@container (max-width: 430px) {
  .range, .family {display: none;}
  .sure {font-size: 0.72rem; white-space: normal; padding-right: 0;}
  td, tbody th, th {padding-left: 0.2rem; padding-right: 0.2rem;}
}
"""
_JS = """
export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const box = parentElement.querySelector(".box")
  if (!box) return
  const active = parentElement.activeElement ?? parentElement.getRootNode().activeElement
  const focused = active?.closest?.("tr")?.dataset.algorithm
  if (box.innerHTML !== data.html) {
    box.innerHTML = data.html
    const rows = [...box.querySelectorAll("tr")]
    const same = (row) => row.dataset.algorithm === focused
    if (focused) rows.find(same)?.querySelector("button")?.focus()
  }
  box.onclick = (event) => {
    const row = event.target.closest("tr[data-algorithm]")
    if (row) setTriggerValue("chosen", row.dataset.algorithm)
  }
}
"""
_PANEL = st.components.v2.component("table_1", html='<div class="box"></div>', css=_CSS, js=_JS)

_SHAPES = {
    "circle": '<circle cx="7" cy="7" r="4.6"/>',
    "square": '<rect x="2.8" y="2.8" width="8.4" height="8.4"/>',
    "triangle-up": '<path d="M7 1.8 L12.2 11.4 L1.8 11.4 Z"/>',
    "triangle-down": '<path d="M7 12.2 L12.2 2.6 L1.8 2.6 Z"/>',
    "diamond": '<path d="M7 1.4 L12.2 7 L7 12.6 L1.8 7 Z"/>',
    "cross": '<path d="M5 2 h4 v3 h3 v4 h-3 v3 h-4 v-3 h-3 v-4 h3 Z"/>',
}


def marker(algorithm: str, dark: bool) -> str:
    """An algorithm's marker as a small image, as in the charts."""
    colours = palette(dark)
    colour = colours.algorithm(algorithm)
    inside = colour if is_filled(algorithm) else colours.background
    return (
        f'<svg aria-hidden="true" width="14" height="14" viewBox="0 0 14 14" fill="{inside}"'
        f' stroke="{colour}" stroke-width="1.8">{_SHAPES[marker_shape(algorithm)]}</svg>'
    )


def _bar(
    value: float,
    sure: tuple[float, float],
    low: float,
    high: float,
    colour: str,
    paper: float | None,
) -> str:
    """A value in [low, high] as a bar with its number; its 95 % interval below, and below that the
    paper's value if asked for."""
    under = ""
    if math.isnan(value):
        text, width = "unknown", 0.0
    else:
        text, width = f"{value:.3f}", 100.0 * min(1.0, max(0.0, (value - low) / (high - low)))
        if not math.isnan(sure[0] + sure[1]):
            under = f'<span class="sure" title="95 % interval">{sure[0]:.3f} – {sure[1]:.3f}</span>'
    other = (
        ""
        if paper is None
        else f'<span class="paper">paper {"–" if math.isnan(paper) else f"{paper:.3f}"}</span>'
    )
    return (
        '<span class="bar">'
        f'<i style="width:{width:.1f}%;background:{colour}"></i><b>{text}</b></span>{under}{other}'
    )


def _strip(low: float, high: float, colour: str) -> str:
    """The worst-off and the best-off tenth on an axis from 0 to 1."""
    if math.isnan(low):
        return ""
    a, b = 100 * low, 100 * high
    lines = '<path d="M0 7 H100" stroke="currentColor" opacity="0.18"/>'
    lines += f'<path d="M{a:.1f} 7 H{b:.1f}" stroke="{colour}" stroke-width="5" opacity="0.4"/>'
    dots = (
        f'<path d="M{a:.1f} 7 h0.001 M{b:.1f} 7 h0.001" stroke="{colour}" stroke-width="9"'
        ' stroke-linecap="round"/>'
    )
    made = (lines + dots).replace("/>", ' vector-effect="non-scaling-stroke"/>')
    return (
        '<svg aria-hidden="true" viewBox="0 0 100 14" preserveAspectRatio="none"'
        f' fill="none">{made}</svg>'
    )


def bar_ends(frame: Any) -> dict[str, tuple[float, float]]:
    """The ends of the bars: NDCG from 0 to its highest value, consistency 0 to 1, equality from a
    round value below the lowest to 1."""
    top = frame["ndcg"].max()
    low = frame["equality"].min()
    return {
        "ndcg": (0.0, 1.15 * top if top > 0 else 1.0),
        "consistency": (0.0, 1.0),
        "equality": (0.0 if math.isnan(low) else max(0.0, math.floor(10 * (low - 0.02)) / 10), 1.0),
    }


def bar_ends_sentence(frame: Any) -> str:
    """Where the bars start and end."""
    ends = bar_ends(frame)
    return (
        f"Bars: NDCG 0 to {ends['ndcg'][1]:.2g}, consistency 0 to 1, equality"
        f" {ends['equality'][0]:g} to 1."
    )


def table_html(frame: Any, chosen: str, k: int, dark: bool, paper: Any = None) -> str:
    """The table of :func:`equity_core.analysis.audit.recommenders.table` as HTML, all text
    escaped."""
    colours, limits = palette(dark), bar_ends(frame)
    heads = (
        f'<th scope="col">Recommender</th><th scope="col">NDCG@{k}</th>'
        '<th scope="col">Consistency</th><th scope="col" class="sd">sd</th>'
        '<th scope="col">Equality</th><th scope="col" class="strip">Worst-off to best-off tenth, 0'
        ' to 1</th><th scope="col" class="range">from – to</th>'
    )
    rows = []
    for algorithm, row in frame.iterrows():
        colour, picked = colours.algorithm(str(algorithm)), algorithm == chosen
        cells = []
        for column in ("ndcg", "consistency", "equality"):
            other = None if paper is None else paper[f"{column}_paper"].get(algorithm, math.nan)
            sure = row[f"{column}_low"], row[f"{column}_high"]
            cells.append(f"<td>{_bar(row[column], sure, *limits[column], colour, other)}</td>")
        cells.insert(
            2, f'<td class="sd">{"–" if math.isnan(row["sd"]) else format(row["sd"], ".3f")}</td>'
        )
        span = (
            "no lists"
            if math.isnan(row["worst_tenth"])
            else f"{row['worst_tenth']:.2f} – {row['best_tenth']:.2f}"
        )
        mark = " class=chosen" if picked else ""
        name, family = escape(str(row["label"])), escape(str(row["family"]))
        rows.append(
            f'<tr data-algorithm="{escape(str(algorithm), quote=True)}"{mark}>'
            '<th scope="row"><button type="button"'
            f' aria-pressed="{str(picked).lower()}">{marker(str(algorithm), dark)}{name}</button>'
            f'<span class="family">{family}</span></th>{"".join(cells)}'
            f'<td class="strip">{_strip(row["worst_tenth"], row["best_tenth"], colour)}</td>'
            f'<td class="range">{span}</td></tr>'
        )
    caption = "Recommenders before any re-ranking; choose one by its name"
    return (
        f"<table><caption>{caption}</caption><thead><tr>{heads}</tr></thead><tbody>"
        f"{''.join(rows)}</tbody></table>"
    )


def recommender_table(
    frame: Any,
    chosen: str,
    k: int,
    dark: bool,
    paper: Any = None,
    *,
    key: str,
    on_choose: Callable[[str], None],
) -> None:
    """Draw the table; choosing a row calls ``on_choose(algorithm)`` before the next run."""

    def choose() -> None:
        picked = st.session_state[key].get("chosen")
        if picked in frame.index:
            on_choose(picked)

    _PANEL(
        key=key, data={"html": table_html(frame, chosen, k, dark, paper)}, on_chosen_change=choose
    )


def _choose(algorithm: str) -> None:
    """A row of the table was clicked: the sidebar's recommender follows."""
    st.session_state["algo"] = algorithm


def recommenders_panel(cur: Current, measured: dict[str, eq.Evaluation], overall: Any) -> None:
    """Table 1; on demand with the paper's values, and with a rank discount."""
    chosen = cur.algorithm
    shown, said = overall, ""
    if st.session_state.get("by_rank"):
        other = discounted_evaluations(cur)
        shown = results.frame(
            cur, recommenders.table, other, interval_frames(cur, other), by=("position",)
        )
        change = results.frame(
            cur, rank_discount.discount_change, measured[chosen], other[chosen], by=(chosen,)
        )
        name = str(overall.loc[chosen, "label"])
        said = (
            f"{rank_discount.discount_change_sentence(change, name)}"
            f" {rank_discount.equality_order_sentence(overall, shown)}"
        )
    paper = recommenders.with_paper(shown) if st.session_state.get("paper") else None
    heading(
        "Recommenders before re-ranking",
        f"Their own lists{', with top positions weighted more' if said else ''}. Choose a row"
        f" to audit that recommender. {bar_ends_sentence(shown)} Small print: 95 % bootstrap"
        f" intervals over learners.{few_learners_note(len(cur.bundle.learner_ids))}",
        frame=shown if paper is None else paper,
        name="recommenders",
    )
    recommender_table(shown, chosen, cur.policy.k, cur.dark, paper, key="table1", on_choose=_choose)
    if said:
        st.caption(plain(said))
    if paper is not None:
        said = recommenders.equality_reading_sentence(shown)
        st.caption(f"{recommenders.paper_sentence(shown)} {said}".strip())
    with st.container(horizontal=True):
        st.toggle("The paper's values", key="paper", persist_state="session")
        st.toggle(
            "Weight top positions more",
            key="by_rank",
            help=rank_discount.HELP,
            persist_state="session",
        )
