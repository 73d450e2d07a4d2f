"""What the link asked for, and what of it could not be used: said in a note instead of silently left out."""

from __future__ import annotations

import streamlit as st

_GIVEN, _NOTES = "_given", "_notes"
_WORDS = {
    "data": "data set", "algo": "recommender", "by": "policy", "tau": "floor τ", "lam": "λ", "strategy": "strategy", "k": "list length k",
    "scale": "scaling of relevance", "pool": "courses to choose from",
}  # fmt: skip


def remember() -> None:
    """At the first run of a session, before any control is drawn: keep what the link says."""
    if _GIVEN not in st.session_state:
        st.session_state[_GIVEN] = {key: st.query_params[key] for key in _WORDS if key in st.query_params}


def _same(given: str, value: object) -> bool:
    try:
        return float(given) == float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return given == str(value)


def notes() -> None:
    """After the controls were drawn: what the link asked for and did not get, until it is dismissed."""
    given: dict[str, str] | None = st.session_state.get(_GIVEN)
    if given:
        wrong = [key for key, text in given.items() if key in st.session_state and not _same(text, st.session_state[key])]
        st.session_state[_NOTES] = [f"{_WORDS[key]} “{given[key][:40]}”" for key in wrong]
    st.session_state[_GIVEN] = {}
    if st.session_state.get(_NOTES):
        left, right = st.columns([9, 1], vertical_alignment="center")
        text = "; ".join(st.session_state[_NOTES])
        left.warning(f"The link asks for what is not possible here: {text}. The usual value is used instead.")
        right.button("OK", key="dismiss", on_click=st.session_state.pop, args=(_NOTES, None))
