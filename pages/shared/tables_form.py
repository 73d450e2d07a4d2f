"""Your own tables: the form in the dialog that reads them, with a guess for everything and a
control for every guess. It can say what ``import tables`` can say on the command line, in one
description that is downloaded here and read there, and the other way round."""

from __future__ import annotations

import hashlib
import re
import tempfile
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

import equity_core as eq
from equity_core import importers
from equity_core.analysis.words import count
from equity_core.importers import Description, Report
from equity_core.importers.names import REQUIRED, TARGETS, Table
from pages.shared import split_form

NO_COLUMN = "(none)"
NAME = "Your tables"
IDS: dict[Any, str] = {
    None: "as they come",
    "text": "all as text",
    "integer": "all as whole numbers",
}
DATES: dict[Any, str] = {
    None: "as the dates themselves show",
    "day": "day first",
    "month": "month first",
}
KINDS = ["csv", "tsv", "txt", "parquet"]
MATRICES = ("npy", "npz")
_APPLIED, _WAITING = "_load_applied", "_load_waiting"

Explain = Callable[[str, Exception], None]
Done = Callable[[eq.Bundle, int], None]


def form(done: Done, explain: Explain) -> None:
    """The whole form. ``done`` takes the bundle and the number of learners in the tables;
    ``explain`` says what is wrong with a file."""
    uploads: dict[Table, Any] = {
        "courses": st.file_uploader("Courses", type=KINDS, key="load_courses"),
        "interactions": st.file_uploader(
            "Interactions: who took which course, and when", type=KINDS, key="load_interactions"
        ),
        "scores": st.file_uploader(
            "Scores of your recommender (if you have none, TopPopular is computed here)",
            type=[*KINDS, *MATRICES],
            key="load_scores",
        ),
    }
    said = _description(explain)
    frames: dict[Table, Any] = {}
    for table, upload in uploads.items():
        if upload is None or (table == "scores" and _is_matrix(upload)):
            continue
        try:
            frames[table] = _read(upload.name, upload.getvalue(), table)
        except (eq.BundleError, ValueError) as error:
            explain(f"“{upload.name}”", error)
            return
    matrix = uploads["scores"] if uploads["scores"] and _is_matrix(uploads["scores"]) else None
    ids = _matrix_ids() if matrix is not None else {}
    maps = {table: _map(table, frame, said) for table, frame in frames.items()}
    name = _recommender(uploads["scores"].name) if uploads["scores"] is not None else ""
    if not {"courses", "interactions"} <= set(frames):
        return
    given = {table: upload for table, upload in uploads.items() if upload is not None}
    files = (given["courses"].name, given["interactions"].name)
    key = "/".join(str(upload.file_id) for upload in given.values())
    try:
        said = _settings(said)
        maps = {
            table: replace(columns, ids=said.ids, rating_scale=said.scale)
            for table, columns in maps.items()
        }
        said = split_form.split(frames, maps, files, key, said.with_maps(maps))
    except ValueError as error:
        explain("These settings", error)
        return
    left, right = st.columns(2)
    use = left.button("Use these tables", key="load_use", type="primary", width="stretch")
    right.download_button(
        "Download import description (TOML)",
        said.to_toml(),
        "import.toml",
        key="load_download",
        on_click="ignore",
        help="What is set here, for the next time or for `import tables --map import.toml`",
        width="stretch",
    )
    key += hashlib.sha256(said.to_toml().encode()).hexdigest() + name
    if use:
        report = Report()
        try:
            with st.spinner("Reading the tables …"):
                bundle = _bundle(frames, maps, said, name, files, matrix, ids, report)
        except (eq.BundleError, ValueError) as error:
            explain("These tables", error)
            return
        learners = frames["interactions"][maps["interactions"].columns["learner_id"]]
        st.session_state[_WAITING] = (key, bundle, len(set(learners)), report.warnings)
    _finish(key, done)


