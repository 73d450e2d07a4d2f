"""The shell around every screen: data set, recommender and policy in the sidebar, and
the status line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

import equity_core as eq
from equity_core.charts.base import panels
from equity_core.charts.base.theme import palette
from pages.shared import appearance, current, links, live, logs
from pages.shared import navigation as screens
from pages.shared.sidebar import controls

_SHOWN = "_shown_data"
_LOGO = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 176 28" width="176" height="28"
 role="img" aria-label="Learning Equity">
<g fill="{accent}"><rect x="2" y="14" width="5" height="10" rx="1"/>
<rect x="9" y="9" width="5" height="15" rx="1"/>
<rect x="16" y="4" width="5" height="20" rx="1"/></g>
<path d="M1 11.5H22" stroke="{text}" stroke-width="1.6" stroke-dasharray="3 2"/>
<text x="31" y="20" font-family="Arial, Helvetica, sans-serif" font-weight="700" font-size="15"
 fill="{text}">
Learning Equity</text></svg>"""
# The first rule: while a script runs, Streamlit lets every element fade, with a delay. A delayed
# fade makes each of them a layer of its own for the browser, at every move of the slider. Here the
# old result stays until the new one is there; what takes long shows progress. No rule asks what an
# element has in it (":has"): a few that were tried made a browser look at the whole page again at
# every change, which took 30 ms of each move.
_LAYOUT = """
[data-stale="true"] {opacity: 1 !important; transition: none !important;}
.stMainBlockContainer {padding-left: 1.5rem; padding-right: 1.5rem; max-width: 1500px;}
[data-testid="stSidebarUserContent"] {padding-left: 0; padding-right: 0;}
[data-testid="stSidebar"] .stColumn {min-width: 0;}
[data-testid="stSidebarUserContent"] .stVerticalBlock, .stMainBlockContainer .stVerticalBlock {gap:
  0.55rem;}
.stMainBlockContainer h1 {padding: 0 0 0.45rem; line-height: 1.25;}
.stMainBlockContainer h2 {padding: 0 5.5rem 0 0; font-size: 15px; line-height: 1.35;
  min-height: 2.2rem;
  display: flex; align-items: center;}
[data-testid="stMarkdownContainer"] > [data-testid="stHeadingWithActionElements"]:only-child
  {margin-bottom: 0.45rem;}
[class*="st-key-corner_"] {position: relative; height: 0; margin-top: -0.55rem;
  align-self: flex-end; z-index: 1;}
[class*="st-key-corner_"] > .stButton {position: absolute; right: 0; bottom: -0.7rem;
  width: max-content;}
[data-testid="stSidebar"] hr {margin: 0.2rem 0;}
.stSidebar .st-key-policy_kind {gap: 0 !important;}
.st-key-policy_fields {display: none !important;}
"""


_FADED = '.stMainBlockContainer [data-stale="true"] {opacity: 0.25 !important;}'
_UNFADED = '.stMainBlockContainer [data-stale="true"] {opacity: 1 !important;}'
"""Figures of another data set must not look like those of the one that was just chosen. Only for
that run: see the first rule above."""


def run(page: Any, all_screens: Sequence[Any]) -> None:
    """Draw the shell, then the chosen screen."""
    logs.start()
    eq.warm_in_background()
    links.read_link()
    dark = appearance.is_dark()
    st.logo(_LOGO.format(text=palette(dark).text, accent=palette(dark).after))
    st.html(f"<style>{_LAYOUT}{screens.LAYOUT}{panels.css(dark)}</style>")
    screens.row(all_screens, page)
    data = controls.choose_data()
    if data is None:
        return
    other = st.session_state.get(_SHOWN, data.key) != data.key
    if other:
        st.html(f"<style>{_FADED}</style>")
    cur = controls.choose(data, follow=page.url_path in live.SCREENS)
    if cur is None:
        return
    current.put(cur)
    links.restore_short_names()
    links.draw_notes()
    page.run()
    live.draw()
    appearance.watch()
    st.session_state[_SHOWN] = data.key
    if other:
        st.html(f"<style>{_UNFADED}</style>")


def status(cur: current.Current) -> str:
    """The status line: data set, synthetic or real, learners, courses, and the part that NDCG is
    measured on."""
    bundle = cur.bundle
    name = bundle.name.replace(" (synthetic)", "")
    part = (
        f"NDCG on the {cur.split} part"
        if cur.split in bundle.splits
        else "no test part: NDCG unknown"
    )
    kind = "synthetic data" if bundle.synthetic else "real data"
    return (
        f"{name}, {kind} · {len(bundle.learner_ids):,} learners · {len(bundle.course_ids):,}"
        f" courses · {part}"
    )
