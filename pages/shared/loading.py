"""Loading one's own data: a bundle as a zip, or tables through a column map. Kept to this browser session; faults are explained."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import streamlit as st

import equity_core as eq
from equity_core.bundle import importers
from equity_core.bundle.importers.names import TARGETS
from pages.shared import datasets

NOTHING = "(none)"


def button() -> None:
    """The button beside the data set's name."""
    if st.button("", icon=":material/upload:", key="load", help="Load your own data: a bundle, or tables as CSV or Parquet"):
        _dialog()


@st.dialog("Load your own data", width="large")
def _dialog() -> None:
    st.caption("What you load stays in this browser session: it is not stored, not shared, and gone when you close the page.")
    one, two = st.tabs(["A bundle (zip)", "Your own tables"], key="load_tabs", on_change="rerun")
    with one:
        if one.open:
            _zip()
    with two:
        if two.open:
            _tables()


def _done(bundle: eq.Bundle) -> None:
    st.session_state[datasets.PICK] = datasets.keep_upload(bundle)
    st.rerun()


def _explain(what: str, error: Exception) -> None:
    st.error(f"{what} cannot be used; the data set on screen stays. What is wrong, and how to mend it:")
    st.code(str(error), language=None, wrap_lines=True)


def _kept(upload: Any, folder: str) -> Path:
    """An upload as a file in a private folder that goes away after reading."""
    path = Path(folder) / Path(upload.name).name
    path.write_bytes(upload.getvalue())
    return path


def _zip() -> None:
    upload = st.file_uploader("A zip with manifest.toml, courses, interactions and relevance/", type="zip", key="load_zip")
    if upload is None:
        return
    try:
        with tempfile.TemporaryDirectory() as folder, st.spinner("Reading and checking the zip …"):
            bundle = eq.load_bundle(_kept(upload, folder))
            for algorithm in bundle.algorithms:  # rows of the scores are checked at first use: better now than in the middle of a screen
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
        "interactions": st.file_uploader("Interactions: who took which course, and when", type=kinds, key="load_interactions"),
        "scores": st.file_uploader("Scores of your recommender (left out: TopPopular is computed here)", type=kinds, key="load_scores"),
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
    if {"courses", "interactions"} <= set(frames) and st.button("Use these tables", key="load_use", type="primary"):
        try:
            with st.spinner("Reading the tables …"):
                bundle = _bundle(frames, maps, Path(uploads["scores"].name).stem if uploads["scores"] else "")
        except (eq.BundleError, ValueError) as error:
            _explain("These tables", error)
            return
        _done(bundle)


def _map(table: str, frame: Any) -> importers.ColumnMap:
    """The column map: guessed, previewed, and open to change."""
    guesses = importers.guess_columns(frame, table)  # type: ignore[arg-type]
    found = {guess.target: guess for guess in guesses.guesses}
    with st.expander(f"{table.capitalize()}: {len(frame):,} rows, {len(found)} columns recognised", expanded=not guesses.enough):
        st.dataframe(frame.head(5), hide_index=True)
        columns = {}
        places = st.columns(2)
        for at, target in enumerate(dict.fromkeys([*TARGETS[table], *found])):  # type: ignore[index]
            guess = found.get(target)
            options = [NOTHING, *map(str, frame.columns)]
            picked = places[at % 2].selectbox(
                target.replace("_", " "), options, index=options.index(guess.source) if guess else 0, key=f"map_{table}_{target}",
                help=f"{guess.why} ({guess.confidence:.0%} sure)" if guess else "No column looks like it.",
            )  # fmt: skip
            if picked != NOTHING:
                columns[target] = picked
    keep = tuple(str(name) for name in guesses.unused) if table == "courses" else ()
    return importers.ColumnMap(table, columns, keep=keep)  # type: ignore[arg-type]


def _bundle(frames: dict[str, Any], maps: dict[str, importers.ColumnMap], name: str) -> eq.Bundle:
    made = importers.import_tables(frames["courses"], frames["interactions"], maps["courses"], maps["interactions"], name="Your tables")
    if "scores" in frames:
        scores = importers.apply_map(frames["scores"], maps["scores"])
        if "score" not in scores:
            scores = scores.assign(score=-scores["rank"])
        relevance = {name: scores[["learner_id", "course_id", "score"]]}
    else:
        relevance = dict(eq.precompute(made.courses, made.interactions, algorithms=["toppopular"]))
    return made.bundle(relevance)
