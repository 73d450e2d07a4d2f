"""Loading your own data: a bundle as a zip, or tables (``tables_form``). They stay in this browser
session; faults are explained."""

from __future__ import annotations

import logging
import tempfile

import streamlit as st

import equity_core as eq
from equity_core.analysis.words import count
from pages.shared import datasets, logs, tables_form


def button() -> None:
    """The button next to the name of the data set."""
    if st.button(
        "",
        icon=":material/upload:",
        key="load",
        help="Load your own data: a bundle, or tables as CSV or Parquet",
    ):
        _dialog()


@st.dialog("Load your own data", width="large")
def _dialog() -> None:
    st.caption(
        "What you load stays in this browser session: it is neither stored nor shared, and it is"
        " gone when you close the page."
    )
    one, two = st.tabs(["Your own tables", "A bundle (zip)"], key="load_tabs", on_change="rerun")
    with one:
        if one.open:
            tables_form.form(_done, _explain)
    with two:
        if two.open:
            _zip()


def _done(bundle: eq.Bundle, given: int = 0) -> None:
    """Use the bundle from now on. ``given``: the number of learners in the tables, some of whom may
    have too few interactions."""
    st.session_state[datasets.PICK] = datasets.keep_upload(bundle)
    used, courses = len(bundle.learner_ids), count(len(bundle.course_ids), "course")
    if given > used:
        st.toast(
            f"In use: {used:,} of {given:,} learners, {courses}. The others have too few"
            " interactions: see Data."
        )
    else:
        st.toast(f"In use: {count(used, 'learner')}, {courses}. How they were read: see Data.")
    st.rerun()


def _explain(what: str, error: Exception) -> None:
    logs.event("upload refused", logging.WARNING, reason=str(error).partition("\n")[0])
    st.error(
        f"{what} cannot be used; the data set on screen stays. What is wrong, and how to fix it:"
    )
    st.code(str(error), language=None, wrap_lines=True)


def _zip() -> None:
    upload = st.file_uploader(
        "A zip with manifest.toml, courses, interactions and relevance/", type="zip", key="load_zip"
    )
    if upload is None:
        return
    try:
        with tempfile.TemporaryDirectory() as folder, st.spinner("Reading and checking the zip …"):
            bundle = eq.load_bundle(tables_form.saved(upload, folder))
            # Scores are checked when first used: better now than in the middle of a screen.
            for algorithm in bundle.algorithms:
                bundle.relevance(algorithm)
    except eq.BundleError as error:
        _explain(f"“{upload.name}”", error)
        return
    _done(bundle)
