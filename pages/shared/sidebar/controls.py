"""The sidebar: what to look at (data set, recommender) and the policy."""

from __future__ import annotations

import logging
import math
from functools import partial
from typing import Any, Literal

import streamlit as st

import equity_core as eq
from equity_core.algorithms import label
from equity_core.analysis.words import STRATEGIES
from pages.shared import current, datasets, live, loading, logs, results, scenarios, state
from pages.shared.appearance import is_dark
from pages.shared.current import Current
from pages.shared.datasets import Dataset
from pages.shared.sidebar import presets, slider, targets

PREFERRED = "userknn"
STRATEGY_HELP = (
    "Which principles count more in the re-ranking. **Same for all (glob)**: all count the same."
    " **Population's gaps (user)**: those that the learners' lists miss most on average."
    " **Learner's gaps (pers)**: for each learner, those that the learner's own list misses most."
    " **Your weights (custom)**: the weights below, under “Targets and weights”."
)

PIN, UNPIN = (
    "Compare with the current policy from now on",
    "Compare with the recommender's own lists again",
)
_SAVED = "_saved"
"""The name of the scenario that was just saved, for the message after the screen is drawn."""


def choose_data() -> Dataset | None:
    """The chosen data set. If it cannot be read, an explanation and the previous one, or None if
    there is none."""
    options = datasets.names()
    if not options:
        st.error(
            "There is no data set yet. Run `make demo`, put a bundle's folder in data/, or load"
            " your own."
        )
        loading.button()
        return None
    if (picked := st.session_state.pop(datasets.PICK, None)) in options or st.session_state.get(
        "data", options[0]
    ) not in options:
        st.session_state["data"] = picked if picked in options else options[0]
    with st.sidebar, _row("bottom"):
        name = st.selectbox(
            "Data set", options, format_func=datasets.title, key="data", bind="query-params"
        )
        loading.button()
    try:
        data = datasets.load(name)
        st.session_state["_good"] = name
        return data
    except (eq.BundleError, OSError) as error:
        logs.event("data set refused", logging.WARNING, name=name)
        st.error(f"“{datasets.title(name)}” cannot be used. What is wrong, and how to fix it:")
        st.code(str(error), language=None, wrap_lines=True)
        former = st.session_state.get("_good")
        if former in options and former != name:
            st.info(f"“{datasets.title(former)}” stays in use.")
            return datasets.load(former)
        return None


def choose(data: Dataset, *, follow: bool) -> Current | None:
    """The chosen recommender and policy; an explanation and None if there is no recommender.

    ``follow``: the slider is drawn last, together with the parts that follow it.
    """
    bundle = data.bundle
    if not bundle.algorithms:
        st.error(
            "This data set has no relevance scores, so there is nothing to re-rank. Add a file"
            " relevance/<algorithm>.parquet to it."
        )
        return None
    first = bundle.algorithms.index(PREFERRED) if PREFERRED in bundle.algorithms else 0
    if state.change_data(st.session_state["_good"], bundle, bundle.algorithms[first]):
        targets.forget_drafts(bundle)
    if st.session_state.get("algo", bundle.algorithms[first]) not in bundle.algorithms:
        st.session_state["algo"] = bundle.algorithms[first]
    presets.apply_pending(bundle)
    targets.apply_pending()
    if (  # the state already says what will be asked
        st.session_state.get("algo") in bundle.algorithms
        and "tau" in st.session_state
        and not st.session_state.get(state.START)
    ):
        results.compute_ahead(_current(data, st.session_state["algo"]))
    with st.sidebar:
        with _row():
            algorithm = st.selectbox(
                "Recommender", bundle.algorithms, first, label, key="algo", bind="query-params"
            )
            st.number_input(
                "List length k",
                1,
                1000,
                state.DEFAULTS["k"],
                step=1,
                key="k",
                bind="query-params",
                width=116,
            )
        with st.container(key="policy_kind"):  # what is not seen takes no room in it
            targets.carry(data)
            start = _start(_current(data, algorithm))
            if st.session_state.pop(state.START, False):
                st.session_state["tau"] = start
            slider.choose_kind(start)
        slot = st.container()
        if follow:
            live.begin(slot, partial(slider.draw_panel, start=start))
        else:
            live.off()
            with slot:
                slider.draw_slider(start)
        st.selectbox(  # four names of this length do not fit in a row of buttons
            "Strategy",
            list(STRATEGIES),
            format_func=STRATEGIES.__getitem__,
            key="strategy",
            bind="query-params",
            help=STRATEGY_HELP,
        )
    notes = state.read(bundle)[1]
    cur = _current(data, algorithm)
    if not follow:
        with slot:
            slider.draw_curve(cur)
    with st.sidebar:
        presets.menu(cur)
        targets.panel(cur, data)
        _keep(cur, data)
    for note in notes:
        st.warning(note)
    return cur


