"""Every learner at once, on demand: draw around points, read who they are, take them away."""

from __future__ import annotations

from typing import Any

import streamlit as st

from equity_core.analysis.learners import population
from equity_core.charts.learners.population import learner_cloud, selected_learners
from pages.shared.current import Current
from pages.shared.panels import figure, table

ALT = (
    "A point a learner: consistency of the own list against consistency under the policy; above the"
    " dotted line it rises"
)


def panel(cur: Current, people: Any, learner: int) -> None:
    """Folded until it is asked for: its library is the largest that the screens have."""
    opened = st.expander(
        "Every learner as a point: draw around some to see who they are",
        icon=":material/scatter_plot:",
        key="explorer",
        on_change="rerun",
    )
    if not opened.open:
        return
    with opened:
        shown = population.learner_points(people)
        chosen = figure(
            learner_cloud(shown, learner, cur.dark),
            title="Before against after",
            sentence=population.points_sentence(shown),
            alt=ALT,
            frame=shown,
            name="learners_before_after",
            on_select="rerun",
        )
        some = selected_learners(chosen)
        if some:
            st.markdown(population.selection_sentence(shown, some))
            rows = shown.loc[[at for at in some if at in shown.index]]
            st.dataframe(rows, hide_index=True, height=260, key="picked_learners")
            table(rows, name="picked_out", label="Those picked out")
