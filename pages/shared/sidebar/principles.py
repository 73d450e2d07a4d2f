"""The principles in use: those of the data set, some of them, or a platform's own from any course
column."""

from __future__ import annotations

from typing import Any

import streamlit as st

import equity_core as eq
from pages.shared import state
from pages.shared.datasets import Dataset

KEY, _SHOWN = "principles", "shown_principles"
_KINDS = {
    "mean": "the mean of its numbers",
    "balance": "an even spread of its values",
    "match": "similarity to the learner's past courses",
}


def carry(data: Dataset) -> None:
    """The field that the link has the principles from; never seen."""
    own = state.codes(None, data.bundle.principles)
    st.multiselect(
        "Principles in use",
        list(dict.fromkeys([*own, *st.session_state.get(KEY, [])])),
        own,
        key=KEY,
        bind="query-params",
        accept_new_options=True,
    )


def choose(data: Dataset) -> None:
    """The control for the principles in use."""
    own = state.codes(None, data.bundle.principles)
    st.session_state[_SHOWN] = list(st.session_state[KEY])
    st.multiselect(
        "Principles in use",
        list(dict.fromkeys([*own, *st.session_state[KEY]])),
        key=_SHOWN,
        format_func=state.principle_name,
        on_change=_chosen,
        args=(data,),
        help="Remove one, or add your own below.",
    )


def _chosen(data: Dataset) -> None:
    state.use_principles(st.session_state[_SHOWN], data.bundle)


def add(data: Dataset) -> None:
    """The form for a principle of the user's own."""
    columns = data.bundle.principle_columns()
    st.markdown("**Your own principle, from any course column**")
    name = st.text_input(
        "Name",
        key="own_name",
        placeholder="for example duration",
        max_chars=40,
        persist_state="page",
    )
    column = st.selectbox("Column", list(columns), key="own_column", persist_state="page")
    kinds = list(_KINDS) if column and columns[column] == "mean" else ["balance", "match"]
    kind = st.selectbox(
        "Judged by", kinds, format_func=_KINDS.__getitem__, key="own_kind", persist_state="page"
    )
    better, scale = "high", "linear"
    if kind == "mean":
        better = (
            st.segmented_control(
                "Better if", ["high", "low"], key="own_better", default="high", required=True
            )
            or "high"
        )
        scale = (
            st.segmented_control(
                "Scale", ["linear", "log"], key="own_scale", default="linear", required=True
            )
            or "linear"
        )
    wrong = _wrong(data, name, kind, column, better, scale)
    if name and wrong:
        st.warning(wrong)
    st.button(
        "Add this principle",
        disabled=not name or bool(wrong),
        on_click=_added,
        args=(data, name, kind, column, better, scale),
        key="own_add",
        help="Give it a name first." if not name else None,
    )


def _wrong(data: Dataset, name: str, kind: Any, column: Any, better: str, scale: str) -> str:
    """Why the principle cannot be used; empty if it can be."""
    if not name:
        return ""
    if name in map(state.principle_name, st.session_state.get(KEY) or []):
        return "Choose a name that is not in use."
    try:
        data.bundle.with_principles(
            (eq.Principle(name, kind, column, *((better, scale) if kind == "mean" else ())),),
        )
    except (ValueError, TypeError) as error:
        return f"The column {column!r} cannot be used like this: {error}."
    return ""


def _added(data: Dataset, name: str, kind: Any, column: str, better: Any, scale: Any) -> None:
    made = eq.Principle(name, kind, column, *((better, scale) if kind == "mean" else ()))
    code = state.principle_code(made, data.bundle.principles)
    state.use_principles([*st.session_state[KEY], code], data.bundle)
    st.session_state["own_name"] = ""
