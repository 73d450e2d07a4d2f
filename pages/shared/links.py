"""What the link asked for, and what of it could not be used: said in a note instead of silently
left out."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from equity_core.algorithms import ALGORITHMS, label

_GIVEN, _NOTES, _SHORT, _NEXT, _PUT = "_given", "_notes", "_short", "_short_next", "_short_put"
_WORDS = {
    "data": "data set",
    "algo": "recommender",
    "by": "policy",
    "tau": "floor τ",
    "lam": "λ",
    "strategy": "strategy",
    "k": "list length k",
    "scale": "scaling of relevance",
    "pool": "courses to choose from",
}

SHARED = (*_WORDS, "targets", "weights", "principles", "embed", "embed_options")
"""What an address says of all screens; the rest is of one."""

_CODES = {
    "by": ("floor", "lam"),
    "algo": ALGORITHMS,
    "scale": ("minmax", "rank", "none"),
    "pool": ("stored", "catalogue"),
}
"""A bound control writes its words into the link; links written by hand may use these short names
instead."""


def remember() -> None:
    """In the first run of a session, before any control is drawn: keep what the link says, and take
    short names for words."""
    for key, code in st.session_state.pop(_NEXT, {}).items():
        st.session_state[key] = code
    if _GIVEN in st.session_state:
        return
    from pages.shared import datasets

    given = {key: st.query_params[key] for key in _WORDS if key in st.query_params}
    codes = {**_CODES, "data": tuple(datasets.folders())}
    short = {key: text for key, text in given.items() if text in codes.get(key, ())}
    for key, code in short.items():
        st.session_state[key] = code
        given[key] = _words(key, code)
    # Needed before their controls are drawn.
    for key in ("lam", "tau"):
        with suppress(KeyError, ValueError):
            value = float(st.query_params[key])
            if 0.0 <= value <= 1.0:
                st.session_state[key] = value
    for key in ("targets", "weights"):
        if key in st.query_params:
            st.session_state[key] = st.query_params[key]
    if "principles" in st.query_params:
        st.session_state["principles"] = st.query_params.get_all("principles")
    st.session_state[_GIVEN], st.session_state[_SHORT] = given, short


def settle() -> None:
    """Short names are in force at once, but a control takes its link's parameter away when it does
    not know it: put it back later."""
    if st.session_state.get(_SHORT):
        _put_back()


@st.fragment(run_every=0.5)
def _put_back() -> None:
    if st.session_state.get(_PUT):
        st.session_state[_NEXT] = {
            key: st.session_state[key]
            for key in st.session_state.pop(_SHORT, {})
            if key in st.session_state
        }
        st.rerun()
    st.session_state[_PUT] = (
        # the first call is part of the run that draws the controls; the next one comes from the
        # browser
        True
    )


def _same(key: str, given: str) -> bool:
    """Whether a control has what the link asks for. λ and τ: only the one that is in use."""
    value = st.session_state.get(key)
    if key in ("lam", "tau") and (key == "lam") != (st.session_state.get("by") == "lam"):
        return True
    try:
        return float(given) == float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return given == _words(key, str(value))


def _words(key: str, value: str) -> str:
    """What a control calls its value on screen, and so in the link."""
    from pages.shared import datasets
    from pages.shared.sidebar import slider
    from pages.shared.sidebar import targets as aims

    if key == "data":
        return datasets.title(value)
    if key == "algo":
        return label(value)
    tables: dict[str, dict[str, str]] = {
        "by": slider.WORDS,
        "scale": aims.SCALES,
        "pool": aims.POOLS,
    }
    return tables.get(key, {}).get(value, value)


def notes() -> None:
    """After the controls were drawn: what the link asked for and did not get, until it is
    dismissed."""
    given: dict[str, str] | None = st.session_state.get(_GIVEN)
    if given:
        wrong = [key for key, text in given.items() if not _same(key, text)]
        st.session_state[_NOTES] = [f"{_WORDS[key]} “{given[key][:40]}”" for key in wrong]
    st.session_state[_GIVEN] = {}
    if st.session_state.get(_NOTES):
        left, right = st.columns([9, 1], vertical_alignment="center")
        text = "; ".join(st.session_state[_NOTES])
        left.warning(
            f"The link asks for what is not possible here: {text}. The usual value is used instead."
        )
        right.button("OK", key="dismiss", on_click=st.session_state.pop, args=(_NOTES, None))
