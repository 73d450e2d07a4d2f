"""The policy's one number: a floor τ, or one λ for all, with the curve that shows where the slider
matters."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

from equity_core.charts.base import panels
from pages.shared import live, results, state
from pages.shared.current import Current

WORDS = {"floor": "A floor for each", "lam": "One λ for all"}
FLOOR_HELP = (
    "Each learner gets the smallest λ whose list has at least this consistency (1 = meets every"
    " target). Who is there already keeps the recommender's list."
)
LAM_HELP = (
    "The share of the principles in the choice of every course: 0 = the recommender alone, 1 = the"
    " principles alone."
)
ENDS = ("keeps the recommender", "serves the principles")


def kind(start: float) -> None:
    """Which kind of policy. ``start``: the floor to begin with.

    Defaults are the controls' own: one that is mounted anew begins at its default, and would
    otherwise fall to its lowest value.
    """
    st.segmented_control(
        "Policy",
        list(WORDS),
        format_func=WORDS.__getitem__,
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


def number(start: float) -> None:
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


def panel(cur: Current, start: float) -> None:
    """The slider with its curve."""
    number(start)
    curve(cur)


def curve(cur: Current) -> None:
    """The 46-pixel curve. Where the path is not computed yet, that begins in the background and the
    curve comes by itself."""
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
        st.caption("The curve of this slider is being computed …")
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
    # An element of its own: it stays while the words below it follow the slider.
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