def _finish(key: str, done: Done) -> None:
    """Hand the bundle over; where something may be wrong, say it first and ask."""
    waiting = st.session_state.get(_WAITING)
    if waiting is None or waiting[0] != key:
        return
    _, bundle, learners, warnings = waiting
    if warnings:
        for warning in warnings:
            st.warning(str(warning), icon=":material/warning:")
        if not st.button("Use them anyway", key="load_anyway"):
            return
    del st.session_state[_WAITING]
    done(bundle, learners)


def _is_matrix(upload: Any) -> bool:
    return Path(upload.name).suffix.lower().removeprefix(".") in MATRICES


@st.cache_data(max_entries=6, show_spinner=False, scope="session")
def _read(name: str, content: bytes, table: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        return (
            importers.read_scores_table(path) if table == "scores" else importers.read_table(path)
        )


def _description(explain: Explain) -> Description:
    """The description that was given, if any; its settings are put into the controls once."""
    upload = st.file_uploader(
        "Import description, if you have one (import.toml)", type=["toml", "json"], key="load_map"
    )
    if upload is None:
        st.session_state.pop(_APPLIED, None)
        return Description()
    try:
        said = Description.from_text(upload.getvalue().decode("utf-8-sig"), upload.name)
    except ValueError as error:  # text that is not UTF-8 is one, too
        explain(f"“{upload.name}”", error)
        return Description()
    if st.session_state.get(_APPLIED) != upload.file_id:
        st.session_state[_APPLIED] = upload.file_id
        for name in [name for name in st.session_state if str(name).startswith(("map_", "set_"))]:
            del st.session_state[name]
    return said


def _matrix_ids() -> dict[str, Any]:
    st.caption(
        "A matrix has no ids. Without lists of them, the rows are taken as the learners by number,"
        " the columns as the courses in the order of their table; if the scores do not fit that,"
        " it is said."
    )
    one, two = st.columns(2)
    return {
        "learner_ids": one.file_uploader(
            "Ids of the rows, one per line", type=["txt", "csv", "npy"], key="load_row_ids"
        ),
        "course_ids": two.file_uploader(
            "Ids of the columns, one per line", type=["txt", "csv", "npy"], key="load_column_ids"
        ),
    }


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


def _chosen(key: str, value: Any, options: list[Any]) -> None:
    """What a control shows at first; a choice that is not possible any more falls back to it."""
    if key not in st.session_state or st.session_state[key] not in options:
        st.session_state[key] = value


def _map(table: Table, frame: Any, said: Description) -> importers.ColumnMap:
    """The column map: described or guessed, previewed, and open to changes."""
    columns, guesses = said.map(frame, table)
    reasons = {guess.target: guess for guess in guesses}
    enough = set(REQUIRED[table]) <= set(columns.columns) and (
        table != "scores" or bool({"score", "rank"} & set(columns.columns))
    )
    summary = (
        f"{table.capitalize()}: {count(len(frame), 'row')},"
        f" {count(len(columns.columns), 'column')} recognised"
    )
    options = [NO_COLUMN, *map(str, frame.columns)]
    with st.expander(summary, expanded=not enough):
        st.dataframe(frame.head(5), hide_index=True)
        st.caption(
            "Which of your columns is which? You can change every guess; “(none)” leaves a column"
            " out."
        )
        picked = {}
        places = st.columns(2)
        for at, target in enumerate(dict.fromkeys([*TARGETS[table], *columns.columns])):
            required = " · required" if target in REQUIRED[table] else ""
            key, guess = f"map_{table}_{target}", reasons.get(target)
            _chosen(key, columns.columns.get(target, NO_COLUMN), options)
            choice = places[at % 2].selectbox(
                target.replace("_", " ").replace(":", ": ") + required,
                options,
                key=key,
                help=(
                    f"{guess.why} ({guess.confidence:.0%} sure)"
                    if guess
                    else "As the import description says."
                    if target in columns.columns
                    else "No column looks like this."
                ),
            )
            if choice != NO_COLUMN:
                picked[target] = choice
        order = _date_order(table, picked, columns.date_order)
        keep = _keep(frame, picked, columns) if table == "courses" else ()
    return importers.ColumnMap(table, picked, keep=keep, date_order=order)


def _date_order(table: str, picked: dict[str, str], usual: Any) -> Any:
    if not {"last_update", "published", "timestamp"} & set(picked):
        return None
    key = f"map_{table}:dates"
    _chosen(key, usual, list(DATES))
    return st.selectbox(
        "Dates such as 6/8/2017", list(DATES), format_func=lambda order: DATES[order], key=key
    )


def _keep(frame: Any, picked: dict[str, str], columns: importers.ColumnMap) -> tuple[str, ...]:
    free = [name for name in map(str, frame.columns) if name not in picked.values()]
    key = "map_courses:keep"
    if not set(st.session_state.get(key, [NO_COLUMN])) <= set(free):
        st.session_state[key] = [name for name in columns.keep if name in free]
    kept = st.multiselect("Further columns to keep, for principles of your own", free, key=key)
    return tuple(kept)


def _settings(said: Description) -> Description:
    """Name, ids and rating scale."""
    with st.expander("Name, ids and rating scale"):
        st.session_state.setdefault("set_name", said.name or NAME)
        _chosen("set_ids", said.ids, list(IDS))
        st.session_state.setdefault("set_low", float(said.scale[0]))
        st.session_state.setdefault("set_high", float(said.scale[1]))
        one, two, three, four = st.columns([2, 2, 1, 1])
        name = one.text_input("Name of the data set", key="set_name", max_chars=100).strip()
        ids = two.selectbox(
            "Ids",
            list(IDS),
            format_func=lambda kind: IDS[kind],
            key="set_ids",
            help="If one file has 7 and another “7”, choose one of the two for all",
        )
        low = three.number_input("Lowest rating", key="set_low")
        high = four.number_input("Highest rating", key="set_high")
    return replace(said, name=name or NAME, ids=ids, rating_scale=importers.scale_of((low, high)))


def _bundle(
    frames: dict[Table, Any],
    maps: dict[Table, importers.ColumnMap],
    said: Description,
    name: str,
    files: tuple[str, str],
    matrix: Any,
    ids: dict[str, Any],
    report: Report,
) -> eq.Bundle:
    """The tables as a bundle. Faults in all of them are reported together, so that a user has to
    fix the files only once."""
    wrong: list[str] = []
    made, scores = None, None
    try:
        made = importers.import_tables(
            frames["courses"],
            frames["interactions"],
            maps["courses"],
            maps["interactions"],
            cut=said.split,
            name=said.name,
            files=files,
            future_courses=said.future_courses,
            report=report,
        )
    except (eq.BundleError, ValueError) as error:
        wrong.append(str(error))
    of_scores = Report("scores", report.notes)
    if "scores" in frames:
        try:
            scores = importers.apply_map(frames["scores"], maps["scores"], of_scores)
        except eq.BundleError as error:
            wrong.append(str(error))
    if wrong or made is None:
        raise ValueError("\n".join(wrong))
    bundle = made.bundle()
    if matrix is not None:
        return bundle.with_relevance({name: _matrix(bundle, matrix, ids, of_scores)})
    if scores is None:
        return bundle.with_relevance(
            dict(
                eq.precompute(
                    made.courses,
                    made.interactions,
                    algorithms=["toppopular"],
                    future_courses=made.future_courses,
                    split_at=made.split_at,
                )
            )
        )
    return bundle.with_relevance({name: importers.scores_for(bundle, scores, of_scores)})


def _matrix(bundle: eq.Bundle, upload: Any, ids: dict[str, Any], report: Report) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = saved(upload, folder)
        given = {
            side: None if file is None else importers.read_ids(saved(file, folder), report)
            for side, file in ids.items()
        }
        return importers.relevance_for(
            bundle,
            path,
            learner_ids=given["learner_ids"],
            course_ids=given["course_ids"],
            report=report,
        )


def saved(upload: Any, folder: str) -> Path:
    """An upload as a file in a private folder that is deleted after reading."""
    path = Path(folder) / Path(upload.name).name
    path.write_bytes(upload.getvalue())
    return path
