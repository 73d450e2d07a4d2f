"""How interactions are split: the controls in the form for your own tables, with what each kind of
split keeps, and whether lists may hold courses from after the split."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

import equity_core as eq
from equity_core import importers
from equity_core.bundle.splitting import Kind
from equity_core.importers import Cut, Description
from equity_core.importers.names import Table

KINDS: tuple[Kind, ...] = ("auto", "time", "last", "share", "random", "column", "none")


@st.cache_data(max_entries=8, show_spinner="Reading the tables …", scope="session")
def _kinds(_frames: Any, _maps: Any, files: tuple[str, str], key: str, cut: Cut) -> Any:
    """What each kind of split keeps; text where the tables cannot be read yet."""
    try:
        pair = importers.read_pair(
            _frames["courses"],
            _frames["interactions"],
            _maps["courses"],
            _maps["interactions"],
            files=files,
        )
        return importers.kinds_frame(pair.interactions, cut)
    except (eq.BundleError, ValueError):
        return None


def split(
    frames: dict[Table, Any],
    maps: dict[Table, importers.ColumnMap],
    files: tuple[str, str],
    key: str,
    description: Description,
) -> Description:
    """The description with how the interactions are split; what each kind keeps is shown."""
    said = description.split
    with st.expander("Split into training, validation and test part"):
        place = st.container()
        for name in ("kind", "min_train", "min_test", "last", "share", "seed"):
            st.session_state.setdefault(f"set_{name}", getattr(said, name))
        st.session_state.setdefault("set_valid", -1 if said.valid is None else said.valid)
        st.session_state.setdefault("set_at", "" if said.at is None else str(said.at))
        one, two, three = st.columns(3)
        train = one.number_input("Courses in training, at least", 1, key="set_min_train")
        test = two.number_input("Courses in the test part, at least", 1, key="set_min_test")
        valid = three.number_input(
            "Courses for validation",
            -1,
            key="set_valid",
            help="−1: one of each learner's, where it can be spared",
        )
        at = one.text_input(
            "Moment of the cut (time)",
            key="set_at",
            placeholder="the one that keeps the most",
            help="For example 2024-06-01; UTC",
        ).strip()
        last = two.number_input("Last courses (last)", 1, key="set_last")
        share = three.number_input(
            "Share of the courses (share, random)", 0.01, 0.99, step=0.05, key="set_share"
        )
        seed = one.number_input("Seed (random)", 0, key="set_seed")
        st.session_state.setdefault("set_keep_future", description.future_courses == "keep")
        keep = st.checkbox(
            "Lists may hold courses that appeared after the end of training",
            key="set_keep_future",
            help="Only a cut at one moment has an end of training for all; with the others, no"
            " course is left out",
        )
        cut = Cut(at or None, train, test, None if valid < 0 else valid, "auto", last, share, seed)
        with place:
            kept = _kinds(frames, maps, files, key + repr(maps), cut)
            kind = st.selectbox(
                "Test part",
                KINDS,
                format_func=lambda kind: f"{kind}: {importers.kind_in_words(kind, cut)}",
                key="set_kind",
            )
            if kept is None:
                st.caption("What each split keeps is shown once the tables can be read.")
            else:
                st.dataframe(kept, hide_index=True)
                st.caption(
                    "A cut at one moment is the only one in which nobody learns from the future;"
                    " the others keep more learners. “none” is for deploying: everything is past,"
                    " and nothing is measured."
                )
    return replace(
        description,
        split=replace(cut, kind=kind),
        future_courses="keep" if keep else "mask",
    )
