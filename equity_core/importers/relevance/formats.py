"""Relevance files of other systems: the form is detected from the content, not from the name, and
the file is read as learner_id, course_id, score.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.faults import samples
from equity_core.importers.reading import decode, head_of, separator
from equity_core.importers.relevance import lists, matrices, plain
from equity_core.importers.report import Report

Ids = Sequence[Any] | npt.NDArray[Any]
"""Ids in order, as a list or as an array."""
Form = Literal["table", "lenskit", "rectools", "recbole", "elliot", "trec", "npy", "npz"]
LABELS: dict[Form, str] = {
    "table": "a table with a header",
    "lenskit": "LensKit's lists",
    "rectools": "RecTools' lists",
    "recbole": "a RecBole atomic file",
    "elliot": "Elliot's lists (no header: learner, course, score)",
    "trec": "a TREC run file",
    "npy": "a dense NumPy matrix",
    "npz": "a sparse SciPy matrix",
}


def sniff(path: str | Path, report: Report | None = None) -> Form:
    """The form of a relevance file, from its first bytes. BundleError: the file is a pickle, empty
    or missing.
    """
    path = Path(path)
    report = Report(path.name) if report is None else report
    head = head_of(path, report)
    if head[:6] == b"\x93NUMPY":
        return "npy"
    if head[:2] == b"PK":
        return "npz"
    if head[:4] == b"PAR1":
        return "table"
    text = decode(head, Report())
    line = next((line for line in text.splitlines() if line.strip()), "")
    if plain.looks_like_trec(line):
        return "trec"
    fields = [field.strip() for field in line.split(separator(text))]
    if all(":" in field for field in fields) and any(
        field.endswith((":token", ":float")) for field in fields
    ):
        return "recbole"
    return "elliot" if plain.looks_like_elliot(fields) else "table"


def read_relevance(
    path: str | Path,
    form: Form | None = None,
    learner_ids: Ids | None = None,
    course_ids: Ids | None = None,
    *,
    candidates: int | None = None,
    report: Report | None = None,
) -> pd.DataFrame:
    """A relevance file as a frame of learner_id, course_id, score, ready for
    ``Bundle.from_frames(relevance={name: frame})``.

    ``form`` is detected from the content unless given. ``learner_ids`` and ``course_ids`` are the
    bundle's ids. Matrices take them as rows and columns; lists are checked against them (all
    courses and at least some learners must be known), and their ids take the type of the bundle's
    where that loses nothing. ``candidates`` keeps that many of the best courses per
    learner. Ranks without scores become score = −rank. What was done is noted in ``report``.
    BundleError: whatever does not fit, with file, column, rows and remedy.
    """
    path = Path(path)
    report = Report(path.name) if report is None else report.of(path.name)
    if form is not None and form not in get_args(Form):
        raise ValueError(
            f"form is {form!r}; use one of {', '.join(get_args(Form))}, or leave it out"
        )
    if candidates is not None and candidates < 1:
        raise ValueError(f"candidates is {candidates}; keep at least 1 per learner")
    found = sniff(path, report)
    form = found if form is None else form
    report.note(f"read as {LABELS[form]}")
    if form in ("npy", "npz"):
        if found not in ("npy", "npz"):
            report.refuse(
                "is not a NumPy file", "save the matrix with numpy.save or scipy.sparse.save_npz"
            )
        frame = matrices.read(path, report, learner_ids, course_ids, candidates)
    else:
        if found in ("npy", "npz"):
            report.refuse(f"is {LABELS[found]}, not {LABELS[form]}", f"read it as {found}")
        frame = _read_list(path, form, report)
        report.stop()
        frame = match_ids(frame, learner_ids, course_ids, report)
        _check_ids(frame, learner_ids, course_ids, report)
    _check(frame, report)
    report.stop()
    return best(frame, candidates) if candidates is not None else frame.reset_index(drop=True)


def _read_list(path: Path, form: Form, report: Report) -> pd.DataFrame:
    if form == "trec":
        return plain.read_trec(path, report)
    if form == "elliot":
        return plain.read_elliot(path, report)
    return lists.read(path, report)


def match_ids(
    frame: pd.DataFrame,
    learner_ids: Ids | None,
    course_ids: Ids | None,
    report: Report,
) -> pd.DataFrame:
    """The frame with ids of the type that the data set's have: whole numbers as text, or text that
    is nothing but whole numbers as numbers. What cannot be turned stays."""
    for column, given in (("learner_id", learner_ids), ("course_id", course_ids)):
        if given is None:
            continue
        values, whole = frame[column], np.asarray(given).dtype.kind in "iu"
        if whole and values.dtype == object:
            if not values.map(str).str.fullmatch(r"-?\d{1,18}").all():
                continue
            frame = frame.assign(**{column: values.astype("int64")})
        elif not whole and values.dtype.kind in "iu":
            frame = frame.assign(**{column: values.astype(str).astype(object)})
        else:
            continue
        report.note(
            f"ids read as {'whole numbers' if whole else 'text'}, as in the data set", column
        )
    return frame


def _check_ids(
    frame: pd.DataFrame,
    learner_ids: Ids | None,
    course_ids: Ids | None,
    report: Report,
) -> None:
    """Check that the file is about the bundle's learners and courses."""
    for column, given, what in (
        ("learner_id", learner_ids, "learners"),
        ("course_id", course_ids, "courses"),
    ):
        if given is None:
            continue
        known = np.asarray(given)
        theirs, ours = (
            ("whole numbers" if kind in "iu" else "text")
            for kind in (frame[column].dtype.kind, known.dtype.kind)
        )
        if theirs != ours:  # text that is not all whole numbers: the rest was matched before
            odd = ~frame[column].map(str).str.fullmatch(r"-?\d{1,18}")
            report.fault(
                f"the data set's {what} have whole numbers as ids, but these are not whole numbers:"
                f" {samples(frame.loc[odd, column])}",
                "use the ids of the data set",
                column=column,
                rows=odd.to_numpy(),
            )
            continue
        strange = ~frame[column].isin(known)
        if strange.all():
            report.fault(
                f"none of its {frame[column].nunique():,} {what} is in the data set:"
                f" {samples(frame[column])}",
                "check that the file belongs to this data set, and that ids are those of its"
                f" {what}",
                column=column,
            )
        elif strange.any() and what == "courses":
            report.fault(
                f"unknown courses: {samples(frame.loc[strange, column])}",
                "drop those rows, or add the courses",
                column=column,
                rows=strange.to_numpy(),
            )
        elif strange.any():
            report.note(
                f"{frame.loc[strange, column].nunique():,} learners are not in the data set; their"
                " rows will be left out",
                column,
            )


