"""What a link asks for, and a note on anything in it that could not be used."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from equity_core.algorithms import ALGORITHMS, label
from equity_core.analysis.words import STRATEGIES
from pages.shared import state

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
    "order": "order of the lists",
    "floor_method": "list under a floor",
    "method": "list under one λ",
}

FORMER_WORDS = {
    "ask": {
        "Loss at most": "Maximum loss",
        "Nobody below": "Minimum for every learner",
        "Each at least": "Minimum per principle",
    },
}
"""What a control's words were in links of earlier versions, and what they are now."""

SHARED = (*_WORDS, "targets", "weights", "principles", "embed", "embed_options")
"""What an address says about all screens; everything else is about one."""

_CODES = {
    "by": ("floor", "lam"),
    "algo": ALGORITHMS,
    "strategy": tuple(STRATEGIES),
    **{key: words for key, (_, words) in state.CHOICES.items()},
}
"""A bound control writes its words into the link; links may use these short names instead, as those
written by hand, by the Decisions screen and by older versions do."""


def read_link() -> None:
    """Read the link in the first run of a session, before any control is drawn; short names stand
    for words."""
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
    for key, words in FORMER_WORDS.items():
        if (text := st.query_params.get(key)) in words:
            st.session_state[key] = short[key] = words[text]
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


def restore_short_names() -> None:
    """Put short names back into the link: they are in force at once, but a control removes a
    parameter that it does not know."""
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
    # The first call is part of the run that draws the controls, the next comes from the browser.
    st.session_state[_PUT] = True


def _same(key: str, given: str) -> bool:
    """Whether a control has what the link asks for; of λ and τ, only the one in use is compared."""
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
    from pages.shared.sidebar import slider, targets

    if key == "data":
        return datasets.title(value)
    if key == "algo":
        return label(value)
    tables: dict[str, dict[str, str]] = {
        "by": slider.KINDS,
        "strategy": STRATEGIES,
        **{key: options for key, (_, options) in targets.CHOICES.items()},
    }
    return tables.get(key, {}).get(value, value)


def draw_notes() -> None:
    """A note, until it is dismissed, on what the link asked for and did not get. Call it after the
    controls are drawn."""
    given: dict[str, str] | None = st.session_state.get(_GIVEN)
    if given:
        wrong = [key for key, text in given.items() if not _same(key, text)]
        st.session_state[_NOTES] = [f"{_WORDS[key]} “{given[key][:40]}”" for key in wrong]
    st.session_state[_GIVEN] = {}
    if st.session_state.get(_NOTES):
        left, right = st.columns([9, 1], vertical_alignment="center")
        text = "; ".join(st.session_state[_NOTES])
        left.warning(
            f"The link asks for something that is not possible here: {text}. The default is used"
            " instead."
        )
        right.button("OK", key="dismiss", on_click=st.session_state.pop, args=(_NOTES, None))
