"""Any platform's two tables, courses and interactions, read with column maps that are given or
guessed. Every guess is noted.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from equity_core.bundle.faults import samples
from equity_core.bundle.future import FutureCourses
from equity_core.bundle.splitting import Cut
from equity_core.importers.columns import RATING_SCALE, ColumnMap, convert_table
from equity_core.importers.convert import Ids
from equity_core.importers.description import Description
from equity_core.importers.imported import (
    Imported,
    Origin,
    usable_principles,
    with_first_taken,
)
from equity_core.importers.names import Table
from equity_core.importers.reading import read_table
from equity_core.importers.report import Report
from equity_core.importers.splits import cut_log, provenance_of

Source = str | Path | pd.DataFrame
DEFAULT_CUT = Cut()


def import_tables(
    courses: Source,
    interactions: Source,
    course_columns: ColumnMap | None = None,
    interaction_columns: ColumnMap | None = None,
    *,
    ids: Ids | None = None,
    cut: Cut = DEFAULT_CUT,
    resplit: bool = False,
    rating_scale: tuple[float, float] = RATING_SCALE,
    name: str | None = None,
    files: tuple[str, str] | None = None,
    future_courses: FutureCourses = "mask",
    report: Report | None = None,
) -> Imported:
    """Two tables (files or frames) as what a bundle is made of.

    A column map that is not given is guessed, and every guess is noted; ``ids`` and
    ``rating_scale`` apply to guessed maps. The log is split as ``cut`` says; ``resplit`` ignores a
    column with a split. ``files`` are the names of the tables in messages. Interactions with
    courses that are not in the courses table are left out and counted. A principle without a column
    is left out, and a note says so. Courses from after the moment of the split, where there is one
    for all learners, are in no list, unless ``future_courses`` is "keep"; for that, the courses get
    a column ``first_taken``. BundleError: every fault of both tables, with file, column, rows and
    remedy.
    """
    report = Report() if report is None else report
    pair = read_pair(
        courses,
        interactions,
        course_columns,
        interaction_columns,
        ids=ids,
        rating_scale=rating_scale,
        files=files,
        report=report,
    )
    catalogue, log = pair.courses, pair.interactions
    if future_courses == "mask":
        catalogue = with_first_taken(catalogue, log)
    if resplit:
        log = log.drop(columns="split", errors="ignore")
    log, did = cut_log(log, cut, report.of(pair.files[1]))
    scale = course_columns.rating_scale if course_columns is not None else rating_scale
    return Imported(
        catalogue.reset_index(drop=True),
        log.reset_index(drop=True),
        principles=usable_principles(catalogue, log, report.of(pair.files[0])),
        rating_scale=scale,
        name=name or Path(pair.files[0]).stem,
        provenance={
            "source": f"{pair.files[0]} and {pair.files[1]}",
            **provenance_of(cut, did),
            "notes": [str(note) for note in report.notes],
        },
        future_courses=future_courses,
        split_at=did.at,
        report=report,
        origins={
            "courses": Origin(pair.files[0], catalogue.index.to_numpy()),
            "interactions": Origin(pair.files[1], log.index.to_numpy()),
        },
    )


@dataclass(frozen=True, eq=False)
class Pair:
    """Two tables in the bundle's columns, not split yet; the index of each is the row in its
    file."""

    courses: pd.DataFrame
    interactions: pd.DataFrame
    files: tuple[str, str]


def read_pair(
    courses: Source,
    interactions: Source,
    course_columns: ColumnMap | None = None,
    interaction_columns: ColumnMap | None = None,
    *,
    ids: Ids | None = None,
    rating_scale: tuple[float, float] = RATING_SCALE,
    files: tuple[str, str] | None = None,
    report: Report | None = None,
) -> Pair:
    """The tables of :func:`import_tables` before they are split: each course once, interactions of
    known courses only. BundleError: every fault of both."""
    report = Report() if report is None else report
    if files is None:
        files = _name(courses, "courses"), _name(interactions, "interactions")
    one, two = report.of(files[0]), report.of(files[1])
    catalogue = _table(courses, "courses", course_columns, one, ids, rating_scale)
    log = _table(interactions, "interactions", interaction_columns, two, ids, rating_scale)
    report.stop()
    catalogue = _settle_courses(catalogue, one)
    log = _known_courses(catalogue, log, two, files[0])
    report.stop()
    return Pair(catalogue, log, files)


def _name(source: Source, default: str) -> str:
    return default if isinstance(source, pd.DataFrame) else Path(source).name


def _table(
    source: Source,
    table: Table,
    columns: ColumnMap | None,
    report: Report,
    ids: Ids | None,
    scale: tuple[float, float],
) -> pd.DataFrame:
    frame = source if isinstance(source, pd.DataFrame) else read_table(source, report)
    if columns is None:
        columns, _ = Description(ids=ids, rating_scale=scale).map(frame, table, report)
    elif columns.table != table:
        raise ValueError(f"the column map for the {table} is one for the {columns.table}")
    return convert_table(frame, columns, report)


def _settle_courses(courses: pd.DataFrame, report: Report) -> pd.DataFrame:
    """Each course once: rows that repeat another one are left out, rows that contradict one are a
    fault. A missing title is the id."""
    repeated = _same_rows(courses)
    if repeated.any():
        report.note(
            f"{int(repeated.sum()):,} rows repeat another one in every column and are left out",
            "course_id",
        )
        courses = courses[~repeated]
    twice = courses["course_id"].duplicated()
    if twice.any():
        report.fault(
            "courses that are listed twice, with different values:"
            f" {samples(courses.loc[twice, 'course_id'])}",
            "keep one row per course",
            column="course_id",
            rows=courses.index[twice].to_numpy(),
        )
    if "title" not in courses or courses["title"].isna().all():
        report.note("there are no titles: the ids are used", "title")
        courses = courses.assign(title=courses["course_id"].astype(str))
    return courses


def _same_rows(courses: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Which rows say the same as one before them."""
    twice = courses["course_id"].duplicated(keep=False)
    some = courses[twice].map(lambda cell: str(cell) if isinstance(cell, Container) else cell)
    same = np.zeros(len(courses), dtype=np.bool_)
    same[np.flatnonzero(twice)[some.duplicated().to_numpy()]] = True
    return same


