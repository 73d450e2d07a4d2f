"""Presets: policies to try first, each one click away."""

from __future__ import annotations

import math

import streamlit as st

import equity_core as eq
from equity_core.analysis.choosing.limits import maximum_loss
from pages.shared import results, state
from pages.shared.current import Current
from pages.shared.sidebar.targets import forget_drafts

_PENDING = "_preset"
LIMIT = 0.1
"""The loss of NDCG in two of the names."""
NAMES = {
    "own": "The recommender's own lists",
    "mean": "Raise everyone to today's mean",
    "floor10": "Most equal floor that safely loses at most 10 % of NDCG",
    "lam10": "Most equal λ that safely loses at most 10 % of NDCG",
    "learner": "Learner's gaps (pers), λ = 0.95",
    "paper": "The paper's strongest: same for all (glob), λ = 0.99",
}


def menu(cur: Current) -> None:
    """The menu of presets."""
    picked = st.menu_button(
        "Presets",
        list(NAMES),
        format_func=NAMES.__getitem__,
        key="preset",
        width="stretch",
        icon=":material/bolt:",
    )
    if picked:
        policy = _policy(cur, picked)
        if policy is None:
            st.toast(
                "No policy stays within that limit here, or NDCG is unknown. Nothing was changed."
            )
        else:
            st.session_state[_PENDING] = policy
            st.rerun()


def apply_pending(bundle: eq.Bundle) -> None:
    """Set the controls to a chosen preset, before they are drawn. ``bundle``: with its own
    principles."""
    policy: eq.Policy | None = st.session_state.pop(_PENDING, None)
    if policy is not None:
        state.use(policy)
        forget_drafts(bundle)


def _policy(cur: Current, name: str) -> eq.Policy | None:
    policy = cur.policy
    if name == "own":
        return policy.but(lam=0.0, floor=None)
    if name == "learner":
        return policy.but(lam=0.95, floor=None, strategy="pers", weights=None)
    if name == "paper":
        return policy.but(lam=0.99, floor=None, strategy="glob", weights=None)
    if name == "mean":
        mean = results.own(cur).evaluation.consistency
        return None if math.isnan(mean) else policy.but(floor=min(max(round(mean, 2), 0.0), 1.0))
    found = maximum_loss(results.searched(cur), LIMIT)
    best = found.safe_floor if name == "floor10" else found.safe_lam
    return None if best is None else best.policy
