"""The policy's main number, a floor τ or one λ for all: a slider with a curve that shows where it
matters."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

from equity_core.charts.base import panels
from pages.shared import live, results, state
from pages.shared.current import Current

KINDS = {"floor": "A floor for each", "lam": "One λ for all"}
FLOOR_HELP = (
    "Each learner gets the most relevant list found that has at least this consistency (1 = meets"
    " every target). Learners whose own list already has it keep that list; where no list is found"
    " that has it, the learner gets the most consistent one found."
)
LAM_HELP = (
    "How much the principles count when each course is chosen: 0 = the recommender alone, 1 = the"
    " principles alone."
)
ENDS = ("keeps the recommender", "serves the principles")


def choose_kind(start: float) -> None:
    """The control for the kind of policy. ``start``: the floor to begin with.

    Both sliders have defaults of their own: one that is drawn again begins at its default, and
    would otherwise fall to its lowest value.
    """
    st.segmented_control(
        "Policy",
        list(KINDS),
        format_func=KINDS.__getitem__,
        key="by",
        bind="query-params",
        default="floor",
        required=True,
        width="stretch",
        wrap=False,
    )
    # Known before their slider is first drawn: only then does a value that a button sets reach the
    # link in the same run.
    st.session_state.setdefault("tau", start)
    st.session_state.setdefault("lam", state.DEFAULTS["lam"])


def draw_slider(start: float) -> None:
    """The slider."""
    common: dict[str, Any] = {
        "min_value": 0.0,
        "max_value": 1.0,
        "step": 0.001,
        "format": "%.3f",
        "bind": "query-params",
    }
    common["on_change"] = live.moved
    if st.session_state["by"] == "lam":
        st.slider(
            "λ: how much the principles count",
            value=state.DEFAULTS["lam"],
            key="lam",
            help=LAM_HELP,
            **common,
        )
    else:
        st.slider(
            "Floor τ: consistency every list must reach",
            value=start,
            key="tau",
            help=FLOOR_HELP,
            **common,
        )


def draw_panel(cur: Current, start: float) -> None:
    """The slider with its curve."""
    draw_slider(start)
    draw_curve(cur)


def draw_curve(cur: Current) -> None:
    """The 46-pixel curve. If its path is not computed yet, the work begins in the background and
    the curve appears when it is done."""
    kind = "lam" if cur.policy.floor is None else "floor"
    results.wait(cur)
    path = results.path_if_ready(cur, kind)
    if path is None:
        _wait(cur, kind)
    else:
        _draw(cur, kind, path)


@st.fragment(run_every=0.7)
def _wait(cur: Current, kind: str) -> None:
    if results.path_if_ready(cur, kind) is None:
        st.caption("Computing the curve of this slider …")
    else:
        st.rerun()


def _draw(cur: Current, kind: str, path: Any) -> None:
    own, now = results.own(cur).evaluation, results.evaluation(cur)
    at = cur.policy.lam if cur.policy.floor is None else cur.policy.floor
    hue = "lam" if kind == "lam" else "floor"
    kept = (
        "NDCG unknown"
        if math.isnan(now.ndcg) or not own.ndcg
        else f"NDCG kept {now.ndcg / own.ndcg:.0%}".replace("%", " %")
    )
    equality = "equality unknown" if math.isnan(now.equality) else f"equality {now.equality:.3f}"
    lines = path["value"], path["ndcg"], path["equality"]
    # A separate element: it stays while the words below it follow the slider.
    st.html(
        results.template(
            cur,
            "curve under the slider",
            lambda: panels.curve(*map(list, lines), hue=hue, dark=cur.dark),
            kind,
            cur.without,
        )
    )
    st.html(panels.slider_panel(at, kept, equality, ENDS, hue))