def _known_courses(
    courses: pd.DataFrame, log: pd.DataFrame, report: Report, home: str
) -> pd.DataFrame:
    kinds = [
        "whole numbers" if table["course_id"].dtype.kind == "i" else "text"
        for table in (log, courses)
    ]
    if kinds[0] != kinds[1]:
        report.fault(
            f"course ids are {kinds[0]} here but {kinds[1]} in {home}",
            "ask for ids of one type (ids = text or ids = integer)",
            column="course_id",
        )
        return log
    known = log["course_id"].isin(courses["course_id"])
    if not known.any():
        report.fault(
            f"none of its courses are in {home}: {samples(log['course_id'])}",
            "check that both tables come from the same platform and that the right columns are"
            " mapped",
            column="course_id",
        )
    elif not known.all():
        report.note(
            f"{int((~known).sum()):,} of {len(log):,} rows belong to courses that are not in"
            f" {home}; they are left out",
            "course_id",
        )
    return log[known]


def split_table(
    interactions: Source, cut: Cut, columns: ColumnMap | None = None, report: Report | None = None
) -> pd.DataFrame:
    """A table of interactions, split again as ``cut`` says: learner_id, course_id, timestamp,
    rating where there is one, and split."""
    file = "interactions" if isinstance(interactions, pd.DataFrame) else Path(interactions).name
    report = Report(file) if report is None else report.of(file)
    log = _table(interactions, "interactions", columns, report, None, RATING_SCALE)
    report.stop()
    split, _ = cut_log(log.drop(columns="split", errors="ignore"), cut, report)
    return split.reset_index(drop=True)
