"""The tab of the eight observations on the Audit screen."""

from __future__ import annotations

from typing import Any

import streamlit as st

from equity_core.analysis.observations import (
    Observation,
    basis_sentence,
    check_observations,
    verdicts_sentence,
    verdicts_table,
)
from equity_core.charts.observations import CSS, observation_parts, observation_row
from pages.shared import navigation
from pages.shared.compute import compute
from pages.shared.current import Current
from pages.shared.panels import heading, plain

SCREENS = {"audit": "Audit", "tradeoff": "Trade-off"}
TABS = {"audit": "audit_tab", "tradeoff": "tradeoff_tabs"}
"""The keys of the tabs on the screens that show the figures."""


def observations_tab(cur: Current, found: Any, overall: Any) -> None:
    """Eight rows: claim, verdict, and the statistic that decides; details on demand."""
    eight = compute(
        cur,
        check_observations,
        cur.own,
        cur.split,
        title="Checking the eight observations",
        slow=True,
    )
    with st.container(border=True):
        heading(
            "The paper's eight observations, checked here",
            f"**{plain(verdicts_sentence(eight))}** {plain(basis_sentence(eight))}",
            frame=verdicts_table(eight),
            name="observations",
        )
        st.html(CSS)
        for one in eight.observations:
            left, right = st.columns([8, 1], vertical_alignment="center")
            left.html(observation_row(one, cur.dark))
            opened = right.popover(
                f"Details of {one.number}",
                type="tertiary",
                key=f"observation_{one.number}",
                on_change="rerun",
                width="content",
            )
            if opened.open:
                with opened:
                    _details(cur, one)


def _details(cur: Current, one: Observation) -> None:
    """One observation in words, its parts, the frame behind it, and a link to its figure."""
    st.markdown(f"**Observation {one.number}: {one.verdict}.** {plain(one.sentence)}")
    if len(one.parts) > 1:
        st.html(observation_parts(one, cur.dark))
    st.dataframe(one.frame, key=f"frame_observation_{one.number}", hide_index=True, height=220)
    name = f"observation_{one.number}"
    with st.container(horizontal=True):
        st.download_button(
            "CSV",
            one.frame.to_csv(index=False).encode(),
            f"{name}.csv",
            "text/csv",
            key=f"csv_{name}",
            on_click="ignore",
        )
        where = f"{SCREENS[one.figure.screen]}: {one.figure.title}"
        if not one.figure.tab:
            st.caption(f"The figure is further up on this screen: “{one.figure.title}”.")
            return
        st.button(
            f"See the figure ({where})",
            key=f"see_{name}",
            icon=":material/insert_chart:",
            on_click=_show,
            args=(one,),
        )


def _show(one: Observation) -> None:
    st.session_state[TABS[one.figure.screen]] = one.figure.tab
    if one.figure.screen != "audit":
        navigation.go(one.figure.screen)
