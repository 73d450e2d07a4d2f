"""Loading your own data: a bundle as a zip, or tables with a column map. They stay in this browser
session; faults are explained."""

from __future__ import annotations

import logging
import re
import tempfile
import unicodedata
from pathlib import Path
from typing import Any

import streamlit as st

import equity_core as eq
from equity_core import importers
from equity_core.analysis.words import count
from equity_core.importers.names import REQUIRED, TARGETS
from pages.shared import datasets, logs

NO_COLUMN = "(none)"
CUT = importers.Cut(valid=1)
"""Interactions without a split are cut by time; if possible, one course per learner is set apart to
choose a policy with."""


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
            _tables()
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


def _saved_file(upload: Any, folder: str) -> Path:
    """An upload as a file in a private folder that is deleted after reading."""
    path = Path(folder) / Path(upload.name).name
    path.write_bytes(upload.getvalue())
    return path


def _zip() -> None:
    upload = st.file_uploader(
        "A zip with manifest.toml, courses, interactions and relevance/", type="zip", key="load_zip"
    )
    if upload is None:
        return
    try:
        with tempfile.TemporaryDirectory() as folder, st.spinner("Reading and checking the zip …"):
            bundle = eq.load_bundle(_saved_file(upload, folder))
            # Scores are checked when first used: better now than in the middle of a screen.
            for algorithm in bundle.algorithms:
                bundle.relevance(algorithm)
    except eq.BundleError as error:
        _explain(f"“{upload.name}”", error)
        return
    _done(bundle)


@st.cache_data(max_entries=6, show_spinner=False, scope="session")
def _read(name: str, content: bytes) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        return importers.read_table(path)


def _tables() -> None:
    kinds = ["csv", "tsv", "txt", "parquet"]
    uploads = {
        "courses": st.file_uploader("Courses", type=kinds, key="load_courses"),
        "interactions": st.file_uploader(
            "Interactions: who took which course, and when", type=kinds, key="load_interactions"
        ),
        "scores": st.file_uploader(
            "Scores of your recommender (if you have none, TopPopular is computed here)",
            type=kinds,
            key="load_scores",
        ),
    }
    frames, maps = {}, {}
    for table, upload in uploads.items():
        if upload is None:
            continue
        try:
            frames[table] = _read(upload.name, upload.getvalue())
        except (eq.BundleError, ValueError) as error:
            _explain(f"“{upload.name}”", error)
            return
        maps[table] = _map(table, frames[table])
    name = _recommender(uploads["scores"].name) if uploads["scores"] is not None else ""
    if {"courses", "interactions"} <= set(frames) and st.button(
        "Use these tables", key="load_use", type="primary"
    ):
        try:
            with st.spinner("Reading the tables …"):
                bundle = _bundle(frames, maps, name)
        except (eq.BundleError, ValueError) as error:
            _explain("These tables", error)
            return
        _done(bundle, len(set(frames["interactions"][maps["interactions"].columns["learner_id"]])))


def _recommender(file: str) -> str:
    """The name for the recommender of these scores; at first the file's name, in the letters that a
    name may have."""
    plain = unicodedata.normalize("NFKD", Path(file).stem).encode("ascii", "ignore").decode()
    usual = re.sub(r"[^A-Za-z0-9 ._+-]+", "-", plain).strip(" ._+-")[:100] or "our model"
    return (
        st.text_input(
            "Name of the recommender that these scores are from",
            usual,
            key="load_name",
            max_chars=100,
        ).strip()
        or usual
    )


def _map(table: str, frame: Any) -> importers.ColumnMap:
    """The column map: guessed, previewed, and open to changes."""
    guesses = importers.guess_columns(frame, table)  # type: ignore[arg-type]
    found = {guess.target: guess for guess in guesses.guesses}
    summary = (
        f"{table.capitalize()}: {count(len(frame), 'row')}, {count(len(found), 'column')}"
        " recognised"
    )
    needed = REQUIRED[table]  # type: ignore[index]
    with st.expander(summary, expanded=not guesses.enough):
        st.dataframe(frame.head(5), hide_index=True)
        st.caption(
            "Which of your columns is which? You can change every guess; “(none)” leaves a column"
            " out."
        )
        columns = {}
        places = st.columns(2)
        for at, target in enumerate(dict.fromkeys([*TARGETS[table], *found])):  # type: ignore[index]
            guess = found.get(target)
            options = [NO_COLUMN, *map(str, frame.columns)]
            place, words = (
                places[at % 2],
                _shown_name(target) + (" · required" if target in needed else ""),
            )
            picked = place.selectbox(
                words,
                options,
                index=options.index(guess.source) if guess else 0,
                key=f"map_{table}_{target}",
                help=(
                    f"{guess.why} ({guess.confidence:.0%} sure)"
                    if guess
                    else "No column looks like this."
                ),
            )
            if picked != NO_COLUMN:
                columns[target] = picked
    keep = tuple(str(name) for name in guesses.unused) if table == "courses" else ()
    return importers.ColumnMap(table, columns, keep=keep)  # type: ignore[arg-type]


def _shown_name(target: str) -> str:
    """The name of a bundle's column on screen."""
    return target.replace("_", " ").replace(":", ": ")


def _bundle(frames: dict[str, Any], maps: dict[str, importers.ColumnMap], name: str) -> eq.Bundle:
    """The three tables as a bundle. Faults in all of them are reported together, so that a user has
    to fix the files only once."""
    wrong: list[str] = []
    made, scores = None, None
    try:
        made = importers.import_tables(
            frames["courses"],
            frames["interactions"],
            maps["courses"],
            maps["interactions"],
            cut=CUT,
            name="Your tables",
        )
    except (eq.BundleError, ValueError) as error:
        wrong.append(str(error))
    if "scores" in frames:
        try:
            scores = importers.apply_map(frames["scores"], maps["scores"])
        except eq.BundleError as error:
            wrong.append(str(error))
    if wrong or made is None:
        raise ValueError("\n".join(wrong))
    if scores is None:
        return made.bundle(
            dict(eq.precompute(made.courses, made.interactions, algorithms=["toppopular"]))
        )
    if "score" not in scores:
        scores = scores.assign(score=-scores["rank"])
    return made.bundle({name: scores[["learner_id", "course_id", "score"]]})