def _check(frame: pd.DataFrame, report: Report) -> None:
    if frame.empty:
        report.fault("has no rows", "export it again")
        return
    bad = ~np.isfinite(frame["score"].to_numpy())
    if bad.any():
        report.fault(
            "scores that are missing or not finite",
            "give every row a finite score, or drop the row",
            column="score",
            rows=bad,
        )
    twice = frame.duplicated(["learner_id", "course_id"]).to_numpy()
    if twice.any():
        report.fault(
            "repeats pairs of learner and course",
            "keep one row per pair",
            column="course_id",
            rows=twice,
        )


def best(frame: pd.DataFrame, candidates: int) -> pd.DataFrame:
    """The rows with the highest scores, at most ``candidates`` per learner. Equal scores, and
    learners, keep the file's order.
    """
    order = frame.assign(_at=np.arange(len(frame))).sort_values(
        ["score", "_at"], ascending=[False, True], kind="stable"
    )
    kept = order.groupby("learner_id", sort=False).head(candidates)
    return frame.loc[np.sort(kept.index.to_numpy())].reset_index(drop=True)


def read_ids(path: str | Path, report: Report | None = None) -> list[Any]:
    """A list of ids in the order of a matrix's rows or columns: a text file with one id per line,
    or a ``.npy`` array of numbers or text.
    """
    path = Path(path)
    report = Report(path.name) if report is None else report.of(path.name)
    head = head_of(path, report)
    if head[:6] == b"\x93NUMPY":
        try:
            ids = np.load(path, allow_pickle=False)
        except ValueError as error:
            report.refuse(
                f"cannot be read as ids ({error})", "save an array of whole numbers or of text"
            )
        if ids.ndim != 1 or ids.dtype.kind not in "iuU":
            report.refuse(
                f"is an array of {ids.dtype} with {ids.ndim} dimension(s)",
                "save one list of whole numbers or of text",
            )
        return list(ids.tolist())
    lines = [line.strip() for line in decode(path.read_bytes(), report).splitlines()]
    return [line for line in lines if line]
