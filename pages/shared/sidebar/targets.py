"""Targets and weights: a compact form. Drafts are separate from the values in force until Apply;
the values in force are in the link, as text."""

from __future__ import annotations

import streamlit as st

from equity_core.analysis.words import STRATEGIES
from equity_core.metrics.reach import reachable
from pages.shared import state
from pages.shared.compute import compute
from pages.shared.current import Current
from pages.shared.datasets import Dataset
from pages.shared.sidebar import principles

SCALES = {
    "minmax": "between each learner's lowest and highest",
    "rank": "by rank",
    "none": "as stored",
}
POOLS = {"stored": "the stored candidates", "catalogue": "the whole catalogue"}
_NEXT = "_aims_next"
_WHAT = {"targets": "Target", "weights": "Weight"}


def _applied(names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Targets and weights in force, by principle."""
    out = {}
    for what, highest in (("targets", 1.0), ("weights", float("inf"))):
        given, _ = state.read_values(str(st.session_state.get(what) or ""), names, highest)
        out[what] = {name: given.get(name, 1.0) for name in names}
    return out


def _key(what: str, name: str) -> str:
    return f"draft_{what}_{name}"


def summary(names: tuple[str, ...]) -> str:
    """The values other than 1, such as "Targets: quality 0.8"; empty if there are none."""
    parts = []
    for what, values in _applied(names).items():
        changed = [f"{name} {value:g}" for name, value in values.items() if value != 1.0]
        if changed:
            parts.append(f"{what}: {', '.join(changed)}")
    return "; ".join(parts).capitalize()


def panel(cur: Current, base: Dataset) -> None:
    """The popover, and below it what was changed. Its text fields are drawn in every run (the link
    keeps them), the form only when it is open.

    Its label never changes: Streamlit knows a popover by its label, and one with another label
    would be closed.
    """
    opened = st.popover(
        "Targets and weights",
        icon=":material/tune:",
        width="stretch",
        key="aims",
        on_change="rerun",
    )
    with opened:
        if opened.open:
            _form(cur)
            st.divider()
        with st.container(key="aims_texts"):
            st.text_input(
                "Targets as text",
                key="targets",
                bind="query-params",
                placeholder="quality=0.8, variety=0.5",
                help="Principles that are not named have the target 1.",
            )
            st.text_input(
                "Weights as text",
                key="weights",
                bind="query-params",
                placeholder="affordability=2",
                help=f"Used with the strategy {STRATEGIES['custom']}.",
            )
            principles.choose(base)
            st.selectbox(
                "Relevance scaled",
                list(SCALES),
                format_func=SCALES.__getitem__,
                key="scale",
                bind="query-params",
            )
            st.selectbox(
                "Courses to choose from",
                list(POOLS),
                format_func=POOLS.__getitem__,
                key="pool",
                bind="query-params",
            )
        if opened.open:
            st.divider()
            principles.add(base)
    with st.container():  # always there, so that what follows does not move
        if words := summary(cur.names):
            st.caption(words)


@st.fragment
def _form(cur: Current) -> None:
    names, applied = cur.names, _applied(cur.names)
    best: dict[str, float] = compute(cur, reachable, cur.policy.k)
    for what in _WHAT:
        for name in names:
            st.session_state.setdefault(_key(what, name), applied[what][name])
    drafts = _drafts(names, applied)
    changed = drafts != applied
    st.markdown("**Targets and weights**" + (" · :orange[changes not applied]" if changed else ""))
    st.caption(
        "Target: the value that every list should have; 1 = as much as possible. Weight: how much a"
        f" gap counts, with the strategy {STRATEGIES['custom']}."
    )
    for name in names:
        first, second, third, fourth = st.columns(
            [2.2, 1.6, 1.6, 0.7], vertical_alignment="bottom", gap="small", wrap=False
        )
        first.markdown(
            f"{name.capitalize()}"
            + (f"  \n:small[at most {best[name]:.2f}]" if best[name] < 0.995 else "")
        )
        for place, what, highest, step in (
            (second, "targets", 1.0, 0.05),
            (third, "weights", 100.0, 0.5),
        ):
            # The default never changes: a field whose default followed the value in force would be
            # a different field after Apply.
            key, words = _key(what, name), f"{_WHAT[what]} of {name}"
            place.number_input(
                words,
                0.0,
                highest,
                1.0,
                step,
                key=key,
                label_visibility="collapsed",
                persist_state="session",
            )
        untouched = all(drafts[what][name] == 1.0 for what in _WHAT)
        fourth.button(
            "",
            icon=":material/undo:",
            key=f"reset_{name}",
            disabled=untouched,
            on_click=_reset,
            args=((name,),),
            help=f"{name}: back to 1",
        )
    beyond = [
        name
        for name in names
        if drafts["targets"][name] != 1.0 and drafts["targets"][name] > best[name] + 1e-9
    ]
    if beyond:
        st.info(
            f"Out of reach for any list of {cur.policy.k}: the target of {', '.join(beyond)}. Lists"
            " come as close as they can."
        )
    nothing = all(value == 0.0 for value in drafts["weights"].values())
    if nothing:
        st.warning(
            "All weights are 0: no principle would count. Give at least one a weight above 0."
        )
    left, right = st.columns(2)
    if left.button(
        "Apply",
        key="aims_apply",
        disabled=not changed or nothing,
        on_click=_apply,
        args=(names,),
        width="stretch",
    ):
        st.rerun()
    right.button(
        "Reset all to 1", key="aims_reset", on_click=_reset, args=(names,), width="stretch"
    )


def _reset(names: tuple[str, ...]) -> None:
    for what in _WHAT:
        for name in names:
            st.session_state[_key(what, name)] = 1.0


def _drafts(
    names: tuple[str, ...], applied: dict[str, dict[str, float]]
) -> dict[str, dict[str, float]]:
    """The values in the form, whether in force or not."""
    return {
        what: {
            name: float(st.session_state.get(_key(what, name), applied[what][name]) or 0.0)
            for name in names
        }
        for what in _WHAT
    }


def _apply(names: tuple[str, ...]) -> None:
    st.session_state[_NEXT] = {
        what: state.write_values(values) for what, values in _drafts(names, _applied(names)).items()
    }


def apply_pending() -> None:
    """Copy applied drafts to the text fields before these are drawn: the form is a fragment, and
    may not set what is drawn outside it."""
    for what, text in st.session_state.pop(_NEXT, {}).items():
        st.session_state[what] = text
        if what == "weights" and text:
            st.session_state["strategy"] = "custom"  # the only strategy that takes weights as given


def forget_drafts() -> None:
    """Set the drafts to the values in force, after something else has set the policy (call it from
    a callback, or before the form is drawn)."""
    for key in [str(key) for key in st.session_state if str(key).startswith("draft_")]:
        _, what, name = key.split("_", 2)
        given, _ = state.read_values(
            str(st.session_state.get(what) or ""),
            (name,),
            1.0 if what == "targets" else float("inf"),
        )
        st.session_state[key] = given.get(name, 1.0)
