"""Finding a learner: in an order (worst-off, most changed, pays most), by id, or one after the
other."""

from __future__ import annotations

from typing import Any

import streamlit as st

from equity_core.analysis.learners.population import (
    ORDERS,
    find_learners,
    learner_changes,
    learner_line,
    learner_order,
)
from pages.shared import results
from pages.shared.compute import remember
from pages.shared.current import Current

LONGEST = 200
"""Learners to choose from at once; the arrows and the search reach everybody."""


def population(cur: Current) -> Any:
    """Every learner before and after (analysis.learners.population.learner_changes), kept."""

    def make() -> Any:
        own, now = results.own(cur), results.result(cur)
        return learner_changes(cur.bundle, own.run, now.run, own.evaluation, now.evaluation)

    return remember(cur, "population", make, cur.algorithm, cur.policy, cur.split)


def _go(learner_id: Any) -> None:
    st.session_state["learner"] = str(learner_id)


def _picked(ids: Any) -> None:
    if st.session_state["pick"] is not None:
        _go(ids[st.session_state["pick"]])


def find_learner(cur: Current, people: Any) -> int:
    """Draw the finder, and return the position of the learner in view."""
    ids = cur.bundle.learner_ids
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="finder"):
        by = st.segmented_control(
            "Order of the learners",
            list(ORDERS),
            format_func=ORDERS.__getitem__,
            key="order",
            bind="query-params",
            default="worst",
            required=True,
            label_visibility="collapsed",
            on_change=_go,
            args=("",),
            width="content",
        )
        typed = st.text_input(
            "Find by id",
            key="learner",
            bind="query-params",
            placeholder="Find by id",
            icon=":material/search:",
            label_visibility="collapsed",
            width=140,
        )
        found = find_learners(cur.bundle, typed)
        line = learner_order(people, by) if len(found) < 2 else found
        here = int(found[0]) if len(found) else int(line[0])
        at = int((line == here).argmax())
        options = line[:LONGEST].tolist() if at < LONGEST else [here, *line[:LONGEST].tolist()]
        st.session_state["pick"] = here
        st.selectbox(
            "Learner",
            options,
            format_func=lambda learner: learner_line(people, learner),
            key="pick",
            on_change=_picked,
            args=(ids,),
            label_visibility="collapsed",
            width=400,
        )
        for word, icon, step in (
            ("Previous", ":material/chevron_left:", -1),
            ("Next", ":material/chevron_right:", 1),
        ):
            there = at + step
            off = not 0 <= there < len(line)
            st.button(
                word,
                key=f"step{step}",
                icon=icon,
                type="tertiary",
                disabled=off,
                on_click=_go,
                args=("" if off else ids[line[there]],),
            )
    if typed.strip() and not len(found):
        st.warning(
            f"No learner's id contains “{typed.strip()}”. Shown is the first of the list.",
            icon=":material/search_off:",
        )
    elif len(found) > 1:
        st.caption(f"{len(found):,} ids contain “{typed.strip()}”: the arrows go through them.")
    return here
