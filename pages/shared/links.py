"""What the link asked for, and what of it could not be used: said in a note instead of silently left out."""

from __future__ import annotations

import streamlit as st

from equity_core.charts.theme import label
from equity_core.recommenders.registry import ALGORITHMS

_GIVEN, _NOTES, _SHORT, _NEXT = "_given", "_notes", "_short", "_short_next"
_WORDS = {
    "data": "data set", "algo": "recommender", "by": "policy", "tau": "floor τ", "lam": "λ", "strategy": "strategy", "k": "list length k",
    "scale": "scaling of relevance", "pool": "courses to choose from",
}  # fmt: skip


_CODES = {"by": ("floor", "lam"), "algo": ALGORITHMS, "scale": ("minmax", "rank", "none"), "pool": ("stored", "catalogue")}
"""A bound control writes its words into the link; links written by hand may use these short names instead."""


def remember() -> None:
    """At the start of a run, before any control is drawn: keep what the link says; in the second run, take the short names."""
    for key, code in st.session_state.pop(_NEXT, {}).items():
        st.session_state[key] = code
    if _GIVEN in st.session_state:
        return
    from pages.shared import datasets

    given = {key: st.query_params[key] for key in _WORDS if key in st.query_params}
    codes = {**_CODES, "data": tuple(datasets.folders())}
    st.session_state[_SHORT] = {key: text for key, text in given.items() if text in codes.get(key, ())}
    # Needed before their controls are drawn, further down in the sidebar.
    for key in ("targets", "weights"):
        if key in st.query_params:
            st.session_state[key] = st.query_params[key]
    if "principles" in st.query_params:
        st.session_state["principles"] = st.query_params.get_all("principles")
    st.session_state[_GIVEN] = given


def settle() -> None:
    """After the controls were drawn for the first time: if the link has short names, once more with them.

    Set before the first drawing they would be in force, too, but the address bar would lose them.
    """
    short = {key: code for key, code in st.session_state.pop(_SHORT, {}).items() if st.session_state.get(key) != code}
    if short:
        st.session_state[_NEXT] = short
        st.rerun()


def _same(key: str, given: str) -> bool:
    """Whether a control has what the link asks for. λ and τ: only the one that is in use."""
    value = st.session_state.get(key)
    if key in ("lam", "tau") and (key == "lam") != (st.session_state.get("by") == "lam"):
        return True
    try:
        return float(given) == float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return given in (str(value), label(str(value)), *_words(key, value))


def _words(key: str, value: object) -> tuple[str, ...]:
    """What a control calls its value on screen, and so in the link."""
    from pages.shared import aims, datasets, slider

    tables: dict[str, dict[str, str]] = {"by": slider.WORDS, "scale": aims.SCALES, "pool": aims.POOLS}
    if key == "data":
        return (datasets.title(str(value)),)
    return (tables.get(key, {}).get(str(value), ""),)


def notes() -> None:
    """After the controls were drawn: what the link asked for and did not get, until it is dismissed."""
    given: dict[str, str] | None = st.session_state.get(_GIVEN)
    if given:
        wrong = [key for key, text in given.items() if not _same(key, text)]
        st.session_state[_NOTES] = [f"{_WORDS[key]} “{given[key][:40]}”" for key in wrong]
    st.session_state[_GIVEN] = {}
    if st.session_state.get(_NOTES):
        left, right = st.columns([9, 1], vertical_alignment="center")
        text = "; ".join(st.session_state[_NOTES])
        left.warning(f"The link asks for what is not possible here: {text}. The usual value is used instead.")
        right.button("OK", key="dismiss", on_click=st.session_state.pop, args=(_NOTES, None))