def _current(data: Dataset, algorithm: str) -> Current:
    """The choice in the state of the controls, with a recommender."""
    pinned: tuple[str, eq.Policy] | None = st.session_state.get("_baseline")
    policy = state.read(data.bundle)[0]
    judged = datasets.judged(data, policy)
    algorithm_then, policy_then = (
        pinned if pinned and pinned[0] in data.bundle.algorithms else (None, None)
    )
    return Current(
        data,
        judged.bundle,
        judged.key,
        data.private,
        algorithm,
        policy,
        current.split_of(data.bundle),
        is_dark(),
        policy_then,
        algorithm_then,
    )


def _start(cur: Current) -> float:
    """The floor to begin with: the mean consistency of the recommender's own lists."""
    mean = results.own(cur).evaluation.consistency
    return 0.65 if math.isnan(mean) else min(max(round(mean, 2), 0.0), 1.0)


def _keep(cur: Current, base: Dataset) -> None:
    """What everything is compared with, and the buttons that pin the current policy, save it as a
    scenario and reset everything."""
    own, compared = cur.baseline is None, "the recommender's own lists"
    if cur.baseline is not None:
        algorithm = cur.baseline_algorithm or cur.algorithm
        compared = f"{label(algorithm)}: {state.describe(cur.baseline)}"
    st.caption(f"Compared with **{compared}**")
    with _row():
        if own:
            st.button(
                "Pin",
                icon=":material/keep:",
                key="pin",
                help=PIN,
                on_click=_pin,
                args=(True,),
                width="stretch",
            )
        else:
            st.button(
                "Unpin",
                icon=":material/keep_off:",
                key="unpin",
                help=UNPIN,
                on_click=_pin,
                args=(False,),
                width="stretch",
            )
        if st.button("Save", icon=":material/bookmark_add:", width="stretch", key="save"):
            _save(cur)
        st.button(
            "Reset",
            icon=":material/restart_alt:",
            width="stretch",
            key="reset_all",
            on_click=_reset,
            args=(base,),
        )
    if saved := st.session_state.pop(_SAVED, None):
        st.toast(f"Saved as “{saved}”. Compare it on the Decisions screen.")


@st.dialog("Save this scenario")
def _save(cur: Current) -> None:
    st.text_input(
        "Name of the scenario",
        value=f"{label(cur.algorithm)}, {state.describe(cur.policy)}",
        key="scenario_name",
    )
    kept = len(scenarios.all_scenarios())
    st.caption(
        f"{kept} saved in this browser session. The link in the address bar also keeps the"
        " settings."
    )
    if st.button(
        "Save scenario", key="save_scenario", type="primary", on_click=_saved, args=(cur,)
    ):
        st.rerun()  # closes this


def _saved(cur: Current) -> None:
    st.session_state[_SAVED] = scenarios.add(cur, st.session_state["scenario_name"]).name


def _row(align: Literal["top", "center", "bottom"] = "top") -> Any:
    """Controls side by side. Lighter for a browser than columns, and the sidebar is drawn at every
    move of the slider."""
    return st.container(horizontal=True, vertical_alignment=align, gap="xsmall", wrap=False)


def _pin(on: bool) -> None:
    now = current.current()  # as the slider has it, not as it was when the button was drawn
    st.session_state["_baseline"] = (now.algorithm, now.policy) if on else None


def _reset(base: Dataset) -> None:
    state.reset(base.bundle)
    targets.forget_drafts(base.bundle)
